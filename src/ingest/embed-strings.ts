import { createHash } from 'node:crypto';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Embedder, EmbedOptions } from '../embed/embedder.js';
import { WINDOW_LIMIT } from '../embed/windowed.js';
import { Refusal } from '../errors.js';

/** Strings per call: the provider batches them itself; this bounds what an abort or a failure repeats. */
const STRINGS_PER_CALL = 512;
/** Of an embedder that works in this thread: some milliseconds, after which requests of others have their turn. */
const STRINGS_PER_TURN = 32;
/** Groups that are embedded at the same time; the provider has its own limit for all callers. */
const GROUPS_AT_ONCE = 4;

/** Vectors by the SHA-256 of the string they belong to. Kept over attempts, so that nothing is embedded twice. */
export type VectorCache = Map<string, Float32Array>;

/** SHA-256 of the exact string given to the embedder, hex: equal hash, same vector. */
export function embedHash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** A string with its tokens in the embedder's space. */
export interface CountedString {
  readonly text: string;
  readonly tokens: number;
  /** Strings of one group are embedded in view of each other where the embedder can (late-chunking.ts); in order. */
  readonly group?: string;
}

/**
 * How many of the strings are longer than the space's limit, so that the vectors of their windows will be averaged.
 * Throws `Refusal` TOO_LARGE for more than sixteen windows, before anything is spent.
 */
export function countAveraged(strings: Iterable<CountedString>, { space }: Embedder): number {
  let averaged = 0;
  for (const { tokens } of strings) {
    if (tokens > WINDOW_LIMIT * space.maxInputTokens)
      throw new Refusal(
        'TOO_LARGE',
        `A chunk may have at most ${WINDOW_LIMIT * space.maxInputTokens} tokens (${WINDOW_LIMIT} windows of ${space.model}), got ${tokens}: choose a chunking with smaller chunks`,
        ['input', 'chunking'],
      );
    if (tokens > space.maxInputTokens) averaged++;
  }
  return averaged;
}

/** Embeds strings by their hashes, those in `cache` excepted. What was embedded before a failure stays in `cache`. */
export async function embedStrings(
  strings: ReadonlyMap<string, CountedString>,
  embedder: Embedder,
  options: {
    readonly cache: VectorCache;
    readonly signal?: AbortSignal;
    readonly onProgress?: (done: number, total: number) => void;
    /** Each new vector as it arrives, after it is in `cache`. */
    readonly onVector?: (hash: string, vector: Float32Array) => void;
  },
): Promise<ReadonlyMap<string, Float32Array>> {
  const { cache, signal, onProgress } = options;
  const perCall = embedder.isInstant ? STRINGS_PER_TURN : STRINGS_PER_CALL;
  const calls = callsFor(strings, cache, { byGroup: embedder.lateChunking !== undefined, perCall });
  const total = calls.reduce((sum, { entries }) => sum + entries.length, 0);
  let done = 0;
  const run = async ({ entries, together }: Call): Promise<void> => {
    signal?.throwIfAborted();
    const keep = (index: number, vector: Float32Array): void => {
      const hash = entries[index]?.[0];
      if (hash === undefined || cache.has(hash)) return;
      cache.set(hash, vector);
      options.onVector?.(hash, vector);
      onProgress?.(++done, total);
    };
    const texts = entries.map(([, { text }]) => text);
    const embedOptions: EmbedOptions = { kind: 'document', onVector: keep, ...(signal && { signal }) };
    const vectors = await embedder.embed(texts, together ? { ...embedOptions, together } : embedOptions);
    for (const [index, vector] of vectors.entries()) keep(index, vector);
  };
  for (const [index, call] of calls.filter(({ together }) => !together).entries()) {
    if (index > 0 && embedder.isInstant) await yieldToOthers();
    await run(call);
  }
  const groups = calls.filter(({ together }) => together);
  for (let at = 0; at < groups.length; at += GROUPS_AT_ONCE) {
    const ends = await Promise.allSettled(groups.slice(at, at + GROUPS_AT_ONCE).map(run));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }
  return new Map([...strings.keys()].map((hash) => [hash, vectorOf(hash, cache)]));
}

interface Call {
  readonly entries: readonly (readonly [hash: string, string: CountedString])[];
  readonly together: boolean;
}

/** What is to be asked: single strings many at a time, a group whole or not at all. */
function callsFor(
  strings: ReadonlyMap<string, CountedString>,
  cache: VectorCache,
  { byGroup, perCall }: { byGroup: boolean; perCall: number },
): Call[] {
  const single: [string, CountedString][] = [];
  const groups = new Map<string, [string, CountedString][]>();
  for (const entry of strings) {
    const { group } = entry[1];
    if (!byGroup || group === undefined) {
      if (!cache.has(entry[0])) single.push(entry);
      continue;
    }
    const members = groups.get(group);
    if (members === undefined) groups.set(group, [entry]);
    else members.push(entry);
  }
  const calls: Call[] = [];
  for (let start = 0; start < single.length; start += perCall)
    calls.push({ entries: single.slice(start, start + perCall), together: false });
  for (const entries of groups.values())
    if (entries.some(([hash]) => !cache.has(hash))) calls.push({ entries, together: true });
  return calls;
}

function vectorOf(hash: string, cache: VectorCache): Float32Array {
  const vector = cache.get(hash);
  if (vector === undefined) throw new TypeError('The embedder returned fewer vectors than it was given strings');
  return vector;
}
