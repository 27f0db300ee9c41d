import type { ClientSession, Filter } from 'mongodb';
import type { Database } from './database.js';
import { filterableState, keysSignature } from './filterable-projection.js';
import { isDuplicateKey } from './mongo-errors.js';
import type { SettingRow, SpaceFenceRow } from './rows.js';
import { VersionMoved } from './store.js';
import { inTransaction } from './transaction.js';
import { type GroupResult, type WriteGroup, writeGroup } from './write-together.js';

/**
 * Which embedding spaces there are, and which filterable keys rows carry, as a fence that no late writer passes.
 *
 * A writer reads the list of spaces, embeds for seconds or minutes, then commits; meanwhile another server may have made
 * a space. If such a commit came after every chunk was looked at, the new space would lack its vectors and nobody would
 * know. Reading the list again inside the transaction does not help: snapshots let the two pass each other unseen. So the
 * list lies in a few rows besides ("slots"), and each transaction that makes chunks live *writes* to one of them, at
 * the list that it brings vectors for. A change of the list then writes to every slot: it waits for the transactions
 * that hold one, and whoever begins later finds another list and starts again. After that (`align`) every commit brings
 * vectors for every space, so a chunk that lacks one was there before, and a pass over the chunks finds it for certain.
 *
 * The filterable keys of filterable-projection.ts lie there too, for the same reason and in the same way.
 *
 * Several slots, because two transactions that write to one row cannot both commit: in one process transactions take
 * turns on them, and several processes rarely meet.
 */
export interface SpaceFence {
  /** Runs `body` with the check that its transaction has to make; throws `SpacesMoved` where the lists are others. */
  during<T>(brought: Brought, body: (pass: PassFence) => Promise<T>): Promise<T>;
  /** Brings every slot to the stored list. When it returns, nothing that began with an earlier list can commit. */
  align(): Promise<void>;
}

/** What a writer went by; what is left out does not matter to it. */
export interface Brought {
  /** The ids of the spaces that it brings vectors for. */
  readonly spaces?: readonly string[];
  /** `keysSignature` of the keys that its rows carry. */
  readonly keys?: string;
}

/** What a transaction has to write so that it may make chunks live, alone or among its other writes. */
export interface PassFence {
  readonly group: WriteGroup;
  /** Throws `SpacesMoved` where the group's write found no row: there are other spaces. */
  check(result: GroupResult): void;
  /** Writes the group by itself, and checks. */
  alone(session: ClientSession): Promise<void>;
}

/** There are other embedding spaces or filterable keys than the writer went by: it reads the lists and starts again. */
export class SpacesMoved extends VersionMoved {
  constructor() {
    super();
    this.name = 'SpacesMoved';
    this.message = 'The embedding spaces or the filterable keys changed meanwhile';
  }
}

/** More than a process runs transactions at once, few enough to be written one after the other. */
const SLOTS = 32;

export function spaceFence(database: Database, onMoved: () => void): SpaceFence {
  // Used in turn, beginning anywhere: a slot that was just given back is the last to be taken, so that a change of the
  // list finds each of them free.
  const first = Math.floor(Math.random() * SLOTS);
  const free = Array.from({ length: SLOTS }, (_, index) => (first + index) % SLOTS);

  const align = async (): Promise<void> => {
    const { generation, spaces, keys } = await storedLists(database);
    const slots = await database.spaceFences.find().toArray();
    if (slots.length < SLOTS) await makeSlots(database);
    else if (slots.every((slot) => slot.generation >= generation)) return;
    // An earlier list never overwrites a later one, whoever is late.
    const updates = Array.from({ length: SLOTS }, (_, slot) => ({
      updateOne: {
        filter: { _id: slot, generation: { $lt: generation } },
        update: { $set: { generation, spaces, keys } },
      },
    }));
    await database.spaceFences.bulkWrite(updates, { ordered: false });
  };

  return {
    align,
    async during(brought, body) {
      const slot = free.shift();
      try {
        const lists = {
          ...(brought.spaces && { spaces: spaceList(brought.spaces) }),
          ...(brought.keys !== undefined && { keys: brought.keys }),
        };
        return await body(passFence(database, { _id: slot ?? Math.floor(Math.random() * SLOTS), ...lists }));
      } catch (error) {
        if (error instanceof SpacesMoved) {
          onMoved();
          // Whoever changed the list may have died before the slots knew.
          await align();
        }
        throw error;
      } finally {
        if (slot !== undefined) free.push(slot);
      }
    },
  };
}

function passFence(database: Database, filter: Filter<SpaceFenceRow>): PassFence {
  const update = { $inc: { passed: 1 } };
  const check = ({ matchedCount }: Pick<GroupResult, 'matchedCount'>): void => {
    if (matchedCount === 0) throw new SpacesMoved();
  };
  return {
    group: writeGroup(database.spaceFences, [{ updateOne: { filter, update } }]),
    check,
    alone: async (session) => check(await database.spaceFences.updateOne(filter, update, { session })),
  };
}

/** Equal for writers that may share a transaction. */
export function listKey({ spaces = [], keys = '' }: Brought): string {
  return `${spaceList(spaces)} ${keys}`;
}

/** Ids in their own order, so that equal lists are equal strings. */
function spaceList(spaces: readonly string[]): string {
  return [...spaces].sort((a, b) => Number(a.slice(1)) - Number(b.slice(1))).join(',');
}

async function storedLists(database: Database): Promise<{ generation: number; spaces: string; keys: string }> {
  return await inTransaction(database, async (session) => {
    const counter = (await database.settings.findOne({ _id: 'spaces' }, { session })) as SettingRow | null;
    const rows = await database.spaces.find({}, { session }).project<{ _id: string }>({ _id: 1 }).toArray();
    return {
      generation: counter?._id === 'spaces' ? counter.generation : 0,
      spaces: spaceList(rows.map(({ _id }) => _id)),
      keys: keysSignature((await filterableState(database, session)).declared),
    };
  });
}

async function makeSlots(database: Database): Promise<void> {
  try {
    await database.spaceFences.bulkWrite(
      Array.from({ length: SLOTS }, (_, slot) => ({
        updateOne: {
          filter: { _id: slot },
          update: { $setOnInsert: { generation: 0, spaces: '', keys: '', passed: 0 } },
          upsert: true,
        },
      })),
      { ordered: false },
    );
  } catch (error) {
    // Another server that starts at the same moment made the same.
    if (!isDuplicateKey(error)) throw error;
  }
}
