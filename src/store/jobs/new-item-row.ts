import { Binary, ObjectId } from 'mongodb';
import { normalizeTitle } from '../title.js';
import { INLINE_PAYLOAD_BYTES } from './job-limits.js';
import type { NewJobItem } from './job-records.js';
import type { JobItemRow } from './job-rows.js';
import type { FoundDocument } from './pending-documents.js';

const MAX_NAME_LENGTH = 512;

/** An item's row as it is queued. `found`: by title key, what the item's document is now. */
export function newItemRow(
  jobId: ObjectId,
  position: number,
  { name, payload, document, title = document?.title, refused }: NewJobItem,
  found: ReadonlyMap<string, FoundDocument>,
  now: Date,
): JobItemRow {
  const seen = title === undefined ? undefined : found.get(normalizeTitle(title));
  const common = {
    _id: new ObjectId(),
    job_id: jobId,
    position,
    name: name.slice(0, MAX_NAME_LENGTH).toWellFormed(),
    attempts: 0,
    outcome: null,
    document_id: (document && seen?._id) ?? null,
  };
  if (refused)
    return {
      ...common,
      state: 'FAILED',
      payload_bytes: 0,
      error: { ...refused, retryable: false },
      ended_at: now,
    };
  return {
    ...common,
    state: 'QUEUED',
    payload_bytes: payload.length,
    claimable_at: now,
    error: null,
    ...(title !== undefined && {
      queued_on: {
        document_id: seen?._id ?? null,
        version: seen?.version ?? 0,
        revision: seen?.revision ?? 0,
        at: now,
      },
    }),
    ...(isInline(payload) && { payload: new Binary(payload) }),
  };
}

export function isInline({ length }: Uint8Array): boolean {
  return length <= INLINE_PAYLOAD_BYTES;
}
