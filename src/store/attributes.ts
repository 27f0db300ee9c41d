import { isDeepStrictEqual } from 'node:util';
import { type ClientSession, type Filter, ObjectId } from 'mongodb';
import { Refusal } from '../errors.js';
import { checkGivenAgents, requireWritable } from './agents.js';
import { type AlongsideOption, writeAlongside } from './alongside.js';
import { checkSourceUri, checkTitle } from './check-attributes.js';
import { checkMetadata, sameMetadata } from './check-metadata.js';
import type { Clock } from './clock.js';
import type { Database } from './database.js';
import { filterableValues } from './filterable.js';
import { keysSignature, type Projection } from './filterable-projection.js';
import { isDuplicateKey } from './mongo-errors.js';
import { propagateAttributes } from './propagate-attributes.js';
import { keyFilter, keyPath } from './read-documents.js';
import type { DocumentRecord, Filterable } from './records.js';
import { documentRecord } from './row-records.js';
import type { DocumentRow } from './rows.js';
import type { Scope } from './scope.js';
import { inScope } from './scope-filter.js';
import { type PassFence, type SpaceFence, SpacesMoved } from './space-fence.js';
import { type AttributeChanges, type Store, VersionMoved } from './store.js';
import { normalizeTitle } from './title.js';
import { inTransaction } from './transaction.js';
import { liveAt } from './visibility.js';
import { inheritedFields } from './write-plan.js';

export interface AttributeOptions {
  readonly projection: Pick<Projection, 'keys'>;
  readonly fence: SpaceFence;
  readonly clock: Clock;
  /** Up to so many chunk rows change in one transaction with their document. */
  readonly maxTransactionRows: number;
}

export type AttributeWrites = Pick<Store, 'writeAttributes' | 'updateAttributes'>;

export function attributeWriter(database: Database, options: AttributeOptions): AttributeWrites {
  return {
    async writeAttributes(scope, basedOn, changes, { alongside, queuedAt }: AlongsideOption = {}) {
      const filter = { _id: ObjectId.createFromHexString(basedOn.id), owner: scope.owner };
      const changed = await change(
        database,
        scope,
        filter,
        changes,
        { ...options, ...(alongside && { alongside }), ...(queuedAt && { queuedAt }) },
        (row) => {
          requireWritable(scope, row.agent_ids, ['input', 'title']);
          if (row.version !== basedOn.version || row.revision !== basedOn.revision) throw new VersionMoved();
        },
      );
      if (changed === null) throw new VersionMoved();
      return changed;
    },

    async updateAttributes(scope, key, changes, expectedRevision) {
      const filter = keyFilter(key);
      if (filter === null) return null;
      return await change(database, scope, inScope(scope, filter), changes, options, (row) => {
        requireWritable(scope, row.agent_ids, keyPath(key));
        if (expectedRevision !== undefined && row.revision !== expectedRevision)
          throw new Refusal('CONFLICT', `The document is at revision ${row.revision}, expected ${expectedRevision}`, [
            'input',
            'expectedRevision',
          ]);
      });
    },
  };
}

/** Null: no document matches. `check` throws to refuse the row that is there. */
async function change(
  database: Database,
  scope: Scope,
  filter: Filter<DocumentRow>,
  given: AttributeChanges,
  options: AttributeOptions & AlongsideOption,
  check: (row: DocumentRow) => void,
): Promise<DocumentRecord | null> {
  const changes = checkChanges(scope, given);
  let written: Written | null;
  try {
    written = await withCurrentKeys(options, (filterable, pass) =>
      inTransaction(database, async (session) => {
        const row = await database.documents.findOne(filter, { session });
        if (row === null) return null;
        check(row);
        return await write(database, row, changes, { ...options, filterable, pass }, session);
      }),
    );
  } catch (error) {
    if (isDuplicateKey(error))
      throw new Refusal('CONFLICT', 'Another document has this title', ['input', 'title'], { cause: error });
    throw error;
  }
  if (written === null) return null;
  // Re-validation reads the document, so a withdrawal counts from here; the rows follow, after a crash by the sweeper.
  if (written.rowsFollow) await propagateAttributes(database, written.row._id);
  return documentRecord(written.row);
}

