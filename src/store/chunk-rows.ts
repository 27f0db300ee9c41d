import { Binary, type Document, ObjectId } from 'mongodb';
import type { PlacedChunk } from './diff-chunks.js';
import { searchedText } from './own-text.js';
import type { ChunkRow, FilterableValues } from './rows.js';

/** Space id → vector, as they lie in a row. */
export type Embeddings = Record<string, Binary>;

/** What all chunk rows of a document repeat from it, so that an index can filter by it. */
export interface InheritedFields {
  readonly agent_ids: string[];
  readonly metadata: FilterableValues;
  readonly language: string | null;
}

export function newChunkRow(
  document: { readonly _id: ObjectId; readonly owner: string },
  inherited: InheritedFields,
  { chunk, ordinal }: PlacedChunk,
  options: { readonly fromVersion: number; readonly writtenAt: Date; readonly embeddings: Embeddings },
): ChunkRow {
  return {
    _id: new ObjectId(),
    document_id: document._id,
    owner: document.owner,
    agent_ids: inherited.agent_ids,
    metadata: inherited.metadata,
    from_version: options.fromVersion,
    ...placeFields({ chunk, ordinal }),
    ...(chunk.parentStart !== null && { parent_start: chunk.parentStart }),
    ...(chunk.parentEnd !== null && { parent_end: chunk.parentEnd }),
    language: inherited.language,
    ...searchedText(chunk),
    ...(chunk.embedPrefix && { embed_prefix: chunk.embedPrefix }),
    embed_hash: chunk.embedHash,
    written_at: options.writtenAt,
    embeddings: options.embeddings,
  };
}

/** The update that tells a kept row its new place; never its text or vector. */
export function moveUpdate(place: PlacedChunk): Document {
  const { parentStart, parentEnd } = place.chunk;
  const parent = { parent_start: parentStart, parent_end: parentEnd };
  const set = Object.entries(parent).filter(([, value]) => value !== null);
  const unset = Object.entries(parent).filter(([, value]) => value === null);
  return {
    $set: { ...placeFields(place), ...Object.fromEntries(set) },
    ...(unset.length > 0 && { $unset: Object.fromEntries(unset.map(([name]) => [name, 1])) }),
  };
}

function placeFields({
  chunk,
  ordinal,
}: PlacedChunk): Pick<ChunkRow, 'ordinal' | 'start' | 'end' | 'page' | 'headings' | 'token_count'> {
  return {
    ordinal,
    start: chunk.start,
    end: chunk.end,
    page: chunk.page,
    headings: [...chunk.headings],
    token_count: chunk.tokenCount,
  };
}

export function toBinary(vector: Float32Array): Binary {
  return Binary.fromFloat32Array(vector);
}
