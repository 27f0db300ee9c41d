import { Refusal } from '../../errors.js';
import type { NewJobItem, PendingDocument } from '../../store/jobs/job-records.js';
import type { SpaceRecord } from '../../store/records.js';
import type { Scope } from '../../store/scope.js';
import type { UpsertInput } from '../ingest.js';
import { resolveChunking } from '../resolve-chunking.js';
import { checkInput, resolveAttributes } from '../resolve-upsert.js';
import { encodeIngest } from './ingest-payload.js';

/** A document for a job; `refused` where its input could not even be read. */
export type IngestItem = UpsertInput | { readonly title: string; readonly refused: Refusal };

/** Items of an INGEST job. What cannot succeed is refused here already, by itself. */
export function ingestItem(scope: Scope, space: SpaceRecord, given: IngestItem): NewJobItem {
  if ('refused' in given) return refusedItem(given.title, given.refused);
  try {
    return { name: given.title, payload: encodeIngest(given), document: pendingDocument(scope, space, given) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return refusedItem(given.title, error);
  }
}

/** An item's error has no path beside it: a field within a field is named in the message. */
function refusedItem(name: string, { code, message, path }: Refusal): NewJobItem {
  const [, ...field] = path ?? [];
  const naming = field.length > 1 ? `${field.join('.')}: ${message}` : message;
  return { name, payload: new Uint8Array(), refused: { code, message: naming } };
}

function pendingDocument(scope: Scope, space: SpaceRecord, given: UpsertInput): PendingDocument {
  const input = checkInput(scope, given);
  return {
    title: input.title,
    // What a file is, only its bytes can tell.
    mediaType: input.mediaType ?? (given.file ? 'application/octet-stream' : 'text/plain'),
    ...resolveAttributes(scope, input, null),
    chunking: resolveChunking(given.chunking ?? null, space.maxInputTokens),
  };
}
