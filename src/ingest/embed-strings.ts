import { createHash } from 'node:crypto';
import type { Embedder } from '../embed/embedder.js';
import { isBlank } from '../embed/text-class.js';
import { Refusal } from '../errors.js';
import type { Chunk } from './chunk/chunker.js';

/** A string longer than the space's limit is embedded as at most so many windows. */
export const MAX_WINDOWS = 16;
/** No model's token covers more characters; only used to refuse what is hopelessly long without counting it. */
const MAX_CHARACTERS_PER_TOKEN = 128;
/** Strings per call: the provider batches them itself; this bounds what an abort or a failure repeats. */
const STRINGS_PER_CALL = 512;

/** Vectors by the SHA-256 of the string they belong to. Kept over attempts, so that nothing is embedded twice. */
export type VectorCache = Map<string, Float32Array>;

export interface EmbeddedStrings {
  /** By the given hashes. */
  readonly vectors: ReadonlyMap<string, Float32Array>;
  /** How many of the strings were longer than the space's limit. */
  readonly averaged: number;
}

/** SHA-256 of the exact string given to the embedder, hex: equal hash, same vector. */
export function embedHash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/**
 * Embeds strings by their hashes in the embedder's space. A string above the space's limit is cut into windows whose
 * vectors are averaged, weighted by their tokens; beyond `MAX_WINDOWS` it is `Refusal` TOO_LARGE. What was embedded
 * before a failure stays in `cache`.
 */
export async function embedStrings(
  strings: ReadonlyMap<string, string>,
  embedder: Embedder,
  options: {
    readonly chunk: Chunk;
    readonly cache: VectorCache;
    readonly signal?: AbortSignal;
    readonly onProgress?: (done: number, total: number) => void;
  },
): Promise<EmbeddedStrings> {
  const windowsOf = new Map<string, readonly Window[]>();
  const pieces = new Map<string, string>();
  for (const [hash, text] of strings) {
    const windows = await cut(text, hash, embedder, options.chunk);
    windowsOf.set(hash, windows);
    for (const window of windows) if (!options.cache.has(window.hash)) pieces.set(window.hash, window.text);
  }
  await embedPieces(pieces, embedder, options);
  const vectors = new Map<string, Float32Array>();
  for (const [hash, windows] of windowsOf) vectors.set(hash, average(windows, options.cache, embedder));
  return { vectors, averaged: [...windowsOf.values()].filter((windows) => windows.length > 1).length };
}

interface Window {
  readonly hash: string;
  readonly text: string;
  readonly tokens: number;
}

async function cut(text: string, hash: string, embedder: Embedder, chunk: Chunk): Promise<readonly Window[]> {
  const limit = embedder.space.maxInputTokens;
  // A token holds at least a byte, so most strings need not be counted.
  if (Buffer.byteLength(text) <= limit) return [{ hash, text, tokens: 1 }];
  if (text.length > MAX_WINDOWS * limit * MAX_CHARACTERS_PER_TOKEN) throw tooLong(embedder, 'far more');
  const tokens = embedder.countTokens(text);
  if (tokens <= limit) return [{ hash, text, tokens }];
  if (tokens > MAX_WINDOWS * limit) throw tooLong(embedder, String(tokens));
  const spans = await chunk(text, {
    mediaType: 'text/plain',
    chunking: {
      strategy: 'TOKEN',
      maxTokens: limit,
      maxCharacters: null,
      overlap: 0,
      parentMaxTokens: null,
      contextual: false,
    },
    countTokens: (piece) => embedder.countTokens(piece),
    maxInputTokens: limit,
    prefix: () => '',
  });
  const windows = spans
    .map((span) => ({ text: text.slice(span.start, span.end), tokens: span.tokenCount }))
    .filter((window) => !isBlank(window.text));
  if (windows.length > MAX_WINDOWS) throw tooLong(embedder, String(tokens));
  return windows.map((window) => ({ ...window, hash: embedHash(window.text) }));
}

async function embedPieces(
  pieces: ReadonlyMap<string, string>,
  embedder: Embedder,
  options: { cache: VectorCache; signal?: AbortSignal; onProgress?: (done: number, total: number) => void },
): Promise<void> {
  const entries = [...pieces];
  for (let start = 0; start < entries.length; start += STRINGS_PER_CALL) {
    options.signal?.throwIfAborted();
    const call = entries.slice(start, start + STRINGS_PER_CALL);
    let done = start;
    const keep = (index: number, vector: Float32Array): void => {
      const hash = call[index]?.[0];
      if (hash === undefined || options.cache.has(hash)) return;
      options.cache.set(hash, vector);
      done++;
      options.onProgress?.(done, entries.length);
    };
    const vectors = await embedder.embed(
      call.map(([, text]) => text),
      { kind: 'document', onVector: keep, ...(options.signal && { signal: options.signal }) },
    );
    for (const [index, vector] of vectors.entries()) keep(index, vector);
  }
}

/** The mean by tokens; of length 1 where the space compares directions. */
function average(windows: readonly Window[], cache: VectorCache, { space }: Embedder): Float32Array {
  const vectors = windows.map(({ hash }) => cache.get(hash) as Float32Array);
  const [first] = vectors;
  if (first === undefined) throw new TypeError('A string to embed has no windows');
  if (vectors.length === 1) return first;
  const mean = new Float32Array(space.dimensions);
  const total = windows.reduce((sum, { tokens }) => sum + tokens, 0);
  for (const [index, vector] of vectors.entries()) {
    const weight = (windows[index] as Window).tokens / total;
    for (let axis = 0; axis < mean.length; axis++)
      mean[axis] = (mean[axis] as number) + weight * (vector[axis] as number);
  }
  if (space.similarity === 'euclidean') return mean;
  const norm = Math.sqrt(mean.reduce((sum, value) => sum + value * value, 0));
  // Opposite windows may cancel out; a direction is needed all the same.
  return norm < 1e-6 ? first : mean.map((value) => value / norm);
}

function tooLong({ space }: Embedder, got: string): Refusal {
  return new Refusal(
    'TOO_LARGE',
    `A chunk may have at most ${MAX_WINDOWS * space.maxInputTokens} tokens (${MAX_WINDOWS} windows of ${space.model}), got ${got}: choose a chunking with smaller chunks`,
    ['input', 'chunking'],
  );
}