/** Keys are declared by hand: a second change while an attribute is set would be a coincidence. */
const MAX_ATTEMPTS = 5;

/** Again with the keys as they are now where they changed meanwhile. */
async function withCurrentKeys<T>(
  { projection, fence }: AttributeOptions,
  work: (filterable: Filterable, pass: PassFence) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const filterable = await projection.keys();
    try {
      return await fence.during({ keys: keysSignature(filterable) }, (pass) => work(filterable, pass));
    } catch (error) {
      if (!(error instanceof SpacesMoved) || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

interface Written {
  readonly row: DocumentRow;
  /** There are too many chunk rows for the transaction: they are told afterwards. */
  readonly rowsFollow: boolean;
}

async function write(
  database: Database,
  before: DocumentRow,
  changes: AttributeChanges,
  {
    filterable,
    pass,
    clock,
    maxTransactionRows,
    alongside,
    queuedAt,
  }: AttributeOptions & AlongsideOption & { readonly filterable: Filterable; readonly pass: PassFence },
  session: ClientSession,
): Promise<Written> {
  const changed = changedFields(before, changes, filterable);
  if (Object.keys(changed).length === 0) return { row: before, rowsFollow: false };
  if (changed.filterable !== undefined) await pass.alone(session);
  const moved = {
    ...changed,
    revision: before.revision + 1,
    updated_at: clock(),
    last_error: null,
    queued_at: queuedAt ?? null,
  };
  const after: DocumentRow = { ...before, ...moved };
  const reachesRows = before.version > 0 && !isDeepStrictEqual(inheritedFields(before), inheritedFields(after));
  const rowsFollow = reachesRows && before.chunk_count > maxTransactionRows;
  await database.documents.updateOne(
    { _id: before._id },
    { $set: { ...moved, ...(rowsFollow && { attributes_pending: 0 }) } },
    { session },
  );
  if (reachesRows && !rowsFollow)
    await database.chunks.updateMany(
      { document_id: before._id, ...liveAt(before.version) },
      { $set: { ...inheritedFields(after) } },
      { session },
    );
  await writeAlongside(session, alongside, { documentId: before._id, version: before.version, isFirst: false });
  return { row: after, rowsFollow };
}

function checkChanges(scope: Scope, changes: AttributeChanges): AttributeChanges {
  const { title, sourceUri, agentIds, metadata } = changes;
  return {
    ...changes,
    ...(title !== undefined && { title: checkTitle(title) }),
    ...(sourceUri !== undefined && sourceUri !== null && { sourceUri: checkSourceUri(sourceUri) }),
    ...(agentIds !== undefined && { agentIds: checkGivenAgents(scope, agentIds) }),
    ...(metadata !== undefined && { metadata: checkMetadata(metadata) }),
  };
}

/** The fields of the row that the changes really change. */
function changedFields(row: DocumentRow, changes: AttributeChanges, filterable: Filterable): Partial<DocumentRow> {
  const changed: Partial<DocumentRow> = {};
  if (changes.title !== undefined && changes.title !== row.title) {
    changed.title = changes.title;
    changed.title_key = normalizeTitle(changes.title);
  }
  if (changes.mediaType !== undefined && changes.mediaType !== row.media_type) changed.media_type = changes.mediaType;
  if (changes.language !== undefined && changes.language !== row.language) changed.language = changes.language;
  if (changes.languageGiven !== undefined && changes.languageGiven !== row.language_given)
    changed.language_given = changes.languageGiven;
  if (changes.sourceUri !== undefined && changes.sourceUri !== row.source_uri) changed.source_uri = changes.sourceUri;
  if (changes.agentIds !== undefined && !sameAgents(changes.agentIds, row.agent_ids))
    changed.agent_ids = [...new Set(changes.agentIds)];
  if (changes.metadata !== undefined && !sameMetadata(changes.metadata, row.metadata)) {
    changed.metadata = changes.metadata;
    changed.filterable = filterableValues(changes.metadata, filterable);
  }
  return changed;
}

/** Agents are a set: their order says nothing. */
export function sameAgents(a: readonly string[], b: readonly string[]): boolean {
  const set = new Set(a);
  return set.size === new Set(b).size && b.every((agent) => set.has(agent));
}
