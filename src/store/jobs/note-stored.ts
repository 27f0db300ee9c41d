import { type Alongside, CalledOff } from '../alongside.js';
import type { Database } from '../database.js';
import { parseObjectId } from '../object-id.js';
import { writeGroup } from '../write-together.js';
import type { ClaimedBatch } from './job-records.js';
import type { JobItemRow } from './job-rows.js';

/**
 * The note on an item of what was stored for it. An item that was stored but has not ended would run again after a crash,
 * and put its text over whatever was written since: so the note is one of the version's own writes, and a worker that lost
 * its lease, or has noted something already, stores nothing.
 */
export function storedNote(database: Database, { itemId, lease }: { itemId: string; lease: string }): Alongside {
  const _id = parseObjectId(itemId);
  return ({ documentId, version, isFirst }) => ({
    group: writeGroup(
      database.jobItems,
      _id === null
        ? []
        : [
            {
              updateOne: {
                filter: { _id, lease, stored: { $exists: false } },
                update: {
                  $set: { stored: { outcome: isFirst ? 'CREATED' : 'UPDATED', document_id: documentId, version } },
                },
              },
            },
          ],
    ),
    check({ matchedCount }) {
      if (matchedCount === 0) throw new CalledOff();
    },
  });
}

/** The end of an item of which something was stored, whatever came after that; null: nothing was. */
export function storedEnd({ stored }: Pick<JobItemRow, 'stored'>): ClaimedBatch['items'][number]['stored'] {
  return stored === undefined
    ? null
    : { ended: 'WELL', outcome: stored.outcome, documentId: stored.document_id.toHexString(), version: stored.version };
}
