import { parentPort } from 'node:worker_threads';
import { runInBackground } from '../embed/background-thread.js';
import type { EmbedderSpace } from '../embed/embedder.js';
import { progressPort } from '../embed/progress-port.js';
import { type TokenCounter, tokenCounterFor } from '../embed/token-counter.js';
import { AppError, type ErrorCode, Refusal, type RefusalCode } from '../errors.js';
import { chunk } from './chunk/chunk.js';
import { type CutPiece, type CutRequest, cutPieces } from './cut-text.js';

export interface CutJob {
  readonly text: string;
  readonly request: CutRequest;
  /** The active one first. */
  readonly spaces: readonly Pick<EmbedderSpace, 'provider' | 'model'>[];
}

/** Errors by their parts: the class does not survive the way between threads. */
export type CutReply =
  | { readonly pieces: readonly CutPiece[] }
  | { readonly refusal: { code: RefusalCode; message: string; path: readonly string[] | null } }
  | { readonly failure: { code: ErrorCode | null; message: string } };

runInBackground();
parentPort?.on('message', async (job: CutJob) => {
  parentPort?.postMessage(await cut(job));
});

/**
 * How far chunkers are is what they have counted: four to seven times the text (measured), for where to cut it, for the overlap,
 * for the pieces and what is put in front of them.
 */
const TIMES_COUNTED = 5;

function toldOf(count: TokenCounter, length: number): TokenCounter {
  const tell = progressPort(parentPort);
  const total = TIMES_COUNTED * length;
  let done = 0;
  return (piece) => {
    done += piece.length;
    tell(Math.min(done, total), total);
    return count(piece);
  };
}

async function cut({ text, request, spaces }: CutJob): Promise<CutReply> {
  try {
    const [active, ...others] = spaces.map(tokenCounterFor) as [TokenCounter, ...TokenCounter[]];
    const counters: [TokenCounter, ...TokenCounter[]] = [toldOf(active, text.length), ...others];
    return { pieces: await cutPieces(text, request, { chunk, counters }) };
  } catch (error) {
    if (error instanceof Refusal) return { refusal: { code: error.code, message: error.message, path: error.path } };
    const message = error instanceof Error ? error.message : 'unknown failure';
    return { failure: { code: error instanceof AppError ? error.code : null, message } };
  }
}
