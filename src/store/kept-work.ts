import { createHash } from 'node:crypto';
import type { AnyBulkWriteOperation, Binary } from 'mongodb';
import type { EmbedderSpace } from '../embed/embedder.js';
import { toBinary } from './chunk-rows.js';
import type { Clock } from './clock.js';
import type { Database } from './database.js';
import type { KeptWorkRow } from './rows.js';
import type { Scope } from './scope.js';

/**
 * What a provider was paid for and no stored version holds yet: vectors, and lines that situate chunks. An upsert of a
 * large document writes them as they arrive, so that the next attempt after a rate limit, a crash or a stop goes on where
 * it ended. Nobody but the scope that wrote a row finds it: another one would learn that somebody had the same text.
 */
export interface KeptWork {
  /** By the hashes asked for, those that are kept. */
  keptVectors(scope: Scope, space: ModelSpace, hashes: readonly string[]): Promise<ReadonlyMap<string, Float32Array>>;
  keepVectors(scope: Scope, space: ModelSpace, vectors: ReadonlyMap<string, Float32Array>): Promise<void>;
  dropKeptVectors(scope: Scope, space: ModelSpace, hashes: readonly string[]): Promise<void>;
  keptLines(scope: Scope, chatModel: string, keys: readonly string[]): Promise<ReadonlyMap<string, string>>;
  keepLines(scope: Scope, chatModel: string, lines: ReadonlyMap<string, string>): Promise<void>;
  dropKeptLines(scope: Scope, chatModel: string, keys: readonly string[]): Promise<void>;
}

/** The model itself and not the id of its space, which a dropped space leaves free for another model. */
export type ModelSpace = Pick<EmbedderSpace, 'provider' | 'model' | 'dimensions'>;

/** A job that was not taken up again within a day starts anew. */
export const KEPT_WORK_TTL_MS = 24 * 60 * 60_000;

/** Rows of one command: some 12 MB of the longest vectors. */
const ROWS_PER_COMMAND = 1_000;

export function keptWorkFunctions(database: Database, clock: Clock): KeptWork {
  const { keptWork } = database;

  async function read<K extends 'vector' | 'line'>(
    realm: string,
    field: K,
    keys: readonly string[],
  ): Promise<[string, NonNullable<KeptWorkRow[K]>][]> {
    const found: [string, NonNullable<KeptWorkRow[K]>][] = [];
    const oldest = new Date(clock().getTime() - KEPT_WORK_TTL_MS);
    for (const some of slices(keys)) {
      const rows = keptWork.find({ _id: { $in: some.map((key) => realm + key) }, written_at: { $gt: oldest } });
      for await (const row of rows) {
        const value = row[field];
        if (value !== undefined) found.push([row._id.slice(realm.length), value]);
      }
    }
    return found;
  }

  async function write(
    scope: Scope,
    realm: string,
    entries: readonly (readonly [key: string, value: Pick<KeptWorkRow, 'vector' | 'line'>])[],
  ): Promise<void> {
    const written_at = clock();
    for (const some of slices(entries)) {
      const upserts = some.map(
        ([key, value]): AnyBulkWriteOperation<KeptWorkRow> => ({
          updateOne: {
            filter: { _id: realm + key },
            update: { $set: { owner: scope.owner, written_at, ...value } },
            upsert: true,
          },
        }),
      );
      await keptWork.bulkWrite(upserts, { ordered: false });
    }
  }

  async function drop(realm: string, keys: readonly string[]): Promise<void> {
    for (const some of slices(keys)) await keptWork.deleteMany({ _id: { $in: some.map((key) => realm + key) } });
  }

  return {
    async keptVectors(scope, space, hashes) {
      const rows = await read(vectorRealm(scope, space), 'vector', hashes);
      return new Map(rows.map(([hash, vector]) => [hash, (vector as Binary).toFloat32Array()]));
    },
    async keepVectors(scope, space, vectors) {
      const entries = [...vectors].map(([hash, vector]) => [hash, { vector: toBinary(vector) }] as const);
      await write(scope, vectorRealm(scope, space), entries);
    },
    dropKeptVectors: (scope, space, hashes) => drop(vectorRealm(scope, space), hashes),
    async keptLines(scope, chatModel, keys) {
      return new Map(await read(lineRealm(scope, chatModel), 'line', keys));
    },
    async keepLines(scope, chatModel, lines) {
      const entries = [...lines].map(([key, line]) => [key, { line }] as const);
      await write(scope, lineRealm(scope, chatModel), entries);
    },
    dropKeptLines: (scope, chatModel, keys) => drop(lineRealm(scope, chatModel), keys),
  };
}

function vectorRealm(scope: Scope, { provider, model, dimensions }: ModelSpace): string {
  return realmOf(scope, ['vector', provider, model, dimensions]);
}

function lineRealm(scope: Scope, chatModel: string): string {
  return realmOf(scope, ['line', chatModel]);
}

/** What stands before the hash in a row's `_id`: who may read it and what it is of, at a length that keys can have. */
function realmOf({ owner, agents }: Scope, of: readonly (string | number)[]): string {
  const identity = JSON.stringify([owner, agents && [...agents].sort(), ...of]);
  return `${createHash('sha256').update(identity).digest('base64url')} `;
}

function* slices<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += ROWS_PER_COMMAND)
    yield items.slice(start, start + ROWS_PER_COMMAND);
}
