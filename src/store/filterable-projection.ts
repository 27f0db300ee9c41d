import { createHash } from 'node:crypto';
import type { ClientSession } from 'mongodb';
import type { Database } from './database.js';
import type { Filterable, FilterableType } from './records.js';
import type { SettingRow } from './rows.js';
import { MAX_FILTERABLE_KEYS } from './search-index-definitions.js';
import { inTransaction } from './transaction.js';

/**
 * Which metadata keys rows carry for filters. The database says so, not the server that writes: servers on one database may
 * be started with different keys, and a row that lacks one would silently be missing from a filter. Whoever declares a key
 * adds it to the database's; writers that do not know of it yet are stopped by space-fence.ts and read the keys again.
 * A key that nobody declares any more stays: another server may.
 */
export interface FilterableState {
  /** What every row written now carries. */
  readonly declared: Filterable;
  /** Of these, what rows from before carry too, and the indexes return. */
  readonly copied: Readonly<Record<string, string>>;
}

/** Beyond, keys that this server does not declare are forgotten. */
const MAX_KEPT_KEYS = 4 * MAX_FILTERABLE_KEYS;

/** Adds this server's keys to the database's, a changed type in place of the other. Writers follow once the fence is aligned. */
export async function declareKeys(database: Database, declared: Filterable): Promise<void> {
  const isKnown = ({ declared: known }: FilterableState): boolean =>
    Object.entries(declared).every(([key, type]) => known[key] === type);
  if (isKnown(await filterableState(database))) return;
  await inTransaction(database, async (session) => {
    const stored = await filterableState(database, session);
    const others = Object.entries(stored.declared).filter(([key]) => !Object.hasOwn(declared, key));
    const kept = Object.keys(stored.declared).length > MAX_KEPT_KEYS ? [] : others;
    const merged: Filterable = Object.fromEntries([...kept, ...Object.entries(declared)]);
    if (isKnown(stored)) return;
    const copied = Object.entries(stored.copied).filter(([key, type]) => merged[key] === type);
    await database.settings.updateOne(
      { _id: 'filterable' },
      { $set: { declared: merged, projected: Object.fromEntries(copied) } },
      { session, upsert: true },
    );
    await database.settings.updateOne({ _id: 'spaces' }, { $inc: { generation: 1 } }, { session });
  });
}

export async function filterableState(database: Database, session?: ClientSession): Promise<FilterableState> {
  const row = (await database.settings.findOne({ _id: 'filterable' }, session && { session })) as SettingRow | null;
  if (row?._id !== 'filterable') return { declared: {}, copied: {} };
  return { declared: (row.declared ?? row.projected) as Record<string, FilterableType>, copied: row.projected };
}

/** Equal keys and types have equal signatures. */
export function keysSignature(declared: Filterable): string {
  const entries = Object.entries(declared).sort(([a], [b]) => (a < b ? -1 : 1));
  if (entries.length === 0) return '';
  return createHash('sha256').update(JSON.stringify(entries)).digest('hex').slice(0, 16);
}

/** Those of a server's keys that not every row carries as it declares them. */
export function keysToCopy({ declared, copied }: FilterableState, own: Filterable): ReadonlySet<string> {
  return new Set(Object.keys(own).filter((key) => copied[key] !== own[key] || declared[key] !== own[key]));
}

/**
 * Notes the declared keys as copied, at once where nothing was stored before: call it when every writer follows them.
 * A type that another server changed meanwhile is not noted.
 */
export async function noteCopied(database: Database, copied: Filterable): Promise<void> {
  for (const [key, type] of Object.entries(copied))
    await database.settings.updateOne(
      { _id: 'filterable', [`declared.${key}`]: type },
      { $set: { [`projected.${key}`]: type } },
    );
}

/** `keysToCopy` at the start; a database without documents has nothing to copy. */
export async function keysToCopyAtStart(database: Database, own: Filterable): Promise<ReadonlySet<string>> {
  const pending = keysToCopy(await filterableState(database), own);
  if (pending.size === 0 || (await database.documents.findOne({}, { projection: { _id: 1 } })) !== null) return pending;
  await noteCopied(database, own);
  return keysToCopy(await filterableState(database), own);
}

/** How long the keys may be taken from memory: the fence stops whoever writes by old ones. */
const KEYS_TTL_MS = 1_000;

export interface Projection {
  /** What every row written now carries. */
  keys(): Promise<Filterable>;
  forget(): void;
}

export function projectionOf(database: Database): Projection {
  let cached: { readonly keys: Promise<Filterable>; readonly until: number } | undefined;
  const forget = (): void => {
    cached = undefined;
  };
  return {
    forget,
    async keys() {
      if (cached === undefined || performance.now() > cached.until) {
        const keys = filterableState(database).then(({ declared }) => declared);
        cached = { keys, until: performance.now() + KEYS_TTL_MS };
        keys.catch(forget);
      }
      return await cached.keys;
    },
  };
}
