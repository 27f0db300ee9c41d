import type { GraphQLResolveInfo } from 'graphql';
import type { ChunkRecord, DocumentRecord, Page } from '../store/records.js';
import type { Loaders } from './loaders.js';
import { selects } from './look-ahead.js';

/** Whether chunks can be read by their places alone: nobody asks where the next page starts. */
export function isFirstPageWithoutCursors(after: string | null | undefined, info: GraphQLResolveInfo): boolean {
  return after == null && !selects(info, 'edges.cursor', 'pageInfo.startCursor', 'pageInfo.endCursor');
}

/**
 * The first chunks of a document by their ordinals, through the loader: a listing of a hundred documents with their
 * chunks is one store call for all, where a listing of chunks is one for each.
 */
export async function firstChunks(
  { id, chunkCount }: DocumentRecord,
  first: number,
  loaders: Loaders,
): Promise<Page<ChunkRecord>> {
  const places = Array.from({ length: Math.min(first, chunkCount) }, (_, ordinal) => ({ documentId: id, ordinal }));
  const chunks = await Promise.all(places.map((place) => loaders.chunkAt.load(place)));
  // null: the document was replaced by a shorter version since it was read
  const items = chunks.flatMap((node) => (node === null ? [] : [{ cursor: NOT_SELECTED, node }]));
  return { items, hasNextPage: chunkCount > first };
}

const NOT_SELECTED = '';
