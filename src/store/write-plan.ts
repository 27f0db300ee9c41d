import { isDeepStrictEqual } from 'node:util';
import { ObjectId } from 'mongodb';
import { type Embeddings, type InheritedFields, toBinary } from './chunk-rows.js';
import type { Database } from './database.js';
import { type ChunkDiff, diffChunks, type PlacedChunk, STORED_CHUNK_FIELDS, type StoredChunk } from './diff-chunks.js';
import { documentIdOf, documentRowOf } from './document-rows.js';
import { keysSignature } from './filterable-projection.js';
import type { DocumentRecord, Filterable } from './records.js';
import type { ChunkRow, DocumentRow, TextRow } from './rows.js';
import { embeddingPath } from './search-index-definitions.js';
import type { Brought } from './space-fence.js';
import { type NewVersion, VersionMoved } from './store.js';
import { textParts } from './text-parts.js';
import { liveAt } from './visibility.js';

/** Up to here a version is one transaction; beyond, it is staged (DESIGN.md "Writing"). */
export const MAX_TRANSACTION_ROWS = 1_000;
export const MAX_TRANSACTION_BYTES = 8 * 1024 * 1024;

/** What BSON adds to a chunk row beside its text and vectors: field names, ids, numbers, headings. An estimate. */
const ROW_OVERHEAD_BYTES = 600;

/** All that is known before anything is written. */
export interface WritePlan {
  readonly document: DocumentRow;
  readonly basedOn: DocumentRecord | null;
  readonly inherited: InheritedFields;
  readonly diff: ChunkDiff;
  /** Agents, declared metadata or language differ from what the kept rows carry. */
  readonly inheritedChanged: boolean;
  readonly version: NewVersion;
  readonly textParts: readonly string[];
  /** Kept rows without a vector in one of the spaces, for which the version brings one. */
  readonly completions: readonly { readonly id: ObjectId; readonly space: string; readonly embedHash: string }[];
  /** `keysSignature` of the filterable keys that the rows carry. */
  readonly keys: string;
  readonly changedRows: number;
  readonly changedBytes: number;
}

/**
 * `basedOn` is the document as it was read, null for a new one; `current` the row that it was made from, null also where
 * no version was stored yet, since such a document has nothing that could be kept.
 */
export async function planWrite(
  database: Database,
  owner: string,
  basedOn: DocumentRecord | null,
  current: DocumentRow | null,
  version: NewVersion,
  options: { filterable: Filterable; now: Date; queuedAt?: Date | undefined },
): Promise<WritePlan> {
  const document = documentRowOf(owner, documentIdOf(basedOn), basedOn, version, options);
  const inherited = inheritedFields(document);
  const stored = current === null ? [] : await liveRows(database, document._id, current.version);
  const diff = diffChunks(stored, version.chunks);
  const kept = [...diff.moved, ...diff.unmoved];
  const inheritedChanged =
    current !== null &&
    // Rows that still carry earlier attributes are set as well: the mark goes with this write.
    (current.attributes_pending !== undefined ||
      (kept.length > 0 && !isDeepStrictEqual(inheritedFields(current), inherited)));
  const completions = await missingVectors(database, document._id, basedOn?.version ?? 0, kept, version);
  const parts = textParts(version.text);
  const spaces = [version.vectors, ...(version.otherVectors?.values() ?? [])];
  const vectorBytes = (embedHash: string): number =>
    spaces.reduce((sum, vectors) => sum + (vectors.get(embedHash)?.byteLength ?? 0), 0);
  return {
    document,
    basedOn,
    inherited,
    diff,
    inheritedChanged,
    version,
    textParts: parts,
    completions,
    keys: keysSignature(options.filterable),
    changedRows:
      diff.added.length +
      diff.dropped.length +
      diff.moved.length +
      (inheritedChanged ? diff.unmoved.length : 0) +
      completions.length,
    changedBytes:
      Buffer.byteLength(version.text) +
      diff.added.reduce(
        (sum, { chunk }) => sum + ROW_OVERHEAD_BYTES + Buffer.byteLength(chunk.text) + vectorBytes(chunk.embedHash),
        0,
      ) +
      completions.reduce((sum, { embedHash }) => sum + vectorBytes(embedHash), 0),
  };
}

export function inheritedFields(document: DocumentRow): InheritedFields {
  return { agent_ids: document.agent_ids, metadata: document.filterable, language: document.language };
}

