import { decode } from '../../bson/decode.js';
import type { CollectionInfo, RecordId, Transaction } from '../../storage/engine.js';
import type { CommandContext, Namespace } from '../context.js';
import { type MatchedRecord, type Matching, proposals } from '../read/matching.js';
import { Pace } from '../read/pace.js';

/** Records per commit of a write on many documents, outside of transactions. */
const RECORDS_PER_COMMIT = 1_000;
const BYTES_PER_COMMIT = 8 * 1024 * 1024;

/**
 * Writes to every matching record. What matches is settled first, so that a record which the write moves is met once; each
 * is checked again when its turn comes. Inside a transaction it is part of that; outside it commits in steps, as servers do.
 */
export async function writeToMatching(
  context: CommandContext,
  namespace: Namespace,
  compile: (collection: CollectionInfo) => Matching,
  write: (transaction: Transaction, collection: CollectionInfo, record: MatchedRecord) => void,
): Promise<number> {
  const pace = new Pace(context.checkInterrupted);
  const matched = await context.read(async (view) => {
    const collection = view.collection(namespace.db, namespace.collection);
    const records: { recordId: RecordId; size: number }[] = [];
    if (collection === undefined) return records;
    const matching = compile(collection);
    for (const { recordId, bytes } of proposals(view, collection, matching.plan)) {
      if (matching.matchesAll || matching.matches(matching.readFor(bytes)))
        records.push({ recordId, size: bytes.length });
      if (pace.due) await pace.breathe();
    }
    return records;
  });

  let written = 0;
  for (let start = 0; start < matched.length; ) {
    let end = start;
    for (
      let bytes = 0;
      end < matched.length && end - start < RECORDS_PER_COMMIT && bytes < BYTES_PER_COMMIT;
      end += 1
    ) {
      bytes += matched[end]!.size;
    }
    const part = matched.slice(start, end);
    written += await context.write(async (transaction) => {
      const collection = transaction.collection(namespace.db, namespace.collection);
      if (collection === undefined) return 0;
      const matching = compile(collection);
      let count = 0;
      for (const { recordId } of part) {
        const bytes = transaction.get(collection, recordId);
        if (bytes === undefined) continue;
        const doc = decode(bytes);
        if (!matching.matches(doc)) continue;
        write(transaction, collection, { recordId, bytes, doc });
        count += 1;
        if (pace.due) await pace.breathe();
      }
      return count;
    });
    start = end;
  }
  return written;
}
