import type { Embedder } from '../embed/embedder.js';
import { Refusal } from '../errors.js';
import type { Chunking, NewChunk } from '../store/records.js';
import { normalizeTitle } from '../store/title.js';
import type { Chunk } from './chunk/chunker.js';
import { embeddedText } from './chunk/embedded-text.js';
import { embedHash } from './embed-strings.js';

/** More chunks than this make a document a corpus: 50 MB at the default 400 tokens are some 31 000. */
export const MAX_CHUNKS = 100_000;

export interface CutText {
  readonly chunks: readonly NewChunk[];
  /** What the embedder is given, by `embedHash`; equal chunks share one. */
  readonly strings: ReadonlyMap<string, string>;
}

/** Cuts a canonical text into chunks with what each gives the embedder. */
export async function cutText(
  text: string,
  options: {
    readonly title: string;
    readonly mediaType: string;
    readonly language: string | null;
    readonly chunking: Chunking;
    readonly embedder: Embedder;
    readonly chunk: Chunk;
    readonly signal?: AbortSignal;
  },
): Promise<CutText> {
  const { chunking, embedder, language } = options;
  refuseTooManyChunks(text, chunking);
  const prefix = contextualPrefix(chunking, options.title);
  const spans = await options.chunk(text, {
    mediaType: options.mediaType,
    chunking,
    countTokens: (piece) => embedder.countTokens(piece),
    maxInputTokens: embedder.space.maxInputTokens,
    prefix,
    embed: (texts) => embedder.embed(texts, { kind: 'document', ...(options.signal && { signal: options.signal }) }),
  });
  if (spans.length > MAX_CHUNKS) throw tooManyChunks(String(spans.length));
  const strings = new Map<string, string>();
  const chunks = spans.map((span): NewChunk => {
    const chunkText = text.slice(span.start, span.end);
    const given = embeddedText(prefix(span.headings), span.context, chunkText);
    const hash = embedHash(given);
    strings.set(hash, given);
    return {
      start: span.start,
      end: span.end,
      parentStart: span.parent?.start ?? null,
      parentEnd: span.parent?.end ?? null,
      page: null,
      headings: span.headings,
      language,
      tokenCount: span.tokenCount,
      text: chunkText,
      embedHash: hash,
    };
  });
  return { chunks, strings };
}

/** Title and heading path before the chunk, for the embedder only. The normalised title, so that its spelling is no change. */
export function contextualPrefix(chunking: Chunking, title: string): (headings: readonly string[]) => string {
  if (!chunking.contextual) return () => '';
  const name = normalizeTitle(title);
  return (headings) => `${[name, ...headings].join(' > ')}\n\n`;
}

/** No token is counted yet, so only what would exceed the bound for certain is refused before the work is done. */
function refuseTooManyChunks(text: string, { maxTokens, maxCharacters, overlap }: Chunking): void {
  if (maxCharacters !== null && text.length / (maxCharacters - overlap) > MAX_CHUNKS) throw tooManyChunks('more');
  // Sixteen characters per token is more than any language has.
  if (maxTokens !== null && text.length / (16 * (maxTokens - overlap)) > MAX_CHUNKS) throw tooManyChunks('more');
}

function tooManyChunks(got: string): Refusal {
  return new Refusal('TOO_LARGE', `A document may have at most ${MAX_CHUNKS} chunks, got ${got}: choose larger ones`, [
    'input',
    'chunking',
  ]);
}
