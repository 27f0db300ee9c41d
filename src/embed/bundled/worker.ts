import { parentPort } from 'node:worker_threads';
import { loadModel } from './model.js';
import { bundledTokens } from './tokenizer.js';

/** Embeds one text at a time: the parent decides what comes next, so a query waits for one text at most. */
export interface EmbedRequest {
  readonly id: number;
  readonly text: string;
}
export type EmbedReply =
  | { readonly id: number; readonly vector: Float32Array }
  | { readonly id: number; readonly error: string };

const model = loadModel();
// a failed load is reported by the first request
model.catch(() => {});

parentPort!.on('message', async ({ id, text }: EmbedRequest) => {
  let reply: EmbedReply;
  try {
    const vector = await (await model).embed(bundledTokens(text));
    reply = { id, vector };
  } catch (error) {
    reply = { id, error: error instanceof Error ? error.message : 'unknown failure' };
  }
  parentPort!.postMessage(reply);
});
