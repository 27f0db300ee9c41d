import { isDeepStrictEqual } from 'node:util';
import { ObjectId } from 'mongodb';
import { Refusal } from '../errors.js';
import { checkGivenAgents, requireWritable } from './agents.js';
import { checkSourceUri, checkTitle } from './check-attributes.js';
import { checkMetadata, sameMetadata } from './check-metadata.js';
import type { Clock } from './clock.js';
import type { Database } from './database.js';
import { filterableValues } from './filterable.js';
import { isDuplicateKey } from './mongo-errors.js';
import { propagateAttributes } from './propagate-attributes.js';
import { findDocumentRow } from './read-documents.js';
import type { DocumentRecord, Filterable } from './records.js';
import { documentRecord } from './row-records.js';
import type { DocumentRow } from './rows.js';
import type { Scope } from './scope.js';
import { type AttributeChanges, type DocumentKey, type Store, VersionMoved } from './store.js';
import { normalizeTitle } from './title.js';
import { inTransaction } from './transaction.js';
import { liveAt } from './visibility.js';
import { inheritedFields } from './write-plan.js';

/** How often a change starts again because the document was changed meanwhile. */
const MAX_ATTEMPTS = 8;

export interface AttributeOptions {
  readonly filterable: Filterable;
  readonly clock: Clock;
  /** Up to so many chunk rows change in one transaction with their document. */
  readonly maxTransactionRows: number;
}

export type AttributeWrites = Pick<Store, 'writeAttributes' | 'updateAttributes'>;

export function attributeWriter(database: Database, options: AttributeOptions): AttributeWrites {
  const writeAttributes: AttributeWrites['writeAttributes'] = async (scope, basedOn, changes) => {
    requireWritable(scope, basedOn.agentIds, ['input']);
    const checked = checkChanges(scope, changes);
    const row = await database.documents.findOne({
      _id: ObjectId.createFromHexString(basedOn.id),
      version: basedOn.version,
      revision: basedOn.revision,
    });
    if (row === null) throw new VersionMoved();
    const changed = changedFields(row, checked, options.filterable);
    if (Object.keys(changed).length === 0) return documentRecord(row);
    const after: DocumentRow = {
      ...row,
      ...changed,
      revision: row.revision + 1,
      updated_at: options.clock(),
      last_error: null,
    };
    try {
      await store(database, row, after, changed, options.maxTransactionRows);
    } catch (error) {
      if (isDuplicateKey(error))
        throw new Refusal('CONFLICT', 'Another document has this title', ['input', 'title'], { cause: error });
      throw error;
    }
    return documentRecord(after);
  };

  return {
    writeAttributes,
    async updateAttributes(scope, key, changes, expectedRevision) {
      for (let attempt = 1; ; attempt++) {
        const current = await read(database, scope, key);
        if (current === null) return null;
        if (expectedRevision !== undefined && current.revision !== expectedRevision)
          throw new Refusal(
            'CONFLICT',
            `The document is at revision ${current.revision}, expected ${expectedRevision}`,
            ['input', 'expectedRevision'],
          );
        try {
          return await writeAttributes(scope, current, changes);
        } catch (error) {
          if (!(error instanceof VersionMoved) || attempt === MAX_ATTEMPTS) throw error;
        }
      }
    },
  };
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

async function store(
  database: Database,
  before: DocumentRow,
  after: DocumentRow,
  changed: Partial<DocumentRow>,
  maxTransactionRows: number,
): Promise<void> {
  const reachesRows = !isDeepStrictEqual(inheritedFields(before), inheritedFields(after)) && before.version > 0;
  const isLarge = reachesRows && before.chunk_count > maxTransactionRows;
  const { revision, updated_at, last_error } = after;
  await inTransaction(database, async (session) => {
    const updated = await database.documents.updateOne(
      { _id: before._id, version: before.version, revision: before.revision },
      { $set: { ...changed, revision, updated_at, last_error, ...(isLarge && { attributes_pending: 0 }) } },
      { session },
    );
    if (updated.matchedCount === 0) throw new VersionMoved();
    if (reachesRows && !isLarge)
      await database.chunks.updateMany(
        { document_id: before._id, ...liveAt(before.version) },
        { $set: { ...inheritedFields(after) } },
        { session },
      );
  });
  // Re-validation reads the document, so a withdrawal counts from here; the rows follow, after a crash by the sweeper.
  if (isLarge) await propagateAttributes(database, before._id);
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

async function read(database: Database, scope: Scope, key: DocumentKey): Promise<DocumentRecord | null> {
  const row = await findDocumentRow(database, scope, key);
  return row && documentRecord(row);
}
