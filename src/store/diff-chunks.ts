import type { ObjectId } from 'mongodb';
import type { NewChunk } from './records.js';
import type { ChunkRow } from './rows.js';

/** What of a stored chunk row a diff looks at: neither text nor vectors. */
export type StoredChunk = Pick<
  ChunkRow,
  | '_id'
  | 'embed_hash'
  | 'ordinal'
  | 'start'
  | 'end'
  | 'parent_start'
  | 'parent_end'
  | 'page'
  | 'headings'
  | 'token_count'
>;

export const STORED_CHUNK_FIELDS = {
  embed_hash: 1,
  ordinal: 1,
  start: 1,
  end: 1,
  parent_start: 1,
  parent_end: 1,
  page: 1,
  headings: 1,
  token_count: 1,
} as const satisfies Record<Exclude<keyof StoredChunk, '_id'>, 1>;

export interface PlacedChunk {
  readonly chunk: NewChunk;
  readonly ordinal: number;
}

export interface ChunkDiff {
  /** Chunks that no stored row holds. */
  readonly added: readonly PlacedChunk[];
  /** Rows whose text and vector stay, but not their place, page or headings. */
  readonly moved: readonly (PlacedChunk & { readonly id: ObjectId })[];
  readonly unmoved: readonly (PlacedChunk & { readonly id: ObjectId })[];
  readonly dropped: readonly ObjectId[];
}

/**
 * Which stored rows become which chunks of a new version. Pure. A row is kept for a chunk that gave the embedder the
 * same string and has a text of the same length: the string ends with the text, so the texts are the same too. Equal
 * chunks are paired in order, so that a repeated passage keeps its rows.
 */
export function diffChunks(stored: readonly StoredChunk[], chunks: readonly NewChunk[]): ChunkDiff {
  const free = new Map<string, StoredChunk[]>();
  for (const row of [...stored].sort((a, b) => b.ordinal - a.ordinal)) {
    const identity = identityOf(row.embed_hash, row.end - row.start);
    const rows = free.get(identity);
    if (rows === undefined) free.set(identity, [row]);
    else rows.push(row);
  }

  const added: PlacedChunk[] = [];
  const moved: (PlacedChunk & { id: ObjectId })[] = [];
  const unmoved: (PlacedChunk & { id: ObjectId })[] = [];
  for (const [ordinal, chunk] of chunks.entries()) {
    const row = free.get(identityOf(chunk.embedHash, chunk.text.length))?.pop();
    if (row === undefined) added.push({ chunk, ordinal });
    else (isInPlace(row, chunk, ordinal) ? unmoved : moved).push({ chunk, ordinal, id: row._id });
  }
  return { added, moved, unmoved, dropped: [...free.values()].flat().map((row) => row._id) };
}

function identityOf(embedHash: string, length: number): string {
  return `${embedHash} ${length}`;
}

function isInPlace(row: StoredChunk, chunk: NewChunk, ordinal: number): boolean {
  return (
    row.ordinal === ordinal &&
    row.start === chunk.start &&
    row.end === chunk.end &&
    (row.parent_start ?? null) === chunk.parentStart &&
    (row.parent_end ?? null) === chunk.parentEnd &&
    row.page === chunk.page &&
    // Another model counts other tokens.
    row.token_count === chunk.tokenCount &&
    row.headings.length === chunk.headings.length &&
    row.headings.every((heading, index) => heading === chunk.headings[index])
  );
}
