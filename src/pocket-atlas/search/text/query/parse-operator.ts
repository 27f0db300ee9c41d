import type { BsonValue, Doc } from '../../../bson/values.js';
import { SearchFailure } from '../../search-failure.js';
import { isDocument, plainNumber, readSpec, type SpecReader } from '../../spec-reader.js';
import { analyzerNamed, tokensOf } from '../analysis/analyzers.js';
import { queryGram } from '../autocomplete.js';
import { type TypedValue, typedValue } from '../exact-key.js';
import { dateKey, exactKey, gramsKey, numberKey } from '../mapping.js';
import type { Fuzzy, Node } from './node.js';
import { type QueryContext, readQueries, readSinglePath, readStringPaths, type StringPath } from './paths.js';
import { phraseNode } from './phrase-node.js';
import { parseQueryString } from './query-string.js';
import { withScore } from './score.js';
import { compileWildcard } from './wildcard.js';

/**
 * The operators of `$search` (ATLAS.md §3), one parser each: a specification becomes a node, or a SearchFailure with
 * Atlas's text. Source: MongoDB manual, "Operators and Collectors".
 */
type Parse = (spec: SpecReader, context: QueryContext) => Node;

const OPERATORS: Readonly<Record<string, Parse>> = {
  autocomplete: parseAutocomplete,
  compound: parseCompound,
  equals: parseEquals,
  exists: parseExists,
  in: parseIn,
  near: parseNear,
  phrase: parsePhrase,
  queryString: parseQueryStringOperator,
  range: parseRange,
  text: parseText,
  wildcard: parseWildcard,
};

/** Atlas has them, this server does not: refused by name. */
const UNBUILT = [
  'embeddedDocument',
  'geoShape',
  'geoWithin',
  'hasAncestor',
  'hasRoot',
  'knnBeta',
  'moreLikeThis',
  'regex',
  'search',
  'span',
  'term',
  'vectorSearch',
];

export const OPERATOR_NAMES = Object.keys(OPERATORS);

/** The operator that a document holds among other fields, if any. @throws SearchFailure when it holds two. */
export function operatorOf(doc: Doc): string | undefined {
  const unbuilt = UNBUILT.find((name) => Object.hasOwn(doc, name));
  if (unbuilt !== undefined) throw new SearchFailure(`the "${unbuilt}" operator is not supported by this server`);
  const names = OPERATOR_NAMES.filter((name) => Object.hasOwn(doc, name));
  if (names.length > 1) throw new SearchFailure(`only one of [${names.join(', ')}] may be present`);
  return names[0];
}

/** `parent` is the path of the document that holds the operator, for messages. */
export function parseOperator(doc: Doc, parent: string, context: QueryContext): Node {
  const name = operatorOf(doc);
  const at = (field: string): string => (parent === '' ? field : `${parent}.${field}`);
  if (name === undefined) {
    const message = `one of [${[...OPERATOR_NAMES].sort().join(', ')}] must be present`;
    throw new SearchFailure(parent === '' ? message : `"${parent}" ${message}`);
  }
  const value = doc[name];
  if (!isDocument(value)) throw new SearchFailure(`"${at(name)}" must be a document`);
  const spec = readSpec(value, at(name));
  return withScore(spec, OPERATORS[name]!(spec, context));
}

function parseText(spec: SpecReader, context: QueryContext): Node {
  spec.only('query', 'path', 'fuzzy', 'matchCriteria', 'synonyms', 'score');
  if (spec.doc.synonyms !== undefined) spec.fail('synonyms', 'is not supported by this server');
  const queries = readQueries(spec);
  const paths = readStringPaths(spec, context);
  const fuzzy = readFuzzy(spec);
  const require = spec.optionalOneOf('matchCriteria', ['any', 'all']) ?? 'any';
  return anyOf(paths.map((path) => ({ kind: 'words', key: path.key, words: wordsOf(queries, path), require, fuzzy })));
}

function readFuzzy(parent: SpecReader): Fuzzy | null {
  const spec = parent.optionalDocument('fuzzy');
  if (spec === undefined) return null;
  spec.only('maxEdits', 'prefixLength', 'maxExpansions');
  return {
    maxEdits: (spec.optionalIntegerWithin('maxEdits', 1, 2) ?? 2) as 1 | 2,
    prefixLength: spec.optionalIntegerWithin('prefixLength', 0, 1_000) ?? 0,
    maxExpansions: spec.optionalIntegerWithin('maxExpansions', 1, 1_000) ?? 50,
  };
}

function wordsOf(queries: readonly string[], { field }: StringPath): string[] {
  const analyze = analyzerNamed(field.searchAnalyzer);
  return queries.flatMap((query) => tokensOf(analyze, query).map(({ term }) => term));
}

