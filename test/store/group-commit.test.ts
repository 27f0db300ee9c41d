import { expect, test } from 'vitest';
import { AppError } from '../../src/errors.js';
import { type GroupedWrite, groupCommit } from '../../src/store/group-commit.js';

interface Write extends GroupedWrite {
  readonly name: string;
}
const write = (name: string, options: Partial<Write> = {}): Write => ({
  name,
  realm: 's1',
  rows: 1,
  bytes: 1,
  ...options,
});
const LIMITS = { writes: 3, rows: 10, bytes: 100 };

/** Commits that end when the test says so; `groups` are their names in the order begun. */
function held(fails: (names: readonly string[]) => Error | null = () => null) {
  const groups: string[][] = [];
  const ends: (() => void)[] = [];
  const commit = groupCommit<Write>(LIMITS, async (writes) => {
    const names = writes.map(({ name }) => name);
    groups.push(names);
    await new Promise<void>((resolve) => ends.push(resolve));
    const error = fails(names);
    if (error) throw error;
  });
  const endAll = async (all: Promise<unknown>): Promise<void> => {
    let isOver = false;
    const over = all.then(() => {
      isOver = true;
    });
    while (!isOver) {
      for (const end of ends.splice(0)) end();
      await Promise.race([over, new Promise((resolve) => setImmediate(resolve))]);
    }
  };
  return { commit, groups, endAll };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('what comes in one turn of the event loop goes together, and what comes while the lanes are taken does too, in order', async () => {
  const { commit, groups, endAll } = held();
  const first = ['a', 'b'].map((name) => commit(write(name)));
  await turn();
  const second = [commit(write('c'))];
  await turn();
  expect(groups).toEqual([['a', 'b'], ['c']]);
  const late = ['d', 'e', 'f', 'g'].map((name) => commit(write(name)));
  await turn();
  expect(groups).toHaveLength(2);
  await endAll(Promise.all([...first, ...second, ...late]));
  expect(groups).toEqual([['a', 'b'], ['c'], ['d', 'e', 'f'], ['g']]);
});

test.each([
  ['rows', [write('c', { rows: 6 }), write('d', { rows: 5 }), write('e')], [['c'], ['d', 'e']]],
  ['bytes', [write('c', { bytes: 99 }), write('d'), write('e')], [['c', 'd'], ['e']]],
  ['realm', [write('c'), write('d', { realm: 's1,s2' }), write('e', { realm: 's1,s2' })], [['c'], ['d', 'e']]],
  ['size alone', [write('c', { rows: 1_000 }), write('d')], [['c'], ['d']]],
])('a group is bounded by its %s', async (_, writes, expected) => {
  const { commit, groups, endAll } = held();
  await endAll(Promise.all(writes.map(commit)));
  expect(groups).toEqual(expected);
});

test('a group that fails is taken apart: each write succeeds or fails by itself', async () => {
  const { commit, groups, endAll } = held((names) => (names.includes('d') ? new Error(`not ${names}`) : null));
  const settled = Promise.allSettled(['a', 'b', 'c', 'd', 'e'].map((name) => commit(write(name))));
  await endAll(settled);
  expect((await settled).map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
  ]);
  expect(groups).toEqual([['a', 'b', 'c'], ['d', 'e'], ['d'], ['e']]);
});

test('where the database is away nobody asks again for each', async () => {
  const away = new AppError('STORE_UNAVAILABLE', 'The database cannot be reached');
  const { commit, groups, endAll } = held((names) => (names.length > 1 ? away : null));
  const settled = Promise.allSettled(['a', 'b', 'c', 'd'].map((name) => commit(write(name))));
  await endAll(settled);
  expect((await settled).slice(0, 3)).toEqual(Array(3).fill({ status: 'rejected', reason: away }));
  expect(groups).toEqual([['a', 'b', 'c'], ['d']]);
});
