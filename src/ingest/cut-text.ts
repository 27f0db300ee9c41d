import type { TokenCounter } from '../embed/token-counter.js';
import { Refusal } from '../errors.js';
import type { Chunking, NewChunk } from '../store/records.js';
import { normalizeTitle } from '../store/title.js';
import type { Chunk, ChunkSpan } from './chunk/chunker.js';
import { embeddedText } from './chunk/embedded-text.js';
import { embedHash } from './embed-strings.js';

/** More chunks than this make a document a corpus: 50 MB at the default 400 tokens are some 31 000. */
export const MAX_CHUNKS = 100_000;

/** What cutting needs to know beside the text; plain values, so that a worker thread can be told. */
export interface CutRequest {
  readonly title: string;
  readonly mediaType: string;
  readonly chunking: Chunking;
  /** The active space's limit. */
  readonly maxInputTokens: number;
  /** Left free in each chunk for what is put in front of it later; default 0. */
  readonly reservedTokens?: number;
}

/** A chunk before it is put together with its text. */
export interface CutPiece extends Omit<ChunkSpan, 'context'> {
  readonly embedHash: string;
  /** The string given to the embedder; null: the chunk's own text. */
  readonly given: string | null;
  /** Its tokens in each space, in the order of the counters. */
  readonly tokens: readonly number[];
  /** Those it is embedded in view of; then `embedHash` is of more than `given`. */
  readonly group?: string;
}

/** A string for the embedder, with its tokens in each space. */
export interface EmbedString {
  readonly text: string;
  readonly tokens: readonly number[];
  readonly group?: string;
}

export interface CutText {
  readonly chunks: readonly NewChunk[];
  /** By `embedHash`; equal chunks share one. */
  readonly strings: ReadonlyMap<string, EmbedString>;
}

/**
 * Cuts a canonical text. `counters` are those of the spaces that will get vectors, the active one first: chunks are made
 * for its limit. Throws `Refusal` as the chunkers do, and TOO_LARGE above `MAX_CHUNKS`.
 */
export async function cutPieces(
  text: string,
  request: CutRequest,
  parts: {
    readonly chunk: Chunk;
    readonly counters: readonly [TokenCounter, ...TokenCounter[]];
    readonly embed?: (texts: readonly string[]) => Promise<Float32Array[]>;
  },
): Promise<readonly CutPiece[]> {
  const { chunking } = request;
  refuseTooManyChunks(text, chunking);
  const prefix = contextualPrefix(chunking, request.title);
  const [countTokens, ...others] = parts.counters;
  refuseTooManyTokens(text, request, countTokens);
  const spans = await parts.chunk(text, {
    mediaType: request.mediaType,
    countTokens,
    ...withReserve(request),
    prefix,
    ...(parts.embed && { embed: parts.embed }),
  });
  if (spans.length > MAX_CHUNKS) throw tooManyChunks(String(spans.length));
  return spans.map(({ context, ...span }): CutPiece => {
    const own = text.slice(span.start, span.end);
    const given = embeddedText(prefix(span.headings), context, own);
    const isOwn = given === own;
    return {
      ...span,
      embedHash: embedHash(given),
      given: isOwn ? null : given,
      tokens: [isOwn ? span.tokenCount : countTokens(given), ...others.map((count) => count(given))],
    };
  });
}

/** The room that chunks may fill. */
function withReserve({ chunking, maxInputTokens, reservedTokens = 0 }: CutRequest): {
  chunking: Chunking;
  maxInputTokens: number;
} {
  const limit = maxInputTokens - reservedTokens;
  if (reservedTokens === 0 || chunking.maxTokens === null) return { chunking, maxInputTokens: limit };
  const maxTokens = chunking.maxTokens - reservedTokens;
  // an overlap that left the window its progress still does
  return {
    chunking: { ...chunking, maxTokens, overlap: Math.min(chunking.overlap, maxTokens - 1) },
    maxInputTokens: limit,
  };
}

/** What the embedder is given for a piece of `text`. */
export function stringOf(text: string, { given, start, end }: CutPiece): string {
  return given ?? text.slice(start, end);
}

