import { Bitmap } from '../../bitmap.js';
import {
  EXISTS,
  type ExactField,
  liveRows,
  type NumericField,
  type Segment,
  type WordsField,
} from '../index/segment.js';
import {
  documentFrequency,
  type FieldStatistics,
  fieldStatistics,
  inverseDocumentFrequency,
  scorePostings,
  termWeight,
} from './bm25.js';
import { type Expansions, nodesOf } from './expansions.js';
import type {
  CompoundNode,
  ExactRangeNode,
  Node,
  NumericRangeNode,
  PatternNode,
  PhraseNode,
  WordsNode,
} from './node.js';
import { matchPhrase } from './phrase.js';
import type { ScoreMemory } from './score-memory.js';

/** Rows of one segment that match, and their scores (null: all 0). Scores of other rows mean nothing. */
export interface Matches {
  readonly rows: Bitmap;
  readonly scores: Float32Array | null;
}

/** Terms that a pattern is tried on, and postings of those it fits, between two looks at the clock. */
const STEPS_PER_LOOK = 20_000;
const STEPS_PER_TERM = 20;

/**
 * Runs a query on every segment, with a pause after each. Statistics are those of the whole index, so that segments agree;
 * the rows are those that live when it begins.
 */
export async function evaluateQuery(
  node: Node,
  segments: readonly Segment[],
  expansions: Expansions,
  memory: ScoreMemory,
  pause: () => Promise<void>,
): Promise<{ segment: Segment; matches: Matches }[]> {
  const evaluation = new Evaluation(segments, expansions, memory);
  const live = segments.map(liveRows);
  const patterns = [...nodesOf(node)].filter((each) => each.kind === 'pattern');
  const results: { segment: Segment; matches: Matches }[] = [];
  for (const [position, segment] of segments.entries()) {
    evaluation.position = position;
    for (const pattern of patterns) evaluation.patternRows.set(pattern, await patternRows(pattern, segment, pause));
    results.push({ segment, matches: evaluation.run(node, segment, live[position]!) });
    await pause();
  }
  return results;
}

class Evaluation {
  /** Of the segment that is being run. */
  position = 0;
  /** What patterns fit in that segment: found beforehand, as a pattern may fit most terms of a large one. */
  readonly patternRows = new Map<PatternNode, Bitmap>();
  private readonly segments: readonly Segment[];
  private readonly statistics = new Map<string, FieldStatistics>();
  private readonly terms = new Map<string, { ordinals: Int32Array; idf: number }>();
  private readonly expansions: Expansions;
  private readonly memory: ScoreMemory;

  constructor(segments: readonly Segment[], expansions: Expansions, memory: ScoreMemory) {
    this.segments = segments;
    this.expansions = expansions;
    this.memory = memory;
  }

  /** The result is within `allowed`. */
  run(node: Node, segment: Segment, allowed: Bitmap): Matches {
    switch (node.kind) {
      case 'words':
        return this.words(node, segment, allowed);
      case 'phrase':
        return this.phrase(node, segment, allowed);
      case 'near':
        return nearScores(node, segment, allowed, this.memory.take(segment.rowCount));
      case 'any':
        return this.any(node.children, segment, allowed);
      case 'compound':
        return this.compound(node, segment, allowed);
      case 'boost':
        return scaled(this.run(node.child, segment, allowed), node.factor);
      case 'constant':
        return this.constantScores(this.rowsOf(node.child, segment, allowed), node.value);
      default:
        return this.constantScores(this.rowsOf(node, segment, allowed), node.kind === 'none' ? 0 : 1);
    }
  }

  /** The rows alone, for those whose scores nobody asks for. */
  private rowsOf(node: Node, segment: Segment, allowed: Bitmap): Bitmap {
    switch (node.kind) {
      case 'pattern':
        return this.patternRows.get(node)!.copy().and(allowed);
      case 'exact':
        return exactRows(segment, segment.exact.get(node.key), node.values).and(allowed);
      case 'exactRange':
        return exactRangeRows(node, segment).and(allowed);
      case 'range':
        return numericRangeRows(node, segment).and(allowed);
      case 'exists':
        return existsRows(node.path, segment).and(allowed);
      case 'all':
        return allowed.copy();
      case 'none':
        return new Bitmap(segment.rowCount);
      default:
        return this.run(node, segment, allowed).rows;
    }
  }

