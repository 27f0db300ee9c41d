import type { AnyBulkWriteOperation, Filter } from 'mongodb';
import { Refusal } from '../errors.js';
import { checkGivenAgents, requireWritable } from './agents.js';
import { type Alongside, type StoredWrite, type WriteVersionOptions, writeAlongside } from './alongside.js';
import { checkTitle } from './check-attributes.js';
import { checkMetadata } from './check-metadata.js';
import { type Embeddings, moveUpdate, newChunkRow } from './chunk-rows.js';
import type { Clock } from './clock.js';
import type { Database } from './database.js';
import { documentIdOf, settableFields } from './document-rows.js';
import type { Projection } from './filterable-projection.js';
import { type GroupedWrite, type GroupLimits, groupCommit } from './group-commit.js';
import { isDuplicateKey } from './mongo-errors.js';
import type { DocumentRecord } from './records.js';
import { documentRecord } from './row-records.js';
import type { DocumentRow } from './rows.js';
import type { Scope } from './scope.js';
import { inScope, scopeFilter } from './scope-filter.js';
import { listKey, type SpaceFence } from './space-fence.js';
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
  spacesOf,
  textRows,
  type WritePlan,
} from './write-plan.js';
import { type WriteGroup, type WriteTogether, writeGroup } from './write-together.js';

export interface WriteLimits {
  readonly maxTransactionRows: number;
  readonly maxTransactionBytes: number;
}

export const WRITE_LIMITS: WriteLimits = {
  maxTransactionRows: MAX_TRANSACTION_ROWS,
  maxTransactionBytes: MAX_TRANSACTION_BYTES,
};

export interface WriteOptions {
  readonly projection: Pick<Projection, 'keys'>;
  readonly clock: Clock;
  readonly limits: WriteLimits;
  readonly together: WriteTogether;
  readonly fence: SpaceFence;
}