function parsePhrase(spec: SpecReader, context: QueryContext): Node {
  spec.only('query', 'path', 'slop', 'synonyms', 'score');
  if (spec.doc.synonyms !== undefined) spec.fail('synonyms', 'is not supported by this server');
  const queries = readQueries(spec);
  const paths = readStringPaths(spec, context);
  const slop = spec.optionalIntegerWithin('slop', 0, 1_000_000) ?? 0;
  return anyOf(paths.flatMap((path) => queries.map((query) => phraseNode(query, path, slop))));
}

function parseWildcard(spec: SpecReader, context: QueryContext): Node {
  spec.only('query', 'path', 'allowAnalyzedField', 'score');
  const queries = readQueries(spec);
  const paths = readStringPaths(spec, context);
  const allowAnalyzed = spec.boolean('allowAnalyzedField', false);
  const analyzed = paths.find(({ field }) => field.analyzer !== 'lucene.keyword');
  if (analyzed !== undefined && !allowAnalyzed) {
    throw new SearchFailure(
      `Path '${analyzed.path}' is analyzed: set "allowAnalyzedField" to true, or index it with the lucene.keyword analyzer`,
    );
  }
  return anyOf(
    paths.flatMap(({ key }) => queries.map((query): Node => ({ kind: 'pattern', key, ...compileWildcard(query) }))),
  );
}

function parseAutocomplete(spec: SpecReader, { mapping }: QueryContext): Node {
  spec.only('query', 'path', 'tokenOrder', 'fuzzy', 'score');
  const queries = readQueries(spec);
  const path = readSinglePath(spec);
  const field = mapping.autocomplete(path);
  if (field === undefined) throw new SearchFailure(`autocomplete index field definition not present at path ${path}`);
  const fuzzy = readFuzzy(spec);
  const sequential = spec.optionalOneOf('tokenOrder', ['any', 'sequential']) === 'sequential';
  const key = gramsKey(path);
  return anyOf(
    queries.map((query): Node => {
      const tokens = tokensOf(analyzerNamed(field.analyzer), query).map((token) => ({
        ...token,
        term: queryGram(token.term, field),
      }));
      if (sequential && tokens.length > 1) return { kind: 'phrase', key, words: tokens, slop: 0 };
      return { kind: 'words', key, words: tokens.map(({ term }) => term), require: 'all', fuzzy };
    }),
  );
}

function parseCompound(spec: SpecReader, context: QueryContext): Node {
  spec.only('must', 'mustNot', 'should', 'filter', 'minimumShouldMatch', 'score');
  const clauses = (field: string): Node[] => {
    const value = spec.doc[field];
    if (value === undefined || value === null) return [];
    const list = Array.isArray(value) ? value : [value];
    if (list.length === 0) spec.fail(field, 'cannot be empty');
    return list.map((clause, i) => {
      const path = Array.isArray(value) ? `${spec.path}.${field}[${i}]` : `${spec.path}.${field}`;
      if (!isDocument(clause)) throw new SearchFailure(`"${path}" must be a document`);
      return parseOperator(clause, path, context);
    });
  };
  const [must, mustNot, should, filter] = [clauses('must'), clauses('mustNot'), clauses('should'), clauses('filter')];
  if (must.length + mustNot.length + should.length + filter.length === 0) {
    throw new SearchFailure(`"${spec.path}" must have at least one clause`);
  }
  const minimumShouldMatch = spec.optionalIntegerWithin('minimumShouldMatch', 0, Number.MAX_SAFE_INTEGER) ?? 0;
  if (minimumShouldMatch > should.length) {
    spec.fail('minimumShouldMatch', 'cannot be greater than number of should clauses');
  }
  return { kind: 'compound', must, mustNot, should, filter, minimumShouldMatch };
}

function parseEquals(spec: SpecReader, context: QueryContext): Node {
  spec.only('path', 'value', 'score', 'doesNotAffect');
  return exactNode(readSinglePath(spec), [readScalar(spec, 'value', spec.doc.value)], context);
}

function parseIn(spec: SpecReader, context: QueryContext): Node {
  spec.only('path', 'value', 'score', 'doesNotAffect');
  const { value } = spec.doc;
  const values = (Array.isArray(value) ? value : [value]).map((one) => readScalar(spec, 'value', one));
  if (values.length === 0) spec.fail('value', 'cannot be empty');
  if (new Set(values.map(({ type }) => type)).size > 1) spec.fail('value', 'must have elements of the same type');
  return exactNode(readSinglePath(spec), values, context);
}