/** Puts pieces together with the text that they were cut from. */
export function assembleChunks(
  source: {
    readonly text: string;
    readonly language: string | null;
    /** As `ExtractedFile` has them. */
    readonly pageStarts: readonly number[] | null;
  },
  pieces: readonly CutPiece[],
): CutText {
  const { text, language } = source;
  const strings = new Map<string, EmbedString>();
  const chunks = pieces.map((piece): NewChunk => {
    const own = text.slice(piece.start, piece.end);
    const { tokens, group } = piece;
    strings.set(piece.embedHash, { text: piece.given ?? own, tokens, ...(group !== undefined && { group }) });
    // The string always ends with the chunk (see embeddedText).
    const embedPrefix = piece.given?.slice(0, piece.given.length - own.length) ?? '';
    return {
      start: piece.start,
      end: piece.end,
      parentStart: piece.parent?.start ?? null,
      parentEnd: piece.parent?.end ?? null,
      page: source.pageStarts === null ? null : pageAt(source.pageStarts, piece.start),
      headings: piece.headings,
      language,
      tokenCount: piece.tokenCount,
      text: own,
      ...(embedPrefix !== '' && { embedPrefix }),
      embedHash: piece.embedHash,
    };
  });
  return { chunks, strings };
}

/** 1-based; the last of several pages that begin at the same place, those before it being empty. */
function pageAt(pageStarts: readonly number[], at: number): number {
  let low = 0;
  let high = pageStarts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (pageStarts[middle]! <= at) low = middle + 1;
    else high = middle;
  }
  return Math.max(1, low);
}

/** Title and heading path before the chunk, for the embedder only. The normalised title, so that its spelling is no change. */
export function contextualPrefix(
  { contextual }: Pick<Chunking, 'contextual'>,
  title: string,
): (headings: readonly string[]) => string {
  if (!contextual) return () => '';
  const name = normalizeTitle(title);
  return (headings) => `${[name, ...headings].join(' > ')}\n\n`;
}

/** No token is counted yet, so only what would exceed the bound for certain is refused before the work is done. */
function refuseTooManyChunks(text: string, { maxTokens, maxCharacters, overlap }: Chunking): void {
  if (maxCharacters !== null && text.length / (maxCharacters - overlap) > MAX_CHUNKS) throw tooManyChunks('more');
  // Sixteen characters per token is more than any language has.
  if (maxTokens !== null && text.length / (16 * (maxTokens - overlap)) > MAX_CHUNKS) throw tooManyChunks('more');
}

/** Counted at once. A word that is cut in two counts no less. */
const COUNTED_AT_ONCE = 64 * 1024;

/**
 * A text dense in tokens may pass the bound though it is not long: where that is possible at all its tokens are counted, up
 * to where too many are certain. Cutting it to see would take all the memory that a refusal is there to save.
 */
function refuseTooManyTokens(text: string, { chunking, maxInputTokens }: CutRequest, count: TokenCounter): void {
  if (chunking.maxTokens === null) return;
  const perChunk = Math.min(chunking.maxTokens, maxInputTokens);
  // RECURSIVE leaves room for the overlap in each of its pieces, as far as that is half of one.
  const overlap = chunking.strategy === 'RECURSIVE' ? Math.min(chunking.overlap, Math.floor(perChunk / 2)) : 0;
  const certain = MAX_CHUNKS * (perChunk - overlap);
  // No vocabulary has more than a token for each byte of UTF-8, of which a code unit takes three at most.
  if (3 * text.length <= certain) return;
  let tokens = 0;
  for (let start = 0; start < text.length; start += COUNTED_AT_ONCE) {
    tokens += count(text.slice(start, start + COUNTED_AT_ONCE));
    if (tokens > certain) throw tooManyChunks('more');
  }
}

function tooManyChunks(got: string): Refusal {
  return new Refusal('TOO_LARGE', `A document may have at most ${MAX_CHUNKS} chunks, got ${got}: choose larger ones`, [
    'input',
    'chunking',
  ]);
}
