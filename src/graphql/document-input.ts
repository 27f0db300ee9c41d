import { Refusal } from '../errors.js';
import type { UpsertInput } from '../ingest/ingest.js';
import { checkMetadata } from '../store/check-metadata.js';
import type { AttributeChanges, DocumentKey } from '../store/store.js';
import { fileBytes } from './file-input.js';
import { idOf } from './node-id.js';
import type { DocumentBy, UpdateDocumentInput, UpsertDocumentInput } from './schema.generated.js';

/** The key that a reference names; null for an id that is none of ours, which no document has. */
export function keyOf({ id, title }: DocumentBy): DocumentKey | null {
  if (title != null) return { title };
  const decoded = id == null ? null : idOf('Document', id);
  return decoded === null ? null : { id: decoded };
}

/** The key of a mutation's target. Throws `Refusal` INVALID unless exactly one of the two is given. */
export function targetOf({
  documentId,
  by,
}: {
  documentId?: string | null | undefined;
  by?: DocumentBy | null | undefined;
}): DocumentKey | null {
  if ((documentId == null) === (by == null))
    throw new Refusal('INVALID', 'Expected exactly one of documentId and by', ['input', 'documentId']);
  return keyOf(by ?? { id: documentId as string });
}

export function noSuchDocument(input: { by?: unknown }): Refusal {
  return new Refusal('NOT_FOUND', 'The caller has no such document', ['input', input.by == null ? 'documentId' : 'by']);
}

export function upsertInput({ file, metadata, ...rest }: UpsertDocumentInput): UpsertInput {
  return {
    ...rest,
    ...(file === undefined ? {} : { file: file && fileBytes(file) }),
    ...(metadata === undefined ? {} : { metadata: metadata && checkMetadata(metadata) }),
  };
}

/** Omitted attributes stay, null clears. A title cannot be cleared. */
export function attributeChanges({ title, agentIds, metadata, sourceUri }: UpdateDocumentInput): AttributeChanges {
  if (title === null) throw new Refusal('INVALID', 'A title cannot be removed: leave it out', ['input', 'title']);
  return {
    ...(title === undefined ? {} : { title }),
    ...(agentIds === undefined ? {} : { agentIds: agentIds ?? [] }),
    ...(metadata === undefined ? {} : { metadata: checkMetadata(metadata ?? {}) }),
    ...(sourceUri === undefined ? {} : { sourceUri }),
  };
}
