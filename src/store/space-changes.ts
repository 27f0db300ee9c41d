import type { ClientSession, ObjectId } from 'mongodb';
import type { EmbedderSpace } from '../embed/embedder.js';
import { Refusal } from '../errors.js';
import type { Database } from './database.js';
import type { SpaceRecord } from './records.js';
import { spaceRecord } from './row-records.js';
import type { SettingRow } from './rows.js';
import { embeddingPath } from './search-index-definitions.js';
import { describeSpace } from './space-choice.js';
import type { SpaceFence } from './space-fence.js';
import { spaceRow } from './spaces.js';
import type { Store } from './store.js';
import { inTransaction } from './transaction.js';
import { ROWS_PER_BATCH } from './undo-staged.js';

export interface SpaceChangeParts {
  readonly fence: SpaceFence;
  /** The list of spaces is no longer what was read. */
  readonly forget: () => void;
  readonly makeIndexOf: (space: SpaceRecord) => Promise<void>;
  readonly dropIndexOf: (space: string) => Promise<void>;
}

export interface SpaceChanges
  extends Pick<
    Store,
    'createSpace' | 'resumeSpace' | 'noteSpaceJob' | 'completeSpace' | 'activateSpace' | 'dropSpace'
  > {
  /** Finishes what a crash after `dropSpace` left: the index, and vectors that nobody reads. Ends early at the signal. */
  finishDrops(signal?: AbortSignal): Promise<void>;
}

/**
 * How embedding spaces come, take over and go. Each change is one transaction; what has to follow it (the fence, the
 * index, the vectors) is repeatable, so that a crash in between leaves nothing that a second call or the next start does
 * not finish.
 */
export function spaceChanges(database: Database, parts: SpaceChangeParts): SpaceChanges {
  const { fence, forget } = parts;

  const finishDrops = async (signal?: AbortSignal): Promise<void> => {
    const counter = (await database.settings.findOne({ _id: 'spaces' })) as SettingRow | null;
    const dropped = counter?._id === 'spaces' ? (counter.dropped ?? []) : [];
    if (dropped.length === 0) return;
    // From here on nobody adds a vector of them.
    await fence.align();
    for (const id of dropped) {
      await parts.dropIndexOf(id);
      await dropVectors(database, id, signal);
      await database.settings.updateOne({ _id: 'spaces' }, { $pull: { dropped: id } });
    }
  };

  return {
    finishDrops,
    async createSpace(_operator, space) {
      const created = await inTransaction(database, async (session) => {
        const stored = (await database.spaces.find({}, { session }).toArray()).map(spaceRecord);
        refuseCreation(stored, space);
        const counter = await countList(database, session, { isNew: true });
        const row = spaceRow(`s${counter.last}`, space, 'BUILDING');
        await database.spaces.insertOne(row, { session });
        return spaceRecord(row);
      });
      forget();
      await fence.align();
      await parts.makeIndexOf(created);
      return created;
    },

    async resumeSpace(_operator, space) {
      const taken = await database.spaces.updateOne(
        { _id: space.id, state: 'BUILDING', job: space.jobId ?? { $exists: false } },
        { $unset: { job: 1 } },
      );
      if (taken.matchedCount === 0) throw new OtherSpaceExists(space, true);
      forget();
      // A crash may have come between the space and these.
      await fence.align();
      await parts.makeIndexOf(space);
      return space;
    },

    async noteSpaceJob(_operator, id, jobId) {
      await database.spaces.updateOne({ _id: id }, { $set: { job: jobId } });
      forget();
    },

    async completeSpace(_operator, id) {
      await database.spaces.updateOne(
        { _id: id, complete_at: { $exists: false } },
        { $set: { complete_at: new Date() } },
      );
      forget();
    },

    async activateSpace(_operator, id) {
      const activated = await inTransaction(database, async (session) => {
        const row = await database.spaces.findOne({ _id: id }, { session });
        if (row === null) throw noSuchSpace();
        if (row.complete_at === undefined) throw notComplete(spaceRecord(row));
        await database.spaces.updateMany({ state: 'ACTIVE' }, { $set: { state: 'RETIRED' } }, { session });
        await database.spaces.updateOne({ _id: id }, { $set: { state: 'ACTIVE' } }, { session });
        return spaceRecord({ ...row, state: 'ACTIVE' });
      });
      forget();
      return activated;
    },

    async dropSpace(_operator, id) {
      await inTransaction(database, async (session) => {
        const row = await database.spaces.findOne({ _id: id }, { session });
        if (row === null) throw noSuchSpace();
        if (row.state === 'ACTIVE')
          throw new Refusal(
            'CONFLICT',
            'The active embedding space cannot be dropped: activate another one first',
            PATH,
          );
        await countList(database, session, { isNew: false });
        await database.settings.updateOne({ _id: 'spaces' }, { $push: { dropped: id } }, { session });
        await database.spaces.deleteOne({ _id: id }, { session });
      });
      forget();
      await finishDrops();
      return id;
    },
  };
}

