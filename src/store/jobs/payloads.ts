import { Binary, ObjectId } from 'mongodb';
import type { Database } from '../database.js';
import { parseObjectIds } from '../object-id.js';
import type { JobPayloadRow } from './job-rows.js';

/** Of a part. MongoDB takes 16 MB per document; smaller ones keep its cache and ours even. */
export const PAYLOAD_PART_BYTES = 1024 * 1024;
/** Parts that one command or one answer carries: whoever sends it, and whoever takes it, has some copies of it. */
const PARTS_AT_ONCE = 2;

export interface ItemPayload {
  readonly itemId: ObjectId;
  readonly bytes: Uint8Array;
}

/** Stores payloads in parts; an empty one has one part too. */
export async function insertPayloads(
  database: Database,
  jobId: ObjectId,
  payloads: readonly ItemPayload[],
): Promise<void> {
  let group: JobPayloadRow[] = [];
  let groupBytes = 0;
  const flush = async (): Promise<void> => {
    if (group.length > 0) await database.jobPayloads.insertMany(group, { ordered: false });
    group = [];
    groupBytes = 0;
  };
  for (const { itemId, bytes } of payloads)
    for (let part = 0; part === 0 || part * PAYLOAD_PART_BYTES < bytes.length; part++) {
      const slice = bytes.subarray(part * PAYLOAD_PART_BYTES, (part + 1) * PAYLOAD_PART_BYTES);
      group.push({
        _id: new ObjectId(),
        job_id: jobId,
        item_id: itemId,
        part,
        bytes: new Binary(slice),
      });
      groupBytes += slice.length;
      if (groupBytes >= PARTS_AT_ONCE * PAYLOAD_PART_BYTES) await flush();
    }
  await flush();
}

/** Whole payloads by item id; those that are gone are left out. */
export async function readPayloads(
  database: Database,
  itemIds: readonly string[],
): Promise<ReadonlyMap<string, Buffer>> {
  const parts = new Map<string, Buffer[]>();
  const rows = database.jobPayloads
    .find({ item_id: { $in: parseObjectIds(itemIds) } })
    .project<Pick<JobPayloadRow, 'item_id' | 'part' | 'bytes'>>({ item_id: 1, part: 1, bytes: 1 })
    .batchSize(PARTS_AT_ONCE);
  for await (const { item_id, part, bytes } of rows) {
    const id = item_id.toHexString();
    const found = parts.get(id) ?? [];
    parts.set(id, found);
    found[part] = bytesOf(bytes);
  }
  return new Map(
    [...parts].map(([id, found]) => [id, found.length === 1 ? (found[0] as Buffer) : Buffer.concat(found)]),
  );
}

export function bytesOf({ buffer, position }: Binary): Buffer {
  return Buffer.from(buffer.buffer, buffer.byteOffset, position);
}
