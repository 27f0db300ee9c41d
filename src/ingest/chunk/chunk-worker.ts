import { createHash } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import { tokenCounterFor } from '../../embed/token-counter.js';
import { Refusal, type RefusalCode } from '../../errors.js';
import type { Chunking } from '../../store/records.js';
import { chunk } from './chunk.js';
import type { ChunkSpan, Portable } from './chunker.js';
import { contextualPrefix } from './embedded-text.js';

/** Work on one text that would hold up the main thread. */
export type TextRequest =
  | {
      readonly kind: 'chunk';
      readonly text: string;
      readonly mediaType: string;
      readonly chunking: Chunking;
      readonly maxInputTokens: number;
      readonly portable: Portable;
    }
  | { readonly kind: 'hash'; readonly text: string };

export type TextReply =
  | { readonly spans: readonly ChunkSpan[] }
  | { readonly hash: string }
  | {
      readonly refusal: {
        readonly code: RefusalCode;
        readonly message: string;
        readonly path: readonly string[] | null;
      };
    }
  | { readonly error: string };

parentPort!.on('message', async (request: TextRequest) => {
  let reply: TextReply;
  try {
    reply = await answer(request);
  } catch (error) {
    reply =
      error instanceof Refusal
        ? { refusal: { code: error.code, message: error.message, path: error.path } }
        : { error: error instanceof Error ? (error.stack ?? error.message) : 'unknown failure' };
  }
  parentPort!.postMessage(reply);
});

async function answer(request: TextRequest): Promise<TextReply> {
  if (request.kind === 'hash') return { hash: createHash('sha256').update(request.text).digest('hex') };
  const { text, portable, ...context } = request;
  const spans = await chunk(text, {
    ...context,
    countTokens: tokenCounterFor(portable.space),
    prefix: contextualPrefix(portable.title),
  });
  return { spans };
}