/** Stores a version whole or not at all: one transaction, or the staged flip where that would be too large. */
export function versionWriter(database: Database, options: WriteOptions): Pick<Store, 'writeVersion'> {
  const commit = groupCommit<PlannedWrite>(GROUP_LIMITS, (writes) => commitTogether(database, writes, options));
  return {
    async writeVersion(scope, basedOn, given, { alongside, queuedAt, onProgress }: WriteVersionOptions = {}) {
      // Whoever made the version checked it already; what is stored for ever is looked at where it is stored.
      const version: NewVersion = {
        ...given,
        title: checkTitle(given.title),
        agentIds: checkGivenAgents(scope, given.agentIds),
        metadata: checkMetadata(given.metadata),
      };
      const isFirst = basedOn === null || basedOn.version === 0;
      const current = isFirst ? null : await currentRow(database, scope, basedOn, options.clock);
      if (isFirst && basedOn !== null) requireWritable(scope, basedOn.agentIds, ['input', 'title']);
      const plan = await planWrite(database, scope.owner, basedOn, current, version, {
        filterable: await options.projection.keys(),
        now: options.clock(),
        queuedAt,
      });
      const fitsTransaction =
        plan.changedRows <= options.limits.maxTransactionRows &&
        plan.changedBytes <= options.limits.maxTransactionBytes;
      try {
        if (fitsTransaction) await commit(await plannedWrite(database, plan, alongside));
        else
          await options.fence.during(spacesOf(plan), (pass) =>
            stageVersion(database, plan, options.clock, {
              ...(onProgress && { onProgress }),
              async atFlip(session) {
                await pass.alone(session);
                await writeAlongside(session, alongside, storedBy(plan));
              },
            }),
          );
      } catch (error) {
        if (isDuplicateKey(error)) throw await titleTaken(database, scope, version, error);
        // Nobody looked whether an attempt died in the middle of this first version: it is undone for the next try.
        if (error instanceof VersionMoved && isFirst && basedOn !== null)
          await currentRow(database, scope, basedOn, options.clock);
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

interface PlannedWrite extends GroupedWrite {
  readonly plan: WritePlan;
  readonly embeddings: ReadonlyMap<string, Embeddings>;
  readonly alongside: Alongside | undefined;
}

/** Of what shares a transaction: larger writes gain nothing by it, and keep others waiting. */
const GROUP_LIMITS: GroupLimits = { writes: 64, rows: 300, bytes: 1024 * 1024 };

async function plannedWrite(
  database: Database,
  plan: WritePlan,
  alongside: Alongside | undefined,
): Promise<PlannedWrite> {
  return {
    realm: listKey(spacesOf(plan)),
    rows: plan.changedRows,
    bytes: plan.changedBytes,
    plan,
    embeddings: await embeddingsOf(database, plan, plan.diff.added),
    alongside,
  };
}

/** All of them in one transaction, or none. Throws `VersionMoved` where one of the documents changed. */
async function commitTogether(
  database: Database,
  planned: readonly PlannedWrite[],
  options: WriteOptions,
): Promise<void> {
  const spaces = spacesOf((planned[0] as PlannedWrite).plan);
  await options.fence.during(spaces, (passFence) =>
    inTransaction(database, async (session) => {
      const writes = planned.map(({ plan, embeddings }) => writesOf(database, plan, embeddings, options.clock()));
      // The claims are first of all, so that of several writers all but one stop there: a write conflict now, a lost
      // guard on the retry.
      const notes = planned.flatMap(({ plan, alongside }) => alongside?.(storedBy(plan)) ?? []);
      const groups = [
        ...writes.map(({ claim }) => claim),
        passFence.group,
        ...notes.map(({ group }) => group),
        ...writes.flatMap(({ dropped, moved, rest }) => [dropped, moved, ...rest]),
      ];
      const results = await options.together(session, groups);
      passFence.check(results[writes.length]!);
      const resultOf = new Map(groups.map((group, index) => [group, results[index]!]));
      for (const { group, check } of notes) check(resultOf.get(group)!);
      for (const [index, { claim, dropped, moved }] of writes.entries()) {
        const { basedOn, diff } = planned[index]!.plan;
        if (
          (basedOn !== null && resultOf.get(claim)!.matchedCount === 0) ||
          resultOf.get(dropped)!.deletedCount !== diff.dropped.length ||
          resultOf.get(moved)!.matchedCount !== diff.moved.length
        )
          throw new VersionMoved();
      }
    }),
  );
}

/** The plan as writes. `claim` moves the document from the version it was read at to the new one, or creates it. */
function writesOf(
  database: Database,
  plan: WritePlan,
  embeddings: ReadonlyMap<string, Embeddings>,
  writtenAt: Date,
): { claim: WriteGroup; dropped: WriteGroup; moved: WriteGroup; rest: WriteGroup[] } {
  const { document, basedOn, diff, version } = plan;
  const added = diff.added.map((place) =>
    newChunkRow(document, plan.inherited, place, {
      fromVersion: document.version,
      writtenAt,
      embeddings: embeddings.get(place.chunk.embedHash) ?? {},
    }),
  );
  const inherited = { filter: { document_id: document._id }, update: { $set: { ...plan.inherited } } };
  const texts = version.text === '' ? [] : textRows(plan);
  return {
    claim: writeGroup(database.documents, [claimOf(document, basedOn)]),
    dropped: writeGroup(
      database.chunks,
      diff.dropped.length === 0 ? [] : [{ deleteMany: { filter: { _id: { $in: [...diff.dropped] } } } }],
    ),
    moved: writeGroup(
      database.chunks,
      diff.moved.map((place) => ({ updateOne: { filter: { _id: place.id }, update: moveUpdate(place) } })),
    ),
    rest: [
      writeGroup(database.chunks, [
        ...(plan.inheritedChanged ? [{ updateMany: inherited }] : []),
        ...completionUpdates(plan),
        ...added.map((row) => ({ insertOne: { document: row } })),
      ]),
      writeGroup(database.texts, [
        ...(basedOn === null || basedOn.version === 0
          ? []
          : [{ deleteMany: { filter: { document_id: document._id } } }]),
        ...texts.map((row) => ({ insertOne: { document: row } })),
      ]),
    ],
  };
}

function claimOf(document: DocumentRow, basedOn: DocumentRecord | null): AnyBulkWriteOperation<DocumentRow> {
  if (basedOn === null) return { insertOne: { document } };
  return {
    updateOne: {
      filter: {
        _id: document._id,
        owner: document.owner,
        version: basedOn.version,
        revision: basedOn.revision,
        attempt: { $exists: false },
      },
      update: { $set: settableFields(document), $unset: { attributes_pending: 1 } },
    },
  };
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

function storedBy({ document, basedOn }: WritePlan): StoredWrite {
  const isFirst = basedOn === null || basedOn.version === 0;
  return { documentId: document._id, version: document.version, isFirst };
}

function outcomeOf({ document, diff }: WritePlan): WriteOutcome {
  return {
    document: documentRecord(document),
    chunksAdded: diff.added.length,
    chunksKept: diff.moved.length + diff.unmoved.length,
    chunksRemoved: diff.dropped.length,
  };
}
