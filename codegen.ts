import type { CodegenConfig } from '@graphql-codegen/cli';

/** `schema/*.graphql` → the printed schema and typed resolvers. The mappers make each resolver see the store's record instead of the GraphQL type. */
const config: CodegenConfig = {
  schema: 'schema/*.graphql',
  generates: {
    'docs/schema.graphql': { plugins: ['schema-ast'], config: { includeDirectives: true } },
    'src/graphql/schema.generated.ts': {
      plugins: ['typescript', 'typescript-resolvers'],
      config: {
        useTypeImports: true,
        enumsAsTypes: true,
        immutableTypes: true,
        defaultScalarType: 'unknown',
        avoidOptionals: { defaultValue: true },
        contextType: './context.js#RequestContext',
        scalars: {
          ID: { input: 'string', output: 'string' },
          DateTime: { input: 'Date', output: 'Date' },
          JSONObject: {
            input: './scalars/json.js#JsonObject',
            output: '{ readonly [key: string]: unknown }',
          },
          MetadataValue: { input: '../store/filter.js#FilterScalar', output: '../store/filter.js#FilterScalar' },
        },
        mappers: {
          Document: '../store/records.js#DocumentRecord',
          Chunk: '../store/records.js#ChunkRecord',
          Chunking: '../store/records.js#Chunking as ChunkingSource',
          EmbeddingSpace: '../store/records.js#SpaceRecord',
          SearchIndex: '../store/records.js#SearchIndexRecord',
          ApiKey: '../store/records.js#ApiKeyRecord',
          Viewer: './context.js#Viewer as ViewerSource',
          Admin: './context.js#AdminDoor',
          DocumentConnection: './connections.js#DocumentListing',
          ChunkConnection: './connections.js#ChunkListing',
          SearchConnection: './connections.js#SearchListing',
          SearchEdge: '../retrieve/retrieve.js#SearchHit',
          SearchExplanation: '../retrieve/retrieve.js#SearchExplanation as SearchExplanationSource',
          LegExplanation: './connections.js#Leg',
          CandidateExplanation: '../retrieve/retrieve.js#CandidateExplanation as CandidateExplanationSource',
          WhyNot: '../retrieve/retrieve.js#WhyNot as WhyNotSource',
          TextSpan: './connections.js#Span',
        },
      },
    },
  },
};

export default config;
