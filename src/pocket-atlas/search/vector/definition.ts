import type { BsonValue, Doc } from '../../bson/values.js';
import { SearchFailure } from '../search-failure.js';
import { isDocument, readSpec, type SpecReader } from '../spec-reader.js';

/**
 * The definition of a vectorSearch index (ATLAS.md §2.1), checked and normalised: defaults of quantization and method are
 * filled in, field order is kept. Source: MongoDB manual, "How to Index Fields for Vector Search".
 */
export interface VectorIndexDefinition {
  readonly vectors: readonly VectorField[];
  readonly filterPaths: readonly string[];
}

export interface VectorField {
  readonly path: string;
  readonly numDimensions: number;
  readonly similarity: Similarity;
  readonly quantization: Quantization;
  readonly indexingMethod: 'hnsw' | 'flat';
  readonly maxEdges: number;
  readonly numEdgeCandidates: number;
}

export const SIMILARITIES = ['euclidean', 'cosine', 'dotProduct'] as const;
export type Similarity = (typeof SIMILARITIES)[number];
const QUANTIZATIONS = ['none', 'scalar', 'binary'] as const;
export type Quantization = (typeof QUANTIZATIONS)[number];

export const MAX_DIMENSIONS = 8192;
const NUM_PARTITIONS = [1, 2, 4, 8, 16, 32, 64];
const DEFAULT_MAX_EDGES = 16;
const DEFAULT_NUM_EDGE_CANDIDATES = 100;

/** What the catalogue keeps and `$listSearchIndexes` shows. @throws SearchFailure with Atlas's text. */
export function normaliseVectorDefinition(definition: Doc): Doc {
  const spec = readSpec(definition, 'definition');
  spec.only('fields', 'numPartitions', 'nestedRoot', 'storedSource');
  const values = spec.optionalArray('fields') ?? spec.fail('fields', 'is required');
  if (values.length === 0) spec.fail('fields', 'cannot be empty');
  const fields = values.map((value, position) => normaliseField(value, `definition.fields[${position}]`));
  checkPaths(fields);

  const numPartitions = spec.optionalInteger('numPartitions');
  if (numPartitions !== undefined && !NUM_PARTITIONS.includes(numPartitions)) {
    spec.fail('numPartitions', `must be one of [${NUM_PARTITIONS.join(', ')}]`);
  }
  refuseUnbuilt(spec, fields);
  return { fields, ...(numPartitions === undefined ? {} : { numPartitions }) };
}

/** Reads back what `normaliseVectorDefinition` returned. */
export function readVectorDefinition(definition: Doc): VectorIndexDefinition {
  const fields = definition.fields as Doc[];
  const vectors = fields.filter((field) => field.type === 'vector') as unknown as (VectorField & {
    hnswOptions?: Doc;
  })[];
  return {
    vectors: vectors.map((field) => ({
      path: field.path,
      numDimensions: field.numDimensions,
      similarity: field.similarity,
      quantization: field.quantization ?? 'none',
      indexingMethod: field.indexingMethod ?? 'hnsw',
      maxEdges: (field.hnswOptions?.maxEdges as number | undefined) ?? DEFAULT_MAX_EDGES,
      numEdgeCandidates: (field.hnswOptions?.numEdgeCandidates as number | undefined) ?? DEFAULT_NUM_EDGE_CANDIDATES,
    })),
    filterPaths: fields.filter((field) => field.type === 'filter').map((field) => field.path as string),
  };
}

/** Two definitions are the same index when `fields` (in any order) and `numPartitions` agree (ATLAS.md §2.2). */
export function isSameVectorDefinition(a: Doc, b: Doc): boolean {
  const canonical = ({ fields, numPartitions }: Doc) =>
    JSON.stringify([(fields as Doc[]).map(canonicalField).sort(), numPartitions ?? 1]);
  return canonical(a) === canonical(b);
}

