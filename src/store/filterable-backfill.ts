import type { ObjectId } from 'mongodb';
import type { Database } from './database.js';
import { filterableValues } from './filterable.js';
import { propagateAttributes } from './propagate-attributes.js';
import type { Filterable } from './records.js';
import type { DocumentRow, SettingRow } from './rows.js';

/** Documents whose metadata are read at once. */
const PAGE = 200;

/**
 * The declared keys whose values are not in the rows yet, because they were declared or retyped since the database was
 * last opened. Keys that are no longer declared are forgotten: rows written from now on do not carry them.
 */
export async function keysToCopy(database: Database, declared: Filterable): Promise<ReadonlySet<string>> {
  const stored = (await database.settings.findOne({ _id: 'filterable' })) as SettingRow | null;
  const projected = stored?._id === 'filterable' ? stored.projected : {};
  const known = Object.entries(projected).filter(
    ([key, type]) => Object.hasOwn(declared, key) && declared[key] === type,
  );
  const missing = Object.keys(declared).filter((key) => !known.some(([name]) => name === key));
  // Nothing is there that could lack them.
  if (missing.length > 0 && (await database.documents.findOne({}, { projection: { _id: 1 } })) === null) {
    await remember(database, declared);
    return new Set();
  }
  if (known.length < Object.keys(projected).length) await remember(database, Object.fromEntries(known));
  return new Set(missing);
}

/** Copies the declared keys to every document and its chunk rows, oldest first. Repeatable; throws the signal's reason. */
export async function copyFilterableKeys(database: Database, declared: Filterable, signal: AbortSignal): Promise<void> {
  let after: ObjectId | undefined;
  for (;;) {
    signal.throwIfAborted();
    const rows = await database.documents
      .find(after === undefined ? {} : { _id: { $gt: after } })
      .project<Pick<DocumentRow, '_id' | 'revision' | 'metadata'>>({ metadata: 1, revision: 1 })
      .sort({ _id: 1 })
      .limit(PAGE)
      .toArray();
    if (rows.length === 0) break;
    for (const { _id, revision, metadata } of rows) {
      signal.throwIfAborted();
      // A document that changed meanwhile was written with the keys already.
      const { matchedCount } = await database.documents.updateOne(
        { _id, revision },
        { $set: { filterable: filterableValues(metadata, declared), attributes_pending: 0 } },
      );
      if (matchedCount > 0) await propagateAttributes(database, _id);
    }
    after = rows.at(-1)?._id;
  }
  await remember(database, declared);
}

async function remember(database: Database, projected: Readonly<Record<string, string>>): Promise<void> {
  await database.settings.updateOne({ _id: 'filterable' }, { $set: { projected: { ...projected } } }, { upsert: true });
}
