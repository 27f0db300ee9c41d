import type { TokenCounter } from '../token-counter.js';

/** Limits of one request: OpenAI takes 2 048 inputs and 300 000 tokens; bytes stand for tokens, which are never more. */
export const BATCH_LIMITS = { texts: 2_048, bytes: 600_000 } as const;
/** Smaller batches spread over the concurrent requests, but not below this. */
const SMALLEST_SPREAD = 32;

/** What a request may count beside `BATCH_LIMITS`, where tokens are counted at all. */
export interface TokenLimit {
  readonly tokens: number;
  readonly count: TokenCounter;
}

/** Positions `[from, to)` of `texts` that go into one request each, in order. A text above a limit goes alone. */
export function batchesOf(
  texts: readonly string[],
  concurrency: number,
  limit: TokenLimit | null = null,
): { from: number; to: number }[] {
  const spread = Math.max(SMALLEST_SPREAD, Math.ceil(texts.length / concurrency));
  const most = Math.min(BATCH_LIMITS.texts, spread);
  const batches: { from: number; to: number }[] = [];
  let from = 0;
  let bytes = 0;
  let tokens = 0;
  for (const [at, text] of texts.entries()) {
    const size = Buffer.byteLength(text);
    const count = limit === null ? 0 : limit.count(text);
    const isFull =
      at - from >= most || bytes + size > BATCH_LIMITS.bytes || (limit !== null && tokens + count > limit.tokens);
    if (at > from && isFull) {
      batches.push({ from, to: at });
      from = at;
      bytes = 0;
      tokens = 0;
    }
    bytes += size;
    tokens += count;
  }
  if (from < texts.length) batches.push({ from, to: texts.length });
  return batches;
}