function canonicalField(field: Doc): string {
  const defaults = field.type === 'vector' ? { quantization: 'none', indexingMethod: 'hnsw' } : {};
  return JSON.stringify(Object.entries({ ...defaults, ...field }).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function normaliseField(value: BsonValue, path: string): Doc {
  if (!isDocument(value)) throw new SearchFailure(`"${path}" must be a document`);
  const spec = readSpec(value, path);
  const type = spec.oneOf('type', ['vector', 'filter', 'autoEmbed', 'text']);
  if (type === 'filter') {
    spec.only('type', 'path');
    return { type, path: spec.string('path') };
  }
  if (type !== 'vector') {
    throw new SearchFailure(`"${path}.type" "${type}" is not supported by this server: give vectors of your own`);
  }
  return normaliseVectorField(spec);
}

function normaliseVectorField(spec: SpecReader): Doc {
  spec.only('type', 'path', 'numDimensions', 'similarity', 'quantization', 'indexingMethod', 'hnswOptions');
  const path = spec.string('path');
  spec.integer('numDimensions');
  const numDimensions = spec.optionalIntegerWithin('numDimensions', 1, MAX_DIMENSIONS) as number;
  const similarity = spec.oneOf('similarity', SIMILARITIES);
  const quantization = spec.optionalOneOf('quantization', QUANTIZATIONS);
  if (quantization === 'binary' && numDimensions % 8 !== 0) {
    throw new SearchFailure(`numDimensions ${numDimensions} must be a multiple of 8 for binary quantization`);
  }
  const indexingMethod = spec.optionalOneOf('indexingMethod', ['hnsw', 'flat']);
  const options = spec.optionalDocument('hnswOptions');
  if (options !== undefined && indexingMethod === 'flat') {
    throw new SearchFailure('hnswOptions is only supported with "indexingMethod: hnsw".');
  }
  return {
    type: 'vector',
    path,
    numDimensions,
    similarity,
    ...(quantization === undefined ? {} : { quantization }),
    ...(indexingMethod === undefined ? {} : { indexingMethod }),
    ...(options === undefined ? {} : { hnswOptions: normaliseHnswOptions(options) }),
  };
}

function normaliseHnswOptions(spec: SpecReader): Doc {
  spec.only('maxEdges', 'numEdgeCandidates');
  return {
    maxEdges: spec.optionalIntegerWithin('maxEdges', 16, 64) ?? DEFAULT_MAX_EDGES,
    numEdgeCandidates: spec.optionalIntegerWithin('numEdgeCandidates', 100, 3200) ?? DEFAULT_NUM_EDGE_CANDIDATES,
  };
}

function checkPaths(fields: readonly Doc[]): void {
  const paths = fields.map((field) => field.path as string);
  if (new Set(paths).size !== paths.length) {
    throw new SearchFailure('Vector and filter fields should have distinct paths');
  }
  if (!fields.some((field) => field.type === 'vector')) {
    throw new SearchFailure('"definition.fields" must contain at least one vector field');
  }
}

/** Parts of Atlas that this server does not have: refused, never ignored. */
function refuseUnbuilt(spec: SpecReader, fields: readonly Doc[]): void {
  const { storedSource } = spec.doc;
  if (storedSource === true) throw new SearchFailure('storedSource true not allowed for vector indexes');
  if (storedSource !== undefined && storedSource !== null && storedSource !== false) {
    throw new SearchFailure('storedSource is not supported by this server: leave it out');
  }
  const nestedRoot = spec.optionalString('nestedRoot');
  if (nestedRoot === undefined) return;
  const below = fields.some((field) => field.type === 'vector' && (field.path as string).startsWith(`${nestedRoot}.`));
  if (!below) {
    throw new SearchFailure(`nestedRoot "${nestedRoot}" does not match any vector field path in the index definition`);
  }
  throw new SearchFailure('nestedRoot is not supported by this server: index one vector per document');
}