function readScalar(spec: SpecReader, field: string, value: BsonValue): TypedValue {
  if (value === undefined) return spec.fail(field, 'is required');
  const typed = typedValue(value);
  return typed ?? spec.fail(field, 'must be a boolean, objectId, number, string, date, uuid, or null');
}

/** A string is compared as the `token` field of its path keeps it; without one it matches nothing. */
function exactNode(path: string, values: readonly TypedValue[], { mapping }: QueryContext): Node {
  const token = mapping.token(path);
  const keys: string[] = [];
  const nodes: Node[] = [];
  for (const value of values) {
    if ('number' in value) nodes.push(pointNode(path, value));
    else if (value.type !== 'string') keys.push(value.key);
    else if (token !== undefined) keys.push(token.lowercase ? value.key.toLowerCase() : value.key);
  }
  if (keys.length > 0) nodes.push({ kind: 'exact', key: exactKey(path), values: keys });
  return { kind: 'constant', child: anyOf(nodes), value: 1 };
}

function pointNode(path: string, { type, number }: { type: 'number' | 'date'; number: number }): Node {
  const key = type === 'number' ? numberKey(path) : dateKey(path);
  return { kind: 'range', key, lower: number, lowerInclusive: true, upper: number, upperInclusive: true };
}

function parseRange(spec: SpecReader, { mapping }: QueryContext): Node {
  spec.only('path', 'gt', 'gte', 'lt', 'lte', 'score', 'doesNotAffect');
  const path = readSinglePath(spec);
  const bound = (exclusive: string, inclusive: string): { value: TypedValue; inclusive: boolean } | null => {
    const open = spec.doc[exclusive] ?? undefined;
    const closed = spec.doc[inclusive] ?? undefined;
    if (open !== undefined && closed !== undefined)
      spec.fail(exclusive, `only one of [${exclusive}, ${inclusive}] may be present`);
    if (open !== undefined) return { value: readScalar(spec, exclusive, open), inclusive: false };
    return closed === undefined ? null : { value: readScalar(spec, inclusive, closed), inclusive: true };
  };
  const lower = bound('gt', 'gte');
  const upper = bound('lt', 'lte');
  const first = lower ?? upper;
  if (first === null) throw new SearchFailure(`"${spec.path}" must specify at least one of [lt, lte, gt, gte]`);
  const { type } = first.value;
  if (upper !== null && upper.value.type !== type)
    throw new SearchFailure(`"${spec.path}" bounds must be of the same type`);
  if (type === 'number' || type === 'date') {
    const number = (side: typeof lower, open: number): number =>
      side === null ? open : (side.value as { number: number }).number;
    return {
      kind: 'range',
      key: type === 'number' ? numberKey(path) : dateKey(path),
      lower: number(lower, Number.NEGATIVE_INFINITY),
      lowerInclusive: lower?.inclusive ?? true,
      upper: number(upper, Number.POSITIVE_INFINITY),
      upperInclusive: upper?.inclusive ?? true,
    };
  }
  if (type !== 'string')
    throw new SearchFailure(`"${spec.path}" bounds must be numbers, dates or strings on this server`);
  const token = mapping.token(path);
  if (token === undefined) return { kind: 'none' };
  const key = (side: typeof lower): { value: string; inclusive: boolean } | null => {
    if (side === null) return null;
    const value = (side.value as { key: string }).key;
    return { value: token.lowercase ? value.toLowerCase() : value, inclusive: side.inclusive };
  };
  return { kind: 'exactRange', key: exactKey(path), lower: key(lower), upper: key(upper) };
}

function parseNear(spec: SpecReader): Node {
  spec.only('path', 'origin', 'pivot', 'score');
  const path = readSinglePath(spec);
  const origin = readScalar(spec, 'origin', spec.doc.origin);
  if (origin.type !== 'number' && origin.type !== 'date')
    return spec.fail('origin', 'must be a number or date on this server');
  const pivot = plainNumber(spec.doc.pivot) ?? spec.fail('pivot', 'is required');
  if (!(pivot > 0)) spec.fail('pivot', 'must be positive');
  return {
    kind: 'near',
    key: origin.type === 'number' ? numberKey(path) : dateKey(path),
    origin: origin.number,
    pivot,
  };
}

function parseExists(spec: SpecReader): Node {
  spec.only('path', 'score');
  return { kind: 'exists', path: readSinglePath(spec) };
}

function parseQueryStringOperator(spec: SpecReader, context: QueryContext): Node {
  spec.only('defaultPath', 'query', 'score');
  return parseQueryString(spec.string('query'), spec.string('defaultPath'), context);
}

/** Scores of several paths add; a path that is not indexed adds nothing. */
function anyOf(nodes: readonly Node[]): Node {
  return nodes.length === 1 ? nodes[0]! : { kind: 'any', children: nodes };
}
