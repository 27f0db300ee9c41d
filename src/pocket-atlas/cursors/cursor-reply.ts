import { Long } from 'bson';
import { encode } from '../bson/encode.js';
import type { Doc } from '../bson/values.js';

const ARRAY = 4;
const DOCUMENT = 3;
const DOCUMENT_END = 0;

export interface Batch {
  readonly name: 'firstBatch' | 'nextBatch';
  readonly documents: readonly Uint8Array[];
  readonly cursorId: bigint;
  readonly namespace: string;
  /** Further fields of the cursor. */
  readonly more?: Doc | undefined;
}

/**
 * `{ cursor: { firstBatch | nextBatch: [...], id, ns, ...more }, ...fields }` around documents that are encoded already.
 * They are neither decoded nor copied until the message is put together.
 */
export class CursorReply {
  readonly #batch: Batch;
  readonly fields: Doc;

  constructor(batch: Batch, fields: Doc = {}) {
    this.#batch = batch;
    this.fields = fields;
  }

  with(fields: Doc): CursorReply {
    return new CursorReply(this.#batch, fields);
  }

  /** The encoded reply in pieces. `rest` is the encoded document of the fields beside the cursor. */
  pieces(rest: Uint8Array): Uint8Array[] {
    const { name, documents, cursorId, namespace, more } = this.#batch;
    const cursorFields = encode({ id: Long.fromBigInt(cursorId), ns: namespace, ...more });
    let arrayBytes = 4 + 1;
    for (let i = 0; i < documents.length; i += 1) arrayBytes += elementHead(i).length + documents[i]!.length;
    // The lengths of the outer documents: their fields, and the fields of the encoded ones without head and end.
    const cursorBytes = 4 + (1 + name.length + 1 + arrayBytes) + (cursorFields.length - 4);
    const totalBytes = 4 + (1 + CURSOR.length + 1 + cursorBytes) + (rest.length - 4);

    const head = Buffer.allocUnsafe(4 + 1 + CURSOR.length + 1 + 4 + 1 + name.length + 1 + 4);
    let at = head.writeInt32LE(totalBytes, 0);
    at = writeName(head, at, DOCUMENT, CURSOR);
    at = head.writeInt32LE(cursorBytes, at);
    at = writeName(head, at, ARRAY, name);
    head.writeInt32LE(arrayBytes, at);

    const pieces: Uint8Array[] = [head];
    for (let i = 0; i < documents.length; i += 1) pieces.push(elementHead(i), documents[i]!);
    pieces.push(ARRAY_END, cursorFields.subarray(4), rest.subarray(4));
    return pieces;
  }
}

const CURSOR = 'cursor';
const ARRAY_END = new Uint8Array([DOCUMENT_END]);

function writeName(buffer: Buffer, at: number, type: number, name: string): number {
  buffer[at] = type;
  const end = at + 1 + buffer.write(name, at + 1, 'latin1');
  buffer[end] = 0;
  return end + 1;
}

/** Heads of array elements are the same in every reply. */
const KEPT_HEADS = 2_048;
const heads: Uint8Array[] = [];

function elementHead(index: number): Uint8Array {
  const kept = heads[index];
  if (kept !== undefined) return kept;
  const head = Buffer.from(`\x03${index}\0`, 'latin1');
  // Filled from the start only, so that the list stays dense.
  if (index === heads.length && index < KEPT_HEADS) heads.push(head);
  return head;
}

/** Bytes that a document adds to a batch at position `index`. */
export function elementBytes(index: number, document: Uint8Array): number {
  return 2 + String(index).length + document.length;
}
