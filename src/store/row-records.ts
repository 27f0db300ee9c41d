import type { ApiKeyRecord, Chunking, ChunkRecord, DocumentRecord, SpaceRecord } from './records.js';
import type { ApiKeyRow, ChunkingRow, ChunkRow, DocumentRow, SpaceRow } from './rows.js';

/** Rows to records: the only place where the two name styles meet, with `chunkingRow` as the way back. */
export function documentRecord(row: DocumentRow): DocumentRecord {
  return {
    id: row._id.toHexString(),
    owner: row.owner,
    title: row.title,
    mediaType: row.media_type,
    language: row.language,
    languageGiven: row.language_given,
    sourceUri: row.source_uri,
    agentIds: row.agent_ids,
    metadata: row.metadata,
    contentHash: row.content_hash,
    textLength: row.text_length,
    version: row.version,
    revision: row.revision,
    status: row.status,
    lastError: row.last_error,
    chunking: chunking(row.chunking),
    chunkCount: row.chunk_count,
    space: row.space,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    ...(row.queued_at && { queuedAt: row.queued_at }),
  };
}

/** The fields of a chunk row that `chunkRecord` needs: text and vectors stay in the database. */
export const CHUNK_FIELDS = {
  document_id: 1,
  ordinal: 1,
  start: 1,
  end: 1,
  parent_start: 1,
  parent_end: 1,
  page: 1,
  headings: 1,
  language: 1,
  token_count: 1,
} as const;

export function chunkRecord(row: Pick<ChunkRow, '_id' | keyof typeof CHUNK_FIELDS>): ChunkRecord {
  return {
    id: row._id.toHexString(),
    documentId: row.document_id.toHexString(),
    ordinal: row.ordinal,
    ...placement(row),
    language: row.language,
  };
}

/** Where a chunk lies in its document, and how long it is. */
export function placement(
  row: Pick<ChunkRow, 'start' | 'end' | 'parent_start' | 'parent_end' | 'page' | 'headings' | 'token_count'>,
): Pick<ChunkRecord, 'start' | 'end' | 'parentStart' | 'parentEnd' | 'page' | 'headings' | 'tokenCount'> {
  return {
    start: row.start,
    end: row.end,
    parentStart: row.parent_start ?? null,
    parentEnd: row.parent_end ?? null,
    page: row.page,
    headings: row.headings,
    tokenCount: row.token_count,
  };
}

export function spaceRecord(row: SpaceRow): SpaceRecord {
  return {
    id: row._id,
    provider: row.provider,
    model: row.model,
    dimensions: row.dimensions,
    similarity: row.similarity,
    maxInputTokens: row.max_input_tokens,
    languages: row.languages,
    state: row.state,
    weights: row.weights,
    isComplete: row.complete_at !== undefined,
    ...(row.job !== undefined && { jobId: row.job }),
  };
}

export function apiKeyRecord(row: ApiKeyRow): ApiKeyRecord {
  return {
    id: row._id.toHexString(),
    name: row.name,
    owner: row.owner,
    role: row.role,
    agentIds: row.agent_ids,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
  };
}

function chunking(row: ChunkingRow): Chunking {
  return {
    strategy: row.strategy,
    maxTokens: row.max_tokens,
    maxCharacters: row.max_characters,
    overlap: row.overlap,
    parentMaxTokens: row.parent_max_tokens,
    contextual: row.contextual,
  };
}

export function chunkingRow(chunking: Chunking): ChunkingRow {
  return {
    strategy: chunking.strategy,
    max_tokens: chunking.maxTokens,
    max_characters: chunking.maxCharacters,
    overlap: chunking.overlap,
    parent_max_tokens: chunking.parentMaxTokens,
    contextual: chunking.contextual,
  };
}
