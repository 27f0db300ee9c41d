import type { RefusalCode } from '../../errors.js';

/** What an IMPORT job keeps of a document: this as a line of JSON, then the document's lines as they arrived. */
export type ItemHead =
  /** The number of the first of the lines in the file, for messages. */
  | { readonly firstLine: number }
  /** Damaged on arrival: there is nothing to run, also when the job is tried again. */
  | { readonly refused: { readonly code: RefusalCode; readonly message: string } };

const LINE_FEED = Buffer.from('\n');

export function packItem(head: ItemHead, lines: readonly Buffer[]): Buffer {
  return Buffer.concat([Buffer.from(JSON.stringify(head)), ...lines.flatMap((line) => [LINE_FEED, line]), LINE_FEED]);
}

export function unpackItem(payload: Buffer): { head: ItemHead; lines: Buffer } {
  const end = payload.indexOf('\n');
  return {
    head: JSON.parse(payload.toString('utf8', 0, end)) as ItemHead,
    lines: payload.subarray(end + 1),
  };
}