  private words(node: WordsNode, segment: Segment, allowed: Bitmap): Matches {
    const field = segment.words.get(node.key);
    const rows = new Bitmap(segment.rowCount);
    if (field === undefined) return { rows, scores: null };
    const scores = this.memory.take(segment.rowCount);
    const { averageLength } = this.statisticsOf(node.key);
    let remaining: Bitmap | null = null;
    for (const group of this.expansions.get(node) ?? []) {
      const found = node.require === 'all' ? new Bitmap(segment.rowCount) : rows;
      for (const { term, boost } of group) {
        const { ordinals, idf } = this.lookUp(node.key, term);
        const ordinal = ordinals[this.position]!;
        if (ordinal < 0) continue;
        scorePostings(field, ordinal, idf * boost, averageLength, allowed.words, scores, found.words);
      }
      if (node.require === 'all') remaining = remaining === null ? found : remaining.and(found);
    }
    return { rows: remaining ?? rows, scores };
  }

  private phrase(node: PhraseNode, segment: Segment, allowed: Bitmap): Matches {
    const rows = new Bitmap(segment.rowCount);
    const field = segment.words.get(node.key);
    if (field === undefined) return { rows, scores: null };
    const scores = this.memory.take(segment.rowCount);
    const { averageLength } = this.statisticsOf(node.key);
    const weight = node.words.reduce((sum, { term }) => sum + this.lookUp(node.key, term).idf, 0);
    matchPhrase(field, node, (row, freq) => {
      if (!allowed.has(row)) return;
      rows.add(row);
      scores[row] = weight * termWeight(freq, field.lengths[row]!, averageLength);
    });
    return { rows, scores };
  }

  private any(children: readonly Node[], segment: Segment, allowed: Bitmap): Matches {
    const rows = new Bitmap(segment.rowCount);
    const scores = this.memory.take(segment.rowCount);
    for (const child of children) {
      const matches = this.run(child, segment, allowed);
      rows.or(matches.rows);
      addScores(scores, matches);
    }
    return { rows, scores };
  }

  private compound(node: CompoundNode, segment: Segment, within: Bitmap): Matches {
    let allowed = within;
    for (const child of node.filter) allowed = this.rowsOf(child, segment, allowed);
    for (const child of node.mustNot) allowed = allowed.copy().andNot(this.rowsOf(child, segment, allowed));
    const [only, ...more] = [...node.must, ...node.should];
    const mustMatch = node.must.length === 1 || node.filter.length === 0;
    // A single clause scores, and must match: its matches are the answer.
    if (only !== undefined && more.length === 0 && mustMatch && node.minimumShouldMatch <= node.should.length) {
      return this.run(only, segment, allowed);
    }
    const scores = this.memory.take(segment.rowCount);
    for (const child of node.must) {
      const matches = this.run(child, segment, allowed);
      addScores(scores, matches);
      allowed = matches.rows;
    }
    // should alone must match at least once; beside must or filter it only adds to the score
    const required = Math.max(
      node.minimumShouldMatch,
      node.must.length + node.filter.length === 0 && node.should.length > 0 ? 1 : 0,
    );
    const hits = required > 1 ? new Uint16Array(segment.rowCount) : null;
    const matched = new Bitmap(segment.rowCount);
    for (const child of node.should) {
      const matches = this.run(child, segment, allowed);
      addScores(scores, matches);
      matched.or(matches.rows);
      if (hits !== null) for (const row of matches.rows.rows()) hits[row]!++;
    }
    if (required === 0) return { rows: allowed === within ? allowed.copy() : allowed, scores };
    if (hits !== null) for (const row of matched.rows()) if (hits[row]! < required) matched.remove(row);
    return { rows: matched, scores };
  }

  private constantScores(rows: Bitmap, value: number): Matches {
    return { rows, scores: value === 0 ? null : this.memory.take(rows.size).fill(value) };
  }

  private statisticsOf(key: string): FieldStatistics {
    let known = this.statistics.get(key);
    if (known === undefined) {
      known = fieldStatistics(this.segments, key);
      this.statistics.set(key, known);
    }
    return known;
  }

  /** Where a term stands in each segment (-1: nowhere), and what it weighs in all: looked up once for all of them. */
  private lookUp(key: string, term: string): { readonly ordinals: Int32Array; readonly idf: number } {
    const name = `${key}\0${term}`;
    let known = this.terms.get(name);
    if (known === undefined) {
      const { ordinals, frequency } = documentFrequency(this.segments, key, term);
      known = { ordinals, idf: inverseDocumentFrequency(this.statisticsOf(key).rows, frequency) };
      this.terms.set(name, known);
    }
    return known;
  }
}

