import { Long } from 'bson';
import { encode } from '../bson/encode.js';
import type { Doc } from '../bson/values.js';
import { EncodedReply } from '../commands/command.js';
import { joinDocuments, rawArray, wrapDocument } from '../wire/raw-document.js';

/** `{ cursor: { firstBatch | nextBatch: [...], id, ns, …more } }` around documents that are encoded already. */
export function cursorReply(
  batchName: 'firstBatch' | 'nextBatch',
  documents: readonly Uint8Array[],
  id: bigint,
  namespace: string,
  more: Doc = {},
): EncodedReply {
  const batch = wrapDocument(batchName, rawArray(documents), 4);
  return new EncodedReply(
    wrapDocument('cursor', joinDocuments(batch, encode({ id: Long.fromBigInt(id), ns: namespace, ...more }))),
  );
}
