import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { codegen } from '@graphql-codegen/core';
import * as schemaAst from '@graphql-codegen/schema-ast';
import * as typescript from '@graphql-codegen/typescript';
import * as typescriptResolvers from '@graphql-codegen/typescript-resolvers';
import { buildASTSchema, parse } from 'graphql';

/**
 * `schema/*.graphql` → the printed schema and typed resolvers: `npm run codegen`, from the project's root. The parts of
 * graphql-codegen without its command line, which would bring two hundred packages.
 */

/** Each resolver sees the store's record instead of the GraphQL type. */
const MAPPERS = {
  Document: '../store/records.js#DocumentRecord',
  Chunk: '../store/records.js#ChunkRecord',
  Chunking: '../store/records.js#Chunking as ChunkingSource',
  EmbeddingSpace: '../store/records.js#SpaceRecord',
  SearchIndex: '../store/records.js#SearchIndexRecord',
  ApiKey: '../store/records.js#ApiKeyRecord',
  Job: '../store/jobs/job-records.js#JobRecord',
  JobItem: '../store/jobs/job-records.js#JobItemRecord',
  JobProgress: '../store/jobs/job-records.js#JobProgress as JobProgressSource',
  JobConnection: './connections.js#JobListing',
  JobItemConnection: './connections.js#JobItemListing',
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
};

const SCALARS = {
  ID: { input: 'string', output: 'string' },
  DateTime: { input: 'Date', output: 'Date' },
  JSONObject: { input: './scalars/json.js#JsonObject', output: '{ readonly [key: string]: unknown }' },
  MetadataValue: { input: '../store/filter.js#FilterScalar', output: '../store/filter.js#FilterScalar' },
};

const TYPES = {
  useTypeImports: true,
  enumsAsTypes: true,
  immutableTypes: true,
  defaultScalarType: 'unknown',
  avoidOptionals: { defaultValue: true },
  contextType: './context.js#RequestContext',
  scalars: SCALARS,
  mappers: MAPPERS,
};

type Options = Parameters<typeof codegen>[0];

/** The generated files' contents by their paths from `root`. */
export async function generate(root: string): Promise<ReadonlyMap<string, string>> {
  const folder = join(root, 'schema');
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.graphql'))
    .sort();
  const schema = parse(names.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n'));
  const common = { documents: [], schema, schemaAst: buildASTSchema(schema) };
  const files: Pick<Options, 'filename' | 'config' | 'plugins' | 'pluginMap'>[] = [
    {
      filename: 'docs/schema.graphql',
      config: { includeDirectives: true },
      plugins: [{ 'schema-ast': {} }],
      pluginMap: { 'schema-ast': schemaAst },
    },
    {
      filename: 'src/graphql/schema.generated.ts',
      config: TYPES,
      plugins: [{ typescript: {} }, { 'typescript-resolvers': {} }],
      pluginMap: { typescript, 'typescript-resolvers': typescriptResolvers },
    },
  ];
  const contents = await Promise.all(files.map((file) => codegen({ ...common, ...file })));
  return new Map(files.map(({ filename }, i) => [filename, `${contents[i]!.trim()}\n`]));
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  for (const [filename, content] of await generate(process.cwd())) {
    mkdirSync(dirname(filename), { recursive: true });
    writeFileSync(filename, content);
  }
}
