import { parentPort } from 'node:worker_threads';
import { runInBackground } from '../../embed/background-thread.js';
import { progressPort } from '../../embed/progress-port.js';
import { type ExtractedFile, NotExtractable, type NotExtractableKind } from './extracted-file.js';
import { readFile } from './read-file.js';

export interface ExtractJob {
  readonly bytes: Uint8Array;
  readonly name: string;
  readonly declared: string | null;
}

/** Errors by their parts: the class does not survive the way between threads. */
export type ExtractReply =
  | { readonly file: ExtractedFile }
  | { readonly notExtractable: { readonly kind: NotExtractableKind; readonly message: string } }
  | { readonly failure: string };

runInBackground();
parentPort?.on('message', async (job: ExtractJob) => {
  parentPort?.postMessage(await answer(job));
});

async function answer({ bytes, name, declared }: ExtractJob): Promise<ExtractReply> {
  try {
    return { file: await readFile(bytes, name, declared, progressPort(parentPort)) };
  } catch (error) {
    if (error instanceof NotExtractable) return { notExtractable: { kind: error.kind, message: error.message } };
    return { failure: error instanceof Error ? (error.stack ?? error.message) : 'unknown failure' };
  }
}