function addScores(scores: Float32Array, { rows, scores: more }: Matches): void {
  if (more === null) return;
  const { words } = rows;
  for (let i = 0; i < words.length; i++) {
    let word = words[i]!;
    while (word !== 0) {
      const row = (i << 5) + 31 - Math.clz32(word & -word);
      scores[row]! += more[row]!;
      word &= word - 1;
    }
  }
}

function scaled({ rows, scores }: Matches, factor: number): Matches {
  return { rows, scores: scores === null ? null : scores.map((score) => score * factor) };
}

function addPostings(rows: Bitmap, field: ExactField, ordinal: number): void {
  const end = field.postingStarts[ordinal + 1]!;
  for (let i = field.postingStarts[ordinal]!; i < end; i++) rows.add(field.rows[i]!);
}

function exactRows(segment: Segment, field: ExactField | undefined, values: readonly string[]): Bitmap {
  const rows = new Bitmap(segment.rowCount);
  for (const value of values) {
    const ordinal = field?.dictionary.find(value) ?? -1;
    if (ordinal >= 0) addPostings(rows, field!, ordinal);
  }
  return rows;
}

function exactRangeRows({ key, lower, upper }: ExactRangeNode, segment: Segment): Bitmap {
  const rows = new Bitmap(segment.rowCount);
  const field = segment.exact.get(key);
  if (field === undefined) return rows;
  // strings are the keys that begin with s
  const { start, end } = field.dictionary.prefixRange('s');
  for (let ordinal = start; ordinal < end; ordinal++) {
    const order = (bound: string): number => field.dictionary.compareAt(ordinal, Buffer.from(bound));
    if (lower !== null && (lower.inclusive ? order(lower.value) < 0 : order(lower.value) <= 0)) continue;
    if (upper !== null && (upper.inclusive ? order(upper.value) > 0 : order(upper.value) >= 0)) break;
    addPostings(rows, field, ordinal);
  }
  return rows;
}

function numericRangeRows(node: NumericRangeNode, segment: Segment): Bitmap {
  const rows = new Bitmap(segment.rowCount);
  const field = segment.numeric.get(node.key);
  if (field === undefined) return rows;
  for (let i = firstAtLeast(field, node.lower); i < field.values.length; i++) {
    const value = field.values[i]!;
    if (value === node.lower && !node.lowerInclusive) continue;
    if (value > node.upper || (value === node.upper && !node.upperInclusive)) break;
    rows.add(field.rows[i]!);
  }
  return rows;
}

function firstAtLeast({ values }: NumericField, bound: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle]! < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

function nearScores(
  node: { key: string; origin: number; pivot: number },
  segment: Segment,
  allowed: Bitmap,
  scores: Float32Array,
): Matches {
  const rows = new Bitmap(segment.rowCount);
  const field = segment.numeric.get(node.key);
  for (let i = 0; i < (field?.rows.length ?? 0); i++) {
    const row = field!.rows[i]!;
    if (!allowed.has(row)) continue;
    rows.add(row);
    const score = node.pivot / (node.pivot + Math.abs(field!.values[i]! - node.origin));
    scores[row] = Math.max(scores[row]!, score);
  }
  return { rows, scores };
}

function existsRows(path: string, segment: Segment): Bitmap {
  const rows = new Bitmap(segment.rowCount);
  const field = segment.exact.get(EXISTS);
  if (field === undefined) return rows;
  const itself = field.dictionary.find(path);
  if (itself >= 0) addPostings(rows, field, itself);
  const below = field.dictionary.prefixRange(`${path}.`);
  for (let ordinal = below.start; ordinal < below.end; ordinal++) addPostings(rows, field, ordinal);
  return rows;
}

async function patternRows(
  { key, prefix, pattern }: PatternNode,
  segment: Segment,
  pause: () => Promise<void>,
): Promise<Bitmap> {
  const rows = new Bitmap(segment.rowCount);
  const field: WordsField | undefined = segment.words.get(key);
  if (field === undefined) return rows;
  const { start, end } = field.dictionary.prefixRange(prefix);
  let steps = 0;
  for (let ordinal = start; ordinal < end; ordinal++) {
    steps += STEPS_PER_TERM;
    if (pattern.test(field.dictionary.term(ordinal))) {
      addPostings(rows, field, ordinal);
      steps += field.postingStarts[ordinal + 1]! - field.postingStarts[ordinal]!;
    }
    if (steps < STEPS_PER_LOOK) continue;
    await pause();
    steps = 0;
  }
  return rows;
}
