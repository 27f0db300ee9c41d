import type { ClientSession } from 'mongodb';
import { newChunkRow } from './chunk-rows.js';
import { type Claim, claimDocument, claimNewDocument, releaseDocument, underClaim } from './claim.js';
import { cleanUpDocument } from './clean-up.js';
import type { Clock } from './clock.js';
import type { Database } from './database.js';
import type { PlacedChunk } from './diff-chunks.js';
import { settableFields } from './document-rows.js';
import { propagateAttributes } from './propagate-attributes.js';
import { SpacesMoved } from './space-fence.js';
import { VersionMoved } from './store.js';
import { ROWS_PER_BATCH, undoStaged } from './undo-staged.js';
import { completionUpdates, embeddingsOf, textRows, type WritePlan } from './write-plan.js';

/** Rows with vectors per transaction: some 4 MB at 1 536 dimensions, far below MongoDB's 48 MB per message. */
const INSERTS_PER_BATCH = 500;
/** Rows per command of these: encoding one, and reading it on the other side, holds up everybody else there meanwhile. */
const INSERTS_PER_COMMAND = 100;
const TEXT_PARTS_PER_BATCH = 4;

export interface StageOptions {
  /** Belongs to the flip's transaction. */
  readonly atFlip: (session: ClientSession) => Promise<void>;
  /** Chunk rows that are staged, of all. */
  readonly onProgress?: (done: number, total: number) => void;
}

/**
 * Stores a version of any size: its rows are written in batches that no reader sees yet, then one small transaction
 * moves the document from N to N+1 ("the flip"). Readers see the old version whole or the new one whole; a crash before
 * the flip leaves rows that the next attempt or the sweeper undoes.
 */
export async function stageVersion(
  database: Database,
  plan: WritePlan,
  clock: Clock,
  { atFlip, onProgress = () => {} }: StageOptions,
): Promise<void> {
  const { document, basedOn } = plan;
  const claim =
    basedOn === null
      ? await claimNewDocument(database, { id: document._id, owner: document.owner }, clock)
      : await claimDocument(
          database,
          { id: document._id, version: basedOn.version, revision: basedOn.revision },
          clock,
        );
  try {
    if (basedOn !== null) await undoStaged(database, claim, basedOn.version);
    await stageRows(database, plan, claim, { clock, onProgress });
    await underClaim(database, claim, async (session) => {
      // What is staged becomes live here and nowhere else.
      await atFlip(session);
      await flip(database, plan, claim, clock, session);
    });
  } catch (error) {
    await giveUp(database, plan, claim, clock, error);
    throw error;
  }
  if (plan.inheritedChanged) await propagateAttributes(database, document._id);
}

async function stageRows(
  database: Database,
  plan: WritePlan,
  claim: Claim,
  { clock, onProgress }: { clock: Clock; onProgress: (done: number, total: number) => void },
): Promise<void> {
  const { diff, document } = plan;
  // A row that moved is staged as a new one with its vector copied: its place in the old version must stay as it is.
  const fresh: PlacedChunk[] = [...diff.added, ...diff.moved];
  let staged = 0;
  for (const places of batches(fresh, INSERTS_PER_BATCH)) {
    const embeddings = await embeddingsOf(database, plan, places);
    await underClaim(database, claim, async (session) => {
      const rows = places.map((place) =>
        newChunkRow(document, plan.inherited, place, {
          fromVersion: document.version,
          writtenAt: clock(),
          embeddings: embeddings.get(place.chunk.embedHash) ?? {},
        }),
      );
      for (const some of batches(rows, INSERTS_PER_COMMAND)) await database.chunks.insertMany(some, { session });
    });
    staged += places.length;
    onProgress(staged, fresh.length);
  }
  for (const rows of batches(textRows(plan), TEXT_PARTS_PER_BATCH))
    await underClaim(database, claim, (session) => database.texts.insertMany(rows, { session }));
  const gone = [...diff.dropped, ...diff.moved.map(({ id }) => id)];
  for (const ids of batches(gone, ROWS_PER_BATCH))
    await underClaim(database, claim, (session) =>
      database.chunks.updateMany({ _id: { $in: ids } }, { $set: { to_version: document.version } }, { session }),
    );
  // A vector that a row lacked belongs to it in every version.
  for (const updates of batches(completionUpdates(plan), INSERTS_PER_BATCH))
    await underClaim(database, claim, (session) => database.chunks.bulkWrite(updates, { session }));
}

async function flip(
  database: Database,
  { document, basedOn, inheritedChanged, diff, version }: WritePlan,
  claim: Claim,
  clock: Clock,
  session: ClientSession,
): Promise<void> {
  if (basedOn === null) {
    await database.documents.insertOne(document, { session });
    await database.cleanups.deleteOne({ _id: document._id }, { session });
    return;
  }
  const hasSuperseded = diff.dropped.length + diff.moved.length > 0 || version.text !== '';
  const flipped = await database.documents.updateOne(
    { _id: document._id, 'attempt.id': claim.attempt },
    {
      $set: { ...settableFields(document), ...(inheritedChanged && { attributes_pending: 0 }) },
      $unset: { attempt: 1, ...(!inheritedChanged && { attributes_pending: 1 }) },
      ...(hasSuperseded && { $push: { superseded: { version: document.version, at: clock() } } }),
    },
    { session },
  );
  if (flipped.matchedCount === 0) throw new VersionMoved();
}

/** Undoes at once what this attempt staged, where that is still ours to do; the sweeper does what fails here. */
async function giveUp(database: Database, plan: WritePlan, claim: Claim, clock: Clock, cause: unknown): Promise<void> {
  // The claim is somebody else's; where only the spaces moved, it is still ours.
  if (cause instanceof VersionMoved && !(cause instanceof SpacesMoved) && plan.basedOn !== null) return;
  try {
    if (plan.basedOn === null) {
      await cleanUpDocument(database, plan.document._id, clock);
      return;
    }
    await undoStaged(database, claim, plan.basedOn.version);
    await releaseDocument(database, claim);
  } catch {
    // The database may be what failed; the caller needs the first error, and the sweeper finds the claim.
  }
}

function* batches<T>(items: readonly T[], size: number): Generator<T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
