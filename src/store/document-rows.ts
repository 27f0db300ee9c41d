import { ObjectId } from 'mongodb';
import { filterableValues } from './filterable.js';
import type { DocumentRecord, Filterable } from './records.js';
import { chunkingRow } from './row-records.js';
import type { DocumentRow } from './rows.js';
import type { NewVersion } from './store.js';
import { normalizeTitle } from './title.js';

/** The document row as it will be once the version is stored. `id` for a new one, so that its chunks can name it first. */
export function documentRowOf(
  owner: string,
  id: ObjectId,
  basedOn: DocumentRecord | null,
  version: NewVersion,
  { filterable, now, queuedAt }: { filterable: Filterable; now: Date; queuedAt?: Date | undefined },
): DocumentRow {
  return {
    _id: id,
    owner,
    title: version.title,
    title_key: normalizeTitle(version.title),
    media_type: version.mediaType,
    language: version.language,
    language_given: version.languageGiven ?? false,
    source_uri: version.sourceUri,
    agent_ids: [...version.agentIds],
    metadata: version.metadata,
    filterable: filterableValues(version.metadata, filterable),
    content_hash: version.contentHash,
    text_length: version.text.length,
    version: (basedOn?.version ?? 0) + 1,
    revision: (basedOn?.revision ?? 0) + 1,
    status: 'READY',
    last_error: null,
    chunking: chunkingRow(version.chunking),
    chunk_count: version.chunks.length,
    space: version.space,
    created_at: basedOn?.createdAt ?? now,
    updated_at: now,
    queued_at: queuedAt ?? null,
  };
}

/** The part of it that `$set` may write over an existing row. */
export function settableFields(row: DocumentRow): Omit<DocumentRow, '_id' | 'owner' | 'created_at'> {
  const { _id, owner, created_at, ...settable } = row;
  return settable;
}

export function documentIdOf(basedOn: DocumentRecord | null): ObjectId {
  return basedOn === null ? new ObjectId() : ObjectId.createFromHexString(basedOn.id);
}
