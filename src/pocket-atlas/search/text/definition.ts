import type { BsonValue, Doc } from '../../bson/values.js';
import { SearchFailure } from '../search-failure.js';
import { isDocument, readSpec, type SpecReader } from '../spec-reader.js';
import { ANALYZER_NAMES, isAnalyzer } from './analysis/analyzers.js';

/**
 * The definition of a `search` index (ATLAS.md §3). What this server does not index is refused by name, so that nobody
 * wonders why a field is never found. Source: MongoDB manual, "How to Define Field Mappings".
 */
export const DEFAULT_ANALYZER = 'lucene.standard';

const FIELD_TYPES = [
  'string',
  'token',
  'autocomplete',
  'number',
  'date',
  'boolean',
  'objectId',
  'uuid',
  'document',
  'stringFacet',
  'numberFacet',
  'dateFacet',
] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

const UNBUILT_TYPES = ['embeddedDocuments', 'geo', 'vector', 'knnVector'];

export interface TextIndexDefinition {
  readonly analyzer: string;
  readonly searchAnalyzer: string;
  readonly root: DocumentMapping;
}

export interface DocumentMapping {
  readonly dynamic: boolean;
  readonly fields: ReadonlyMap<string, readonly FieldMapping[]>;
}

export type FieldMapping =
  | { readonly type: 'document'; readonly document: DocumentMapping }
  | StringMapping
  | { readonly type: 'token'; readonly lowercase: boolean }
  | AutocompleteMapping
  | { readonly type: 'number' | 'date' | 'boolean' | 'objectId' | 'uuid' };

export interface StringMapping {
  readonly type: 'string';
  readonly analyzer: string;
  readonly searchAnalyzer: string;
  /** Longer values are not indexed; characters. */
  readonly ignoreAbove: number;
  readonly multi: ReadonlyMap<string, StringMapping>;
}

export interface AutocompleteMapping {
  readonly type: 'autocomplete';
  readonly analyzer: string;
  readonly minGrams: number;
  readonly maxGrams: number;
  readonly foldDiacritics: boolean;
  readonly tokenization: 'edgeGram' | 'rightEdgeGram' | 'nGram';
}

/** Checks a definition and returns it as given, the default analyzer left implicit as Atlas does. @throws SearchFailure */
export function normaliseTextDefinition(definition: Doc): Doc {
  readTextDefinition(definition);
  return definition;
}

export function isSameTextDefinition(a: Doc, b: Doc): boolean {
  return canonical(a) === canonical(b);
}

function canonical(value: BsonValue): string {
  if (!isDocument(value)) return JSON.stringify(value);
  const fields = Object.keys(value).sort();
  return `{${fields.map((field) => `${JSON.stringify(field)}:${canonical(value[field])}`).join(',')}}`;
}

export function readTextDefinition(definition: Doc): TextIndexDefinition {
  const spec = readSpec(definition, 'definition');
  spec.only(
    'mappings',
    'analyzer',
    'searchAnalyzer',
    'analyzers',
    'synonyms',
    'storedSource',
    'typeSets',
    'numPartitions',
    'nestedRoot',
  );
  refuseUnbuilt(spec);
  const analyzer = readAnalyzer(spec, 'analyzer', DEFAULT_ANALYZER);
  const searchAnalyzer = readAnalyzer(spec, 'searchAnalyzer', analyzer);
  const mappings = spec.optionalDocument('mappings') ?? spec.fail('mappings', 'is required');
  mappings.only('dynamic', 'fields');
  return { analyzer, searchAnalyzer, root: readDocument(mappings, { analyzer, searchAnalyzer }) };
}

interface Defaults {
  readonly analyzer: string;
  readonly searchAnalyzer: string;
}

function readDocument(spec: SpecReader, defaults: Defaults): DocumentMapping {
  const { dynamic } = spec.doc;
  if (isDocument(dynamic)) spec.fail('dynamic', 'with a typeSet is not supported by this server: use true or false');
  const fields = new Map<string, FieldMapping[]>();
  const given = spec.optionalDocument('fields');
  for (const [name, value] of Object.entries(given?.doc ?? {})) {
    const path = `${given!.path}.${name}`;
    const list = Array.isArray(value) ? value : [value];
    fields.set(
      name,
      list.flatMap((one, i) => readField(one, Array.isArray(value) ? `${path}[${i}]` : path, defaults)),
    );
  }
  return { dynamic: spec.boolean('dynamic', false), fields };
}

