import type { EmbedderSpace } from '../embed/embedder.js';
import { AppError } from '../errors.js';
import type { Database } from './database.js';
import { isDuplicateKey } from './mongo-errors.js';
import type { SpaceRecord } from './records.js';
import { spaceRecord } from './row-records.js';
import type { SpaceRow } from './rows.js';
import { checkInitialSpace, checkSpaceSettings, type SpaceSettings } from './space-choice.js';
import type { Store } from './store.js';

/**
 * How long the list of spaces may be taken from memory: it is read by every search and changes a few times a year.
 * A search that runs this much longer in the space that was active before is right too: that one stays indexed. A writer
 * with an old list is stopped by space-fence.ts.
 */
const LIST_TTL_MS = 1_000;

/** The stored spaces; an empty database gets the configured one as `s1`. Throws EMBEDDING_SPACE_MISMATCH. */
export async function openSpaces(database: Database, settings: SpaceSettings): Promise<readonly SpaceRecord[]> {
  const stored = await storedSpaces(database);
  if (stored.length > 0) {
    checkSpaceSettings(stored, settings);
    await startCounting(database, stored);
    return stored;
  }
  checkInitialSpace(settings);
  try {
    // Nothing is there that could lack a vector.
    await database.spaces.insertOne({ ...spaceRow('s1', settings.initial, 'ACTIVE'), complete_at: new Date() });
  } catch (error) {
    // Another server started on the empty database at the same moment: its space counts, and is checked like any stored one.
    if (!isDuplicateKey(error)) throw error;
  }
  return openSpaces(database, settings);
}

/** Numbers are never used again: what a late writer left under a dropped space's would pass for vectors of the next. */
async function startCounting(database: Database, stored: readonly SpaceRecord[]): Promise<void> {
  if ((await database.settings.findOne({ _id: 'spaces' })) !== null) return;
  const last = Math.max(...stored.map(({ id }) => Number(id.slice(1))));
  try {
    await database.settings.insertOne({ _id: 'spaces', last, generation: 1 });
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
}

export async function storedSpaces(database: Database): Promise<readonly SpaceRecord[]> {
  const rows = await database.spaces.find().toArray();
  return rows.map(spaceRecord).sort((a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)));
}

export type SpaceReads = Pick<Store, 'activeSpace' | 'currentSpaces' | 'listSpaces' | 'spacesByIds'>;

export function spaceReads(database: Database): SpaceReads & { forget(): void } {
  let cached: { readonly spaces: Promise<readonly SpaceRecord[]>; readonly until: number } | undefined;
  const spaces = (): Promise<readonly SpaceRecord[]> => {
    if (cached === undefined || performance.now() > cached.until) {
      const reading = storedSpaces(database);
      cached = { spaces: reading, until: performance.now() + LIST_TTL_MS };
      reading.catch(() => forget());
    }
    return cached.spaces;
  };
  const forget = (): void => {
    cached = undefined;
  };

  return {
    forget,
    async activeSpace() {
      const active = (await spaces()).find((space) => space.state === 'ACTIVE');
      if (active === undefined)
        throw new AppError(
          'STORE_UNAVAILABLE',
          'The database has no active embedding space: call activateEmbeddingSpace',
        );
      return active;
    },
    currentSpaces: spaces,
    async listSpaces() {
      forget();
      return await spaces();
    },
    async spacesByIds(ids) {
      const byId = new Map((await spaces()).map((space) => [space.id, space]));
      return ids.map((id) => byId.get(id) ?? null);
    },
  };
}

export function spaceRow(id: string, space: EmbedderSpace, state: SpaceRow['state']): SpaceRow {
  return {
    _id: id,
    provider: space.provider,
    model: space.model,
    dimensions: space.dimensions,
    similarity: space.similarity,
    max_input_tokens: space.maxInputTokens,
    languages: space.languages === null ? null : [...space.languages],
    state,
    // Weights are calibrated for a space; a new one has none.
    weights: null,
  };
}
