import type { ClientSession, Filter } from 'mongodb';
import { Refusal } from '../errors.js';
import { checkGivenAgents, requireWritable } from './agents.js';
import { checkTitle } from './check-attributes.js';
import { checkMetadata } from './check-metadata.js';
import { moveUpdate, newChunkRow } from './chunk-rows.js';
import type { Clock } from './clock.js';
import type { Database } from './database.js';
import { documentIdOf, settableFields } from './document-rows.js';
import { isDuplicateKey } from './mongo-errors.js';
import type { DocumentRecord, Filterable } from './records.js';
import { documentRecord } from './row-records.js';
import type { DocumentRow } from './rows.js';
import type { Scope } from './scope.js';
import { inScope, scopeFilter } from './scope-filter.js';
import { stageVersion } from './stage-version.js';
import { type NewVersion, type Store, VersionMoved, type WriteOutcome } from './store.js';
import { normalizeTitle } from './title.js';
import { inTransaction } from './transaction.js';
import { recoverAttempt } from './undo-staged.js';
import {
  completionUpdates,
  embeddingsOf,
  MAX_TRANSACTION_BYTES,
  MAX_TRANSACTION_ROWS,
  planWrite,
  textRows,
  type WritePlan,
} from './write-plan.js';

export interface WriteLimits {
  readonly maxTransactionRows: number;
  readonly maxTransactionBytes: number;
}

export const WRITE_LIMITS: WriteLimits = {
  maxTransactionRows: MAX_TRANSACTION_ROWS,
  maxTransactionBytes: MAX_TRANSACTION_BYTES,
};

export interface WriteOptions {
  readonly filterable: Filterable;
  readonly clock: Clock;
  readonly limits: WriteLimits;
}

/** Stores a version whole or not at all: one transaction, or the staged flip where that would be too large. */
export function versionWriter(database: Database, options: WriteOptions): Pick<Store, 'writeVersion'> {
  return {
    async writeVersion(scope, basedOn, given) {
      // Whoever made the version checked it already; what is stored for ever is looked at where it is stored.
      const version: NewVersion = {
        ...given,
        title: checkTitle(given.title),
        agentIds: checkGivenAgents(scope, given.agentIds),
        metadata: checkMetadata(given.metadata),
      };
      const current = basedOn && (await currentRow(database, scope, basedOn, options.clock));
      const plan = await planWrite(database, scope.owner, current, version, {
        filterable: options.filterable,
        now: options.clock(),
      });
      const fitsTransaction =
        plan.changedRows <= options.limits.maxTransactionRows &&
        plan.changedBytes <= options.limits.maxTransactionBytes;
      try {
        if (fitsTransaction) await writeInOneTransaction(database, plan, options.clock);
        else await stageVersion(database, plan, options.clock);
      } catch (error) {
        if (isDuplicateKey(error)) throw await titleTaken(database, scope, version, error);
        throw error;
      }
      return outcomeOf(plan);
    },
  };
}

/**
 * The row as it was read, free to be written. An attempt that died in the middle is undone first; one that lives makes
 * this writer the later one. Throws `VersionMoved`.
 */
async function currentRow(
  database: Database,
  scope: Scope,
  basedOn: DocumentRecord,
  clock: Clock,
): Promise<DocumentRow> {
  const { version, revision } = basedOn;
  const read: Filter<DocumentRow> = { _id: documentIdOf(basedOn), version, revision };
  const row = await database.documents.findOne(inScope(scope, read));
  if (row === null) throw new VersionMoved();
  requireWritable(scope, row.agent_ids, ['input', 'title']);
  if (row.attempt !== undefined && !(await recoverAttempt(database, row, clock))) throw new VersionMoved();
  return row;
}

async function writeInOneTransaction(database: Database, plan: WritePlan, clock: Clock): Promise<void> {
  const { document, diff, version } = plan;
  const newVersion = document.version;
  const embeddings = await embeddingsOf(database, plan, diff.added);
  await inTransaction(database, async (session) => {
    // First of all, so that of several writers all but one stop here: a write conflict now, a lost guard on the retry.
    await claimVersion(database, plan, session);
    if (diff.dropped.length > 0) {
      const dropped = await database.chunks.deleteMany({ _id: { $in: [...diff.dropped] } }, { session });
      if (dropped.deletedCount !== diff.dropped.length) throw new VersionMoved();
    }
    if (diff.moved.length > 0) {
      const moves = diff.moved.map((place) => ({
        updateOne: { filter: { _id: place.id }, update: moveUpdate(place) },
      }));
      const moved = await database.chunks.bulkWrite(moves, { session, ordered: true });
      if (moved.matchedCount !== diff.moved.length) throw new VersionMoved();
    }
    if (plan.inheritedChanged)
      await database.chunks.updateMany({ document_id: document._id }, { $set: { ...plan.inherited } }, { session });
    if (plan.completions.length > 0) await database.chunks.bulkWrite(completionUpdates(plan), { session });
    if (diff.added.length > 0) {
      const rows = diff.added.map((place) =>
        newChunkRow(document, plan.inherited, place, {
          fromVersion: newVersion,
          writtenAt: clock(),
          embeddings: embeddings.get(place.chunk.embedHash) ?? {},
        }),
      );
      await database.chunks.insertMany(rows, { session });
    }
    if (plan.basedOn !== null) await database.texts.deleteMany({ document_id: document._id }, { session });
    if (version.text !== '') await database.texts.insertMany(textRows(plan), { session });
  });
}

/** Moves the document from the version it was read at to the new one. Throws `VersionMoved`. */
async function claimVersion(
  database: Database,
  { document, basedOn }: WritePlan,
  session: ClientSession,
): Promise<void> {
  if (basedOn === null) {
    await database.documents.insertOne(document, { session });
    return;
  }
  const moved = await database.documents.updateOne(
    { _id: document._id, version: basedOn.version, revision: basedOn.revision, attempt: { $exists: false } },
    { $set: settableFields(document), $unset: { attributes_pending: 1 } },
    { session },
  );
  if (moved.matchedCount === 0) throw new VersionMoved();
}

/** The unique index on owner and title refused: a writer was faster, or the title is that of a document out of sight. */
async function titleTaken(database: Database, scope: Scope, version: NewVersion, cause: unknown): Promise<Error> {
  const title = { owner: scope.owner, title_key: normalizeTitle(version.title) };
  const visible = await database.documents.countDocuments({ $and: [title, scopeFilter(scope)] }, { limit: 1 });
  const taken = visible > 0 || (await database.documents.countDocuments(title, { limit: 1 })) === 0;
  return taken ? new VersionMoved({ cause }) : titleConflict(cause);
}

export function titleConflict(cause?: unknown): Refusal {
  return new Refusal(
    'CONFLICT',
    'The title belongs to a document that these credentials cannot see',
    ['input', 'title'],
    {
      cause,
    },
  );
}

function outcomeOf({ document, diff }: WritePlan): WriteOutcome {
  return {
    document: documentRecord(document),
    chunksAdded: diff.added.length,
    chunksKept: diff.moved.length + diff.unmoved.length,
    chunksRemoved: diff.dropped.length,
  };
}
