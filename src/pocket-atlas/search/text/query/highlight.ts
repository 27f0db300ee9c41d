import type { BsonValue, Doc } from '../../../bson/values.js';
import { isDocument, type SpecReader } from '../../spec-reader.js';
import { analyzerNamed } from '../analysis/analyzers.js';
import type { Expansions } from './expansions.js';
import type { Node } from './node.js';
import { type QueryContext, readStringPaths, type StringPath } from './paths.js';

/** `highlight` of `$search`: where the query's words stand in a hit. Source: MongoDB manual, "Highlight Search Terms". */
export interface HighlightSpec {
  readonly paths: readonly StringPath[];
  readonly maxNumPassages: number;
  /** Characters of a value that are looked at. */
  readonly maxCharsToExamine: number;
}

export function readHighlight(parent: SpecReader, context: QueryContext): HighlightSpec | null {
  const spec = parent.optionalDocument('highlight');
  if (spec === undefined) return null;
  spec.only('path', 'maxNumPassages', 'maxCharsToExamine');
  return {
    paths: readStringPaths(spec, context),
    maxNumPassages: spec.optionalIntegerWithin('maxNumPassages', 1, 2 ** 31 - 1) ?? 5,
    maxCharsToExamine: spec.optionalIntegerWithin('maxCharsToExamine', 1, 2 ** 31 - 1) ?? 500_000,
  };
}

/** Whether a term of a field is one that the query asked for. */
export type IsQueried = (term: string) => boolean;

/** What the query asks of each field: its words, fuzzy ones as the index knows them, and patterns. Negated parts ask nothing. */
export function queriedTerms(root: Node, expansions: Expansions): ReadonlyMap<string, IsQueried> {
  const terms = new Map<string, Set<string>>();
  const patterns = new Map<string, RegExp[]>();
  const visit = (node: Node): void => {
    switch (node.kind) {
      case 'words':
        for (const { term } of (expansions.get(node) ?? []).flat()) addTo(terms, node.key, term);
        return;
      case 'phrase':
        for (const { term } of node.words) addTo(terms, node.key, term);
        return;
      case 'pattern':
        patterns.set(node.key, [...(patterns.get(node.key) ?? []), node.pattern]);
        return;
      case 'any':
        node.children.forEach(visit);
        return;
      case 'compound':
        for (const child of [...node.must, ...node.should]) visit(child);
        return;
      case 'boost':
      case 'constant':
        visit(node.child);
    }
  };
  visit(root);
  const keys = new Set([...terms.keys(), ...patterns.keys()]);
  return new Map(
    Array.from(keys, (key) => [
      key,
      (term) => terms.get(key)?.has(term) === true || (patterns.get(key) ?? []).some((p) => p.test(term)),
    ]),
  );
}

function addTo(map: Map<string, Set<string>>, key: string, value: string): void {
  const set = map.get(key);
  if (set === undefined) map.set(key, new Set([value]));
  else set.add(value);
}

interface Passage {
  readonly path: string;
  readonly score: number;
  readonly start: number;
  readonly text: string;
  /** Offsets into `text`. */
  readonly hits: readonly { readonly start: number; readonly end: number }[];
}

/** The best passages of a document: `[{ score, path, texts: [{ value, type: 'hit' | 'text' }] }]`, best first. */
export function highlightDocument(doc: Doc, spec: HighlightSpec, queried: ReadonlyMap<string, IsQueried>): BsonValue[] {
  const byPath = new Map<string, StringPath[]>();
  for (const path of spec.paths) byPath.set(path.path, [...(byPath.get(path.path) ?? []), path]);
  const passages: Passage[] = [];
  for (const [path, fields] of byPath) {
    for (const value of stringsAt(doc, path.split('.'))) {
      passages.push(...passagesOf(value.slice(0, spec.maxCharsToExamine), path, fields, queried));
    }
  }
  return passages
    .sort((a, b) => b.score - a.score || a.start - b.start)
    .slice(0, spec.maxNumPassages)
    .map(({ path, score, text, hits }) => ({ score: Math.fround(score), path, texts: textsOf(text, hits) }));
}

function passagesOf(
  value: string,
  path: string,
  fields: readonly StringPath[],
  queried: ReadonlyMap<string, IsQueried>,
): Passage[] {
  const hits = hitsIn(value, fields, queried);
  if (hits.length === 0) return [];
  const passages: Passage[] = [];
  let next = 0;
  for (const { segment, index } of sentences(value)) {
    const end = index + segment.length;
    const within: { start: number; end: number; term: string }[] = [];
    while (next < hits.length && hits[next]!.start < end) {
      const hit = hits[next++]!;
      within.push({ start: hit.start - index, end: Math.min(hit.end, end) - index, term: hit.term });
    }
    if (within.length === 0) continue;
    // different words say more than one word again and again; of equal passages the shorter is the better
    const distinct = new Set(within.map(({ term }) => term)).size;
    const score = distinct + within.length / (within.length + 1) - segment.length / (segment.length + 10_000);
    passages.push({ path, score, start: index, text: segment, hits: within });
  }
  return passages;
}

/** Matched words in order, those that overlap joined. */
function hitsIn(
  value: string,
  fields: readonly StringPath[],
  queried: ReadonlyMap<string, IsQueried>,
): { start: number; end: number; term: string }[] {
  const found: { start: number; end: number; term: string }[] = [];
  for (const { key, field } of fields) {
    const isQueried = queried.get(key);
    if (isQueried === undefined) continue;
    analyzerNamed(field.analyzer)(value, (term, _position, start, end) => {
      if (isQueried(term)) found.push({ start, end, term });
    });
  }
  found.sort((a, b) => a.start - b.start || b.end - a.end);
  const joined: { start: number; end: number; term: string }[] = [];
  for (const hit of found) {
    const last = joined[joined.length - 1];
    if (last !== undefined && hit.start < last.end) last.end = Math.max(last.end, hit.end);
    else joined.push({ ...hit });
  }
  return joined;
}

let segmenter: Intl.Segmenter | undefined;

function sentences(value: string): Iterable<{ segment: string; index: number }> {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'sentence' });
  return segmenter.segment(value);
}

function textsOf(text: string, hits: readonly { start: number; end: number }[]): Doc[] {
  const texts: Doc[] = [];
  let at = 0;
  for (const { start, end } of hits) {
    if (start > at) texts.push({ value: text.slice(at, start), type: 'text' });
    texts.push({ value: text.slice(start, end), type: 'hit' });
    at = end;
  }
  if (at < text.length) texts.push({ value: text.slice(at), type: 'text' });
  return texts;
}

function stringsAt(value: BsonValue, path: readonly string[]): string[] {
  if (Array.isArray(value)) return value.flatMap((element) => stringsAt(element, path));
  const [name, ...rest] = path;
  if (name === undefined) return typeof value === 'string' ? [value] : [];
  return isDocument(value) && Object.hasOwn(value, name) ? stringsAt(value[name], rest) : [];
}