const PATH = ['input', 'embeddingSpaceId'];

export function noSuchSpace(): Refusal {
  return new Refusal('NOT_FOUND', 'There is no such embedding space', PATH);
}

export function notComplete(space: SpaceRecord): Refusal {
  return new Refusal(
    'CONFLICT',
    `Not every chunk has a vector of ${describeSpace(space)} yet: wait for the job that fills the space, call retryJob when it failed, or drop the space`,
    PATH,
  );
}

/** One beside the active one at most: three search indexes are what a free cluster takes. */
function refuseCreation(stored: readonly SpaceRecord[], wanted: EmbedderSpace): void {
  for (const space of stored) {
    const isEqual =
      space.provider === wanted.provider && space.model === wanted.model && space.dimensions === wanted.dimensions;
    if (isEqual && space.state === 'ACTIVE')
      throw new Refusal('INVALID', `The documents are embedded with ${describeSpace(wanted)} already`, [
        'input',
        'model',
      ]);
    if (space.state !== 'ACTIVE') throw new OtherSpaceExists(space, isEqual);
  }
}

/** CONFLICT: which space has to go, or be activated, first. */
export class OtherSpaceExists extends Refusal {
  constructor(space: SpaceRecord, isEqual: boolean) {
    const name = `${space.id}, ${describeSpace(space)}, ${space.state}`;
    super(
      'CONFLICT',
      isEqual && space.state === 'RETIRED'
        ? `The space asked for is there already (${name}): call activateEmbeddingSpace to go back to it`
        : `Beside the active embedding space there is another one (${name}): call dropEmbeddingSpace on it first`,
      ['input'],
    );
    this.space = space;
  }
  readonly space: SpaceRecord;
}

async function countList(
  database: Database,
  session: ClientSession,
  { isNew }: { isNew: boolean },
): Promise<{ readonly last: number }> {
  const counter = (await database.settings.findOneAndUpdate(
    { _id: 'spaces' },
    { $inc: { generation: 1, last: isNew ? 1 : 0 } },
    { session, returnDocument: 'after' },
  )) as SettingRow | null;
  if (counter?._id !== 'spaces') throw new TypeError('The list of spaces is not counted: openSpaces does that first');
  return counter;
}

/** In the order of ids and in batches: there may be millions. */
async function dropVectors(database: Database, space: string, signal?: AbortSignal): Promise<void> {
  const path = embeddingPath(space);
  let after: ObjectId | undefined;
  for (;;) {
    signal?.throwIfAborted();
    const rows = await database.chunks
      .find({ [path]: { $exists: true }, ...(after && { _id: { $gt: after } }) })
      .project<{ _id: ObjectId }>({ _id: 1 })
      .sort({ _id: 1 })
      .limit(ROWS_PER_BATCH)
      .toArray();
    if (rows.length === 0) return;
    await database.chunks.updateMany({ _id: { $in: rows.map(({ _id }) => _id) } }, { $unset: { [path]: 1 } });
    after = rows.at(-1)?._id;
  }
}
