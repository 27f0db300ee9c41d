import { parentPort, workerData } from 'node:worker_threads';
import { Encoder } from './encoder.js';
import { LOAD_STATE, type ModelLease } from './shared-model.js';
import { textVector } from './text-vector.js';
import { loadWeights } from './weights.js';

/** Embeds one text at a time: the parent decides what comes next. */
export interface EmbedRequest {
  readonly id: number;
  readonly text: string;
}
export type EmbedReply =
  | { readonly id: number; readonly vector: Float32Array }
  | { readonly id: number; readonly error: string };

/** Another thread reads 27 MB of files. */
const LOAD_LIMIT_MS = 60_000;

const lease = workerData as ModelLease;
let encoder: Encoder | undefined;

parentPort!.on('message', ({ id, text }: EmbedRequest) => {
  let reply: EmbedReply;
  try {
    encoder ??= loadedEncoder();
    reply = { id, vector: textVector(encoder, text) };
  } catch (error) {
    reply = { id, error: error instanceof Error ? error.message : 'unknown failure' };
  }
  parentPort!.postMessage(reply);
});

function loadedEncoder(): Encoder {
  const state = new Int32Array(lease.state);
  const { EMPTY, LOADING, LOADED } = LOAD_STATE;
  if (Atomics.compareExchange(state, 0, EMPTY, LOADING) === EMPTY) {
    try {
      loadWeights(new Float32Array(lease.memory.buffer));
      Atomics.store(state, 0, LOADED);
    } catch (error) {
      Atomics.store(state, 0, EMPTY);
      throw error;
    } finally {
      Atomics.notify(state, 0);
    }
  } else if (Atomics.wait(state, 0, LOADING, LOAD_LIMIT_MS) === 'timed-out' || Atomics.load(state, 0) !== LOADED) {
    // the thread that was loading failed or ended: the next text tries again
    Atomics.compareExchange(state, 0, LOADING, EMPTY);
    throw new Error('Another thread could not load the model');
  }
  return new Encoder(lease.memory, lease.slot);
}
