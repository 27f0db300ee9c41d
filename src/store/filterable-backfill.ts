import { randomUUID } from 'node:crypto';
import type { ObjectId } from 'mongodb';
import type { Clock } from './clock.js';
import type { Database } from './database.js';
import { filterableValues } from './filterable.js';
import { filterableState, keysToCopy, noteCopied } from './filterable-projection.js';
import { propagateAttributes } from './propagate-attributes.js';
import type { Filterable } from './records.js';
import type { DocumentRow } from './rows.js';

/** Documents whose metadata are read at once. */
const PAGE = 200;
/** A copier that says nothing for so long is gone: another server goes on. */
const LEASE_MS = 30_000;
const PAUSE_MS = 1_000;
/** How soon a server notices that another one changed the type of a key. */
const IDLE_PAUSE_MS = 30_000;

export interface BackfillParts {
  readonly declared: Filterable;
  readonly clock: Clock;
  /** Lets the search indexes filter on the keys. */
  readonly growIndexes: () => Promise<void>;
  /** Why a search might miss what was stored before the call; null: it does not, or there is no such index. */
  readonly indexLag: () => Promise<string | null>;
  /** The server's keys that filters have to wait for. */
  readonly onPending: (keys: ReadonlySet<string>) => void;
  readonly onError: (error: unknown) => void;
  readonly pause: (ms: number) => Promise<unknown>;
}

/**
 * Brings keys that were declared or retyped lately to what was stored before, then to the indexes, then lets filters use
 * them. One server does it while the others on the database wait for it; when it dies, one of them begins again. Goes on
 * until the signal: another server may change the type of a key at any time.
 */
export async function backfillFilterable(database: Database, parts: BackfillParts, signal: AbortSignal): Promise<void> {
  const by = randomUUID();
  while (!signal.aborted) {
    let isIdle = false;
    try {
      const state = await filterableState(database);
      const pending = keysToCopy(state, parts.declared);
      parts.onPending(pending);
      isIdle = pending.size === 0;
      // Declared as another type by a later server: its own filters work, ours wait for somebody to settle it.
      const ours = [...pending].filter((key) => state.declared[key] === parts.declared[key]);
      if (ours.length > 0 && (await takeTurn(database, by, parts.clock))) {
        await copyKeys(database, by, state.declared, parts.clock, signal);
        await parts.growIndexes();
        while ((await parts.indexLag()) !== null) {
          signal.throwIfAborted();
          await renewTurn(database, by, parts.clock);
          await parts.pause(PAUSE_MS);
        }
        await noteCopied(database, state.declared);
        await giveTurnBack(database, by);
        continue;
      }
    } catch (error) {
      if (signal.aborted) return;
      parts.onError(error);
    }
    await parts.pause(isIdle ? IDLE_PAUSE_MS : PAUSE_MS);
  }
}

/** Copies the keys to every document and its chunk rows, oldest first. Repeatable. */
async function copyKeys(
  database: Database,
  by: string,
  declared: Filterable,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  let after: ObjectId | undefined;
  for (;;) {
    const rows = await database.documents
      .find(after === undefined ? {} : { _id: { $gt: after } })
      .project<Pick<DocumentRow, '_id' | 'revision' | 'metadata'>>({ metadata: 1, revision: 1 })
      .sort({ _id: 1 })
      .limit(PAGE)
      .toArray();
    if (rows.length === 0) return;
    await renewTurn(database, by, clock);
    for (const { _id, revision, metadata } of rows) {
      signal.throwIfAborted();
      // A document that changed meanwhile was written with the keys already: the fence saw to that.
      const { matchedCount } = await database.documents.updateOne(
        { _id, revision },
        { $set: { filterable: filterableValues(metadata, declared), attributes_pending: 0 } },
      );
      if (matchedCount > 0) await propagateAttributes(database, _id);
    }
    after = rows.at(-1)?._id;
  }
}

async function takeTurn(database: Database, by: string, clock: Clock): Promise<boolean> {
  const now = clock();
  const expired = new Date(now.getTime() - LEASE_MS);
  const taken = await database.settings.updateOne(
    {
      _id: 'filterable',
      $or: [{ copying: { $exists: false } }, { 'copying.by': by }, { 'copying.at': { $lt: expired } }],
    },
    { $set: { copying: { by, at: now } } },
  );
  return taken.matchedCount > 0;
}

async function renewTurn(database: Database, by: string, clock: Clock): Promise<void> {
  const held = await database.settings.updateOne(
    { _id: 'filterable', 'copying.by': by },
    { $set: { 'copying.at': clock() } },
  );
  if (held.matchedCount === 0) throw new Error('Another server copies the filterable keys now');
}

async function giveTurnBack(database: Database, by: string): Promise<void> {
  await database.settings.updateOne({ _id: 'filterable', 'copying.by': by }, { $unset: { copying: 1 } });
}
