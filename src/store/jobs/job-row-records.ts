import type { ClaimedBatch, JobItemRecord, JobPrincipal, JobRecord, QueuedOn } from './job-records.js';
import type { JobItemRow, JobRow } from './job-rows.js';
import { storedEnd } from './note-stored.js';
import { bytesOf } from './payloads.js';

export function jobRecord(row: JobRow): JobRecord {
  return {
    id: row._id.toHexString(),
    kind: row.kind,
    state: row.state,
    total: row.total,
    done: row.done,
    failed: row.failed,
    cancelled: row.cancelled,
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    progress: row.progress ?? null,
  };
}

export function jobItemRecord(row: Omit<JobItemRow, 'payload'>): JobItemRecord {
  return {
    id: row._id.toHexString(),
    name: row.name,
    state: row.state,
    outcome: row.outcome,
    documentId: row.document_id?.toHexString() ?? null,
    error: row.error,
  };
}

export function jobPrincipal(row: JobRow): JobPrincipal {
  return { owner: row.owner, agents: row.agents, apiKeyId: row.api_key_id?.toHexString() ?? null };
}

export function claimedBatch(row: JobRow, lease: string, items: readonly JobItemRow[]): ClaimedBatch {
  return {
    job: { id: row._id.toHexString(), kind: row.kind, spec: row.spec, principal: jobPrincipal(row) },
    lease,
    items: items.map((item) => ({
      id: item._id.toHexString(),
      name: item.name,
      position: item.position,
      documentId: item.document_id?.toHexString() ?? null,
      payloadBytes: item.payload_bytes,
      payload: item.payload === undefined ? null : bytesOf(item.payload),
      // read before the claim counted itself
      interruptions: item.attempts,
      queuedOn: queuedOn(item),
      stored: storedEnd(item),
    })),
  };
}

function queuedOn({ queued_on }: JobItemRow): QueuedOn | null {
  if (queued_on === undefined) return null;
  const { document_id, ...seen } = queued_on;
  return { ...seen, documentId: document_id?.toHexString() ?? null };
}
