import type { Document } from 'mongodb';
import { multiAnalyzers } from '../analyzers.js';
import type { Similarity } from '../embed/embedder.js';
import type { Filterable, FilterableType } from './records.js';

/**
 * The search indexes that the configuration needs, as pure data. Names are fixed, so every server on the database means
 * the same index. Shapes: "vectorSearch" and "search" index definitions of the Atlas Search manual.
 */
export const TEXT_INDEX = 'gazetteer_text';

export function vectorIndexName(space: string): string {
  return `gazetteer_vector_${space}`;
}

/** The field of a chunk row that holds its vector in a space. */
export function embeddingPath(space: string): string {
  return `embeddings.${space}`;
}

/** A free cluster takes no larger definition (as JSON). */
export const MAX_DEFINITION_BYTES = 3 * 1024;
export const MAX_FILTERABLE_KEYS = 40;

export interface NeededIndex {
  readonly name: string;
  readonly kind: 'VECTOR' | 'TEXT';
  /** As MongoDB calls the kind. */
  readonly type: 'vectorSearch' | 'search';
  readonly definition: Document;
}

/** Fields that every query is filtered by, before ranking. `_id` lets a writer ask whether a chunk is indexed yet. */
const SYSTEM_FILTERS = { _id: 'objectId', owner: 'token', document_id: 'objectId', agent_ids: 'token' } as const;

/** What a text index must map a metadata key to, so that it can be compared exactly. */
const TEXT_TYPES: Readonly<Record<FilterableType, string>> = {
  string: 'token',
  number: 'number',
  boolean: 'boolean',
  date: 'date',
};

const SIMILARITIES: Readonly<Record<Similarity, string>> = {
  cosine: 'cosine',
  dotProduct: 'dotProduct',
  euclidean: 'euclidean',
};

export function vectorIndex(
  space: { readonly id: string; readonly dimensions: number; readonly similarity: Similarity },
  filterable: Filterable,
): NeededIndex {
  const filters = [...Object.keys(SYSTEM_FILTERS), ...sortedKeys(filterable).map((key) => `metadata.${key}`)];
  return {
    name: vectorIndexName(space.id),
    kind: 'VECTOR',
    type: 'vectorSearch',
    definition: {
      fields: [
        {
          type: 'vector',
          path: embeddingPath(space.id),
          numDimensions: space.dimensions,
          similarity: SIMILARITIES[space.similarity],
        },
        ...filters.map((path) => ({ type: 'filter', path })),
      ],
    },
  };
}

/**
 * Words are searched in `text`: by the standard analyzer, and by the `multi` of the query's language. No `dynamic`
 * mapping: every field that is indexed is named here, so a metadata key can neither slow the index down nor be searched.
 */
export function textIndex(filterable: Filterable, languages: readonly string[]): NeededIndex {
  const multi = multiAnalyzers(languages).map((name) => [name, { type: 'string', analyzer: `lucene.${name}` }]);
  const metadata = sortedKeys(filterable).map((key) => [key, { type: TEXT_TYPES[filterable[key] as FilterableType] }]);
  const system = Object.entries(SYSTEM_FILTERS).map(([path, type]) => [path, { type }]);
  return {
    name: TEXT_INDEX,
    kind: 'TEXT',
    type: 'search',
    definition: {
      mappings: {
        dynamic: false,
        fields: {
          text: { type: 'string', analyzer: 'lucene.standard', multi: Object.fromEntries(multi) },
          ...Object.fromEntries(system),
          ...(metadata.length > 0 && {
            metadata: { type: 'document', dynamic: false, fields: Object.fromEntries(metadata) },
          }),
        },
      },
    },
  };
}

export function definitionBytes(index: NeededIndex): number {
  return Buffer.byteLength(JSON.stringify(index.definition));
}

/** What is wrong with the declared keys; empty when they fit. A readable line per mistake, for the start. */
export function filterableProblems(filterable: Filterable, languages: readonly string[]): string[] {
  const keys = Object.keys(filterable);
  const problems: string[] = [];
  if (keys.length > MAX_FILTERABLE_KEYS)
    problems.push(`At most ${MAX_FILTERABLE_KEYS} filterable keys are allowed, got ${keys.length}`);
  for (const key of keys)
    if (key === '' || key.startsWith('$') || /[.\0]/.test(key))
      problems.push(`Filterable key ${JSON.stringify(key)} is not allowed: no empty key, leading $, dot or NUL`);
  if (problems.length > 0) return problems;
  for (const index of [
    vectorIndex({ id: 's999', dimensions: 8192, similarity: 'dotProduct' }, filterable),
    textIndex(filterable, languages),
  ])
    if (definitionBytes(index) > MAX_DEFINITION_BYTES)
      problems.push(
        `The filterable keys make the definition of the ${index.kind.toLowerCase()} index ${definitionBytes(index)} bytes long, at most ${MAX_DEFINITION_BYTES} are allowed: declare fewer or shorter keys`,
      );
  return problems;
}

function sortedKeys(filterable: Filterable): string[] {
  return Object.keys(filterable).sort();
}