/**
 * The vectors of chunks that become new rows, by `embedHash`: those that the version brings, and those that stored rows
 * of the document hold already. Throws `VersionMoved` where one that was stored is gone.
 */
export async function embeddingsOf(
  database: Database,
  plan: WritePlan,
  places: readonly PlacedChunk[],
): Promise<Map<string, Embeddings>> {
  const { version, document, basedOn } = plan;
  const given = new Map<string, ReadonlyMap<string, Float32Array>>([
    [version.space, version.vectors],
    ...(version.otherVectors ?? []),
  ]);
  const hashes = new Set(places.map(({ chunk }) => chunk.embedHash));
  const result = new Map<string, Embeddings>();
  for (const hash of hashes) {
    const embeddings: Embeddings = {};
    for (const [space, vectors] of given) {
      const vector = vectors.get(hash);
      if (vector !== undefined) embeddings[space] = toBinary(vector);
    }
    result.set(hash, embeddings);
  }
  const lacks = (hash: string): boolean => [...given.keys()].some((space) => result.get(hash)?.[space] === undefined);
  const incomplete = [...hashes].filter(lacks);
  if (incomplete.length > 0 && basedOn !== null) {
    const rows = database.chunks
      .find({ document_id: document._id, embed_hash: { $in: incomplete }, ...liveAt(basedOn.version) })
      .project<Pick<ChunkRow, 'embed_hash' | 'embeddings'>>({ embed_hash: 1, embeddings: 1 });
    for await (const row of rows) result.set(row.embed_hash, { ...row.embeddings, ...result.get(row.embed_hash) });
  }
  // In every space: a row that is new has all its vectors, or a space being built would never be complete.
  for (const hash of incomplete)
    if (lacks(hash)) {
      if (basedOn === null) throw new TypeError('A new document was given without a vector for each of its chunks');
      throw new VersionMoved();
    }
  return result;
}

async function liveRows(database: Database, documentId: ObjectId, version: number): Promise<StoredChunk[]> {
  return await database.chunks
    .find({ document_id: documentId, ...liveAt(version) })
    .project<StoredChunk>(STORED_CHUNK_FIELDS)
    .toArray();
}

async function missingVectors(
  database: Database,
  documentId: ObjectId,
  version: number,
  kept: readonly (PlacedChunk & { readonly id: ObjectId })[],
  { space, vectors, otherVectors }: NewVersion,
): Promise<{ id: ObjectId; space: string; embedHash: string }[]> {
  const hashById = new Map(kept.map(({ id, chunk }) => [id.toHexString(), chunk.embedHash]));
  const missing: { id: ObjectId; space: string; embedHash: string }[] = [];
  for (const [name, brought] of [[space, vectors] as const, ...(otherVectors ?? [])]) {
    // Nearly always nothing of what is kept was embedded anew.
    if (!kept.some(({ chunk }) => brought.has(chunk.embedHash))) continue;
    const rows = await database.chunks
      .find({ document_id: documentId, [embeddingPath(name)]: { $exists: false }, ...liveAt(version) })
      .project<{ _id: ObjectId }>({ _id: 1 })
      .toArray();
    for (const { _id } of rows) {
      const embedHash = hashById.get(_id.toHexString());
      if (embedHash !== undefined && brought.has(embedHash)) missing.push({ id: _id, space: name, embedHash });
    }
  }
  return missing;
}

/** `bulkWrite` operations that give kept rows the vectors they lack. */
export function completionUpdates({
  version,
  completions,
}: WritePlan): { updateOne: { filter: object; update: object } }[] {
  return completions.flatMap(({ id, space, embedHash }) => {
    const vectors = space === version.space ? version.vectors : version.otherVectors?.get(space);
    const vector = vectors?.get(embedHash);
    if (vector === undefined) return [];
    return [{ updateOne: { filter: { _id: id }, update: { $set: { [embeddingPath(space)]: toBinary(vector) } } } }];
  });
}

/** The spaces that the version brings vectors for, or finds them stored in, and the keys that its rows carry. */
export function spacesOf({ version, keys }: WritePlan): Brought {
  return { spaces: [version.space, ...(version.otherVectors?.keys() ?? [])], keys };
}

export function textRows({ document, textParts }: WritePlan): TextRow[] {
  return textParts.map((text, part) => ({
    _id: new ObjectId(),
    document_id: document._id,
    version: document.version,
    part,
    text,
  }));
}