function readField(value: BsonValue, path: string, defaults: Defaults): FieldMapping[] {
  if (!isDocument(value)) throw new SearchFailure(`"${path}" must be a document`);
  const spec = readSpec(value, path);
  const type = spec.string('type');
  if (UNBUILT_TYPES.includes(type)) spec.fail('type', `"${type}" is not supported by this server`);
  switch (spec.oneOf('type', FIELD_TYPES)) {
    case 'string':
      return [readString(spec, defaults)];
    case 'token':
      spec.only('type', 'normalizer');
      return [{ type: 'token', lowercase: spec.optionalOneOf('normalizer', ['none', 'lowercase']) === 'lowercase' }];
    case 'stringFacet':
      spec.only('type');
      return [{ type: 'token', lowercase: false }];
    case 'autocomplete':
      return [readAutocomplete(spec, defaults)];
    case 'document':
      spec.only('type', 'dynamic', 'fields');
      return [{ type: 'document', document: readDocument(spec, defaults) }];
    case 'number':
    case 'numberFacet':
      spec.only('type', 'representation', 'indexDoubles', 'indexIntegers');
      return [{ type: 'number' }];
    case 'date':
    case 'dateFacet':
      spec.only('type');
      return [{ type: 'date' }];
    case 'boolean':
      spec.only('type');
      return [{ type: 'boolean' }];
    case 'objectId':
      spec.only('type');
      return [{ type: 'objectId' }];
    case 'uuid':
      spec.only('type');
      return [{ type: 'uuid' }];
  }
}

function readString(spec: SpecReader, defaults: Defaults): StringMapping {
  spec.only(
    'type',
    'analyzer',
    'searchAnalyzer',
    'ignoreAbove',
    'indexOptions',
    'store',
    'norms',
    'similarity',
    'multi',
  );
  spec.optionalOneOf('indexOptions', ['offsets', 'positions', 'freqs', 'docs']);
  if (spec.optionalOneOf('norms', ['include', 'omit']) === 'omit')
    spec.fail('norms', '"omit" is not supported by this server');
  const similarity = spec.optionalDocument('similarity')?.string('type');
  if (similarity !== undefined && similarity !== 'bm25') {
    spec.fail('similarity.type', `"${similarity}" is not supported by this server: only bm25 is`);
  }
  const analyzer = readAnalyzer(spec, 'analyzer', defaults.analyzer);
  const own = {
    analyzer,
    searchAnalyzer: readAnalyzer(spec, 'searchAnalyzer', spec.doc.analyzer ? analyzer : defaults.searchAnalyzer),
  };
  const multi = new Map<string, StringMapping>();
  const given = spec.optionalDocument('multi');
  for (const [name, value] of Object.entries(given?.doc ?? {})) {
    if (!isDocument(value)) throw new SearchFailure(`"${given!.path}.${name}" must be a document`);
    const inner = readSpec(value, `${given!.path}.${name}`);
    if (inner.string('type') !== 'string') inner.fail('type', 'must be one of [string]');
    multi.set(name, readString(inner, defaults));
  }
  return {
    type: 'string',
    ...own,
    ignoreAbove: spec.optionalInteger('ignoreAbove') ?? Number.POSITIVE_INFINITY,
    multi,
  };
}

const MAX_GRAMS = 30;

function readAutocomplete(spec: SpecReader, defaults: Defaults): AutocompleteMapping {
  spec.only('type', 'analyzer', 'minGrams', 'maxGrams', 'foldDiacritics', 'tokenization', 'similarity');
  const minGrams = spec.optionalIntegerWithin('minGrams', 1, MAX_GRAMS) ?? 2;
  const maxGrams = spec.optionalIntegerWithin('maxGrams', 1, MAX_GRAMS) ?? 15;
  if (minGrams > maxGrams) spec.fail('minGrams', `cannot be greater than maxGrams, got ${minGrams} and ${maxGrams}`);
  return {
    type: 'autocomplete',
    analyzer: readAnalyzer(spec, 'analyzer', defaults.analyzer),
    minGrams,
    maxGrams,
    foldDiacritics: spec.boolean('foldDiacritics', true),
    tokenization: spec.optionalOneOf('tokenization', ['edgeGram', 'rightEdgeGram', 'nGram']) ?? 'edgeGram',
  };
}

function readAnalyzer(spec: SpecReader, field: string, fallback: string): string {
  const name = spec.optionalString(field) ?? fallback;
  if (isAnalyzer(name)) return name;
  return spec.fail(field, `"${name}" is not an analyzer of this server: ${ANALYZER_NAMES.join(', ')}`);
}

function refuseUnbuilt(spec: SpecReader): void {
  const { storedSource, nestedRoot } = spec.doc;
  if (nestedRoot !== undefined && nestedRoot !== null) spec.fail('nestedRoot', 'is not supported for search indexes');
  if (storedSource !== undefined && storedSource !== null && storedSource !== false) {
    spec.fail('storedSource', 'is not supported by this server: leave it out');
  }
  for (const field of ['analyzers', 'synonyms', 'typeSets']) {
    const list = spec.optionalArray(field);
    if (list !== undefined && list.length > 0) spec.fail(field, 'is not supported by this server: leave it out');
  }
  spec.optionalInteger('numPartitions');
}
