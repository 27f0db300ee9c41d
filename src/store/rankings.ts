import { createHash } from 'node:crypto';
import { Binary, ObjectId } from 'mongodb';
import { AppError } from '../errors.js';
import type { Clock } from './clock.js';
import type { Database } from './database.js';
import { listingName } from './listing-cursor.js';
import { withStoreErrors } from './mongo-errors.js';
import { parseObjectId } from './object-id.js';
import type { Scope } from './scope.js';
import type { Sealer } from './sealing.js';

/** Rankings frozen for paging: pages of one search walk the same list, whatever is written meanwhile. */
export interface Rankings {
  /** The cursor of a hit. `ranking` null: the search had one page only, and nothing was kept for it. */
  cursor(scope: Scope, request: RequestKey, place: Place): string;
  /**
   * Where a cursor points. Throws `AppError` BAD_USER_INPUT for one that is forged, damaged, of another caller or another
   * request, or expired.
   */
  open(scope: Scope, request: RequestKey, cursor: string): Promise<OpenedCursor>;
  /** An id for a ranking that is still to be saved: its cursors can be sealed meanwhile. */
  newId(): string;
  /** Keeps a ranking for `RANKING_TTL_MS`. `size`: pages end after so many hits that are still there. */
  save(scope: Scope, id: string, hits: readonly FrozenHit[], size: number): Promise<void>;
}

/** All of a request that decides its ranking, in any form that JSON can hold. */
export type RequestKey = Readonly<Record<string, unknown>>;

export interface Place {
  readonly ranking: string | null;
  /** Of the hit among the frozen ones, from 0. */
  readonly position: number;
  /** Of the hit among those that were shown, from 1: some of the frozen ones may have gone. */
  readonly rank: number;
  readonly chunkId: string;
}

export interface OpenedCursor extends Place {
  /** null: none was kept. */
  readonly kept: KeptRanking | null;
}

export interface KeptRanking {
  readonly hits: readonly FrozenHit[];
  readonly size: number;
}

export interface FrozenHit {
  readonly chunkId: string;
  readonly score: number;
  readonly similarity: number | null;
  readonly text: number | null;
  readonly fused: number | null;
  readonly rerank: number | null;
}

export const RANKING_TTL_MS = 15 * 60_000;

/** Expired rankings of an owner are deleted by its own searches too, for servers whose TTL monitor is slow. */
const SWEEP_EVERY = 50;

interface RankingRow {
  _id: ObjectId;
  owner: string;
  agents: readonly string[] | null;
  size: number;
  /** 12 bytes per hit. */
  ids: Binary;
  /** `SCORES` as float64 per hit; NaN for null. */
  scores: Binary;
  created_at: Date;
}

const SCORES = ['score', 'similarity', 'text', 'fused', 'rerank'] as const;
const ID_BYTES = 12;

export function rankingFunctions(database: Database, sealer: Sealer, now: Clock): Rankings {
  const collection = database.db.collection<RankingRow>('rankings');
  let saved = 0;
  const { save, read } = withStoreErrors({
    async save(scope: Scope, id: string, hits: readonly FrozenHit[], size: number): Promise<void> {
      const created_at = now();
      if (saved++ % SWEEP_EVERY === 0) {
        const expired = new Date(created_at.getTime() - RANKING_TTL_MS);
        await collection.deleteMany({ owner: scope.owner, created_at: { $lt: expired } });
      }
      const row = {
        _id: parseObjectId(id)!,
        owner: scope.owner,
        agents: scope.agents,
        size,
        ...pack(hits),
        created_at,
      };
      await collection.insertOne(row);
    },
    async read(scope: Scope, id: string): Promise<KeptRanking | null> {
      const row = await collection.findOne({ _id: parseObjectId(id)!, owner: scope.owner });
      const isThere = row !== null && row.created_at.getTime() > now().getTime() - RANKING_TTL_MS;
      return isThere ? { hits: unpack(row), size: row.size } : null;
    },
  });

  return {
    newId: () => new ObjectId().toHexString(),
    save,
    cursor: (scope, request, { ranking, position, rank, chunkId }) =>
      sealer.seal(listingOf(scope, request), [ranking, position, rank, chunkId]),
    async open(scope, request, cursor) {
      const place = sealer.open(listingOf(scope, request), cursor) as SealedPlace | undefined;
      if (place === undefined)
        throw new AppError(
          'BAD_USER_INPUT',
          'The cursor given as `after` is not one of this search: pass a cursor from a page of the same search with the same input',
        );
      const [ranking, position, rank, chunkId] = place;
      if (ranking === null) return { ranking, position, rank, chunkId, kept: null };
      const kept = await read(scope, ranking);
      if (kept === null)
        throw new AppError(
          'BAD_USER_INPUT',
          `The cursor given as \`after\` has expired: pages of a search are kept for ${RANKING_TTL_MS / 60_000} minutes; search again`,
        );
      return { ranking, position, rank, chunkId, kept };
    },
  };
}

type SealedPlace = [ranking: string | null, position: number, rank: number, chunkId: string];

/** The listing that a cursor is bound to holds the owner and the agents, so that it opens for nobody else. */
function listingOf(scope: Scope, request: RequestKey): string {
  // A query and a filter may be long: their hash binds as well.
  return listingName('search', scope, { request: createHash('sha256').update(JSON.stringify(request)).digest('hex') });
}

function pack(hits: readonly FrozenHit[]): Pick<RankingRow, 'ids' | 'scores'> {
  const numbers = Float64Array.from(hits.flatMap((hit) => SCORES.map((name) => hit[name] ?? Number.NaN)));
  return {
    ids: new Binary(Buffer.from(hits.map(({ chunkId }) => chunkId).join(''), 'hex')),
    scores: new Binary(Buffer.from(numbers.buffer)),
  };
}

function unpack(row: Pick<RankingRow, 'ids' | 'scores'>): FrozenHit[] {
  const ids = Buffer.from(row.ids.value());
  const bytes = row.scores.value();
  const numbers = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: ids.length / ID_BYTES }, (_, index) => {
    const score = (name: (typeof SCORES)[number]) => {
      const value = numbers.getFloat64((index * SCORES.length + SCORES.indexOf(name)) * 8, true);
      return Number.isNaN(value) ? null : value;
    };
    return {
      chunkId: ids.toString('hex', index * ID_BYTES, (index + 1) * ID_BYTES),
      score: score('score')!,
      similarity: score('similarity'),
      text: score('text'),
      fused: score('fused'),
      rerank: score('rerank'),
    };
  });
}
