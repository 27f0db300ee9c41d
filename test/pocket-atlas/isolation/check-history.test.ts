import { describe, expect, it } from 'vitest';
import { checkHistory, type HistoryTransaction, type Operation } from './check-history.js';

const append = (key: string): Operation => ({ kind: 'append', key });
const read = (key: string, ...list: number[]): Operation => ({ kind: 'read', key, list });
const run = (id: number, ...operations: Operation[]): HistoryTransaction => ({
  id,
  committed: true,
  client: id,
  operations,
});
const rolledBack = (id: number, ...operations: Operation[]) => ({ ...run(id, ...operations), committed: false });
const final = (lists: Record<string, number[]>) => new Map(Object.entries(lists));

describe('the checker of histories', () => {
  it('takes what snapshot isolation allows, write skew included', () => {
    const skew = [run(1, read('x'), append('y')), run(2, read('y'), append('x'))];
    expect(checkHistory(skew, final({ x: [2], y: [1] }))).toEqual([]);
    const serial = [run(1, append('x')), run(2, read('x', 1), append('x'), read('x', 1, 2))];
    expect(checkHistory(serial, final({ x: [1, 2] }))).toEqual([]);
  });

  it.each<[string, HistoryTransaction[], Record<string, number[]>, RegExp]>([
    [
      'a lost update',
      [run(1, read('x'), append('x')), run(2, read('x'), append('x'))],
      { x: [2] },
      /append of 1 was lost/,
    ],
    [
      'two writers that both read the same state',
      [run(1, read('x'), append('x')), run(2, read('x'), append('x'))],
      { x: [1, 2] },
      /cycle/,
    ],
    ['a dirty read', [rolledBack(1, append('x')), run(2, read('x', 1))], { x: [] }, /never committed/],
    ['a rolled back write', [rolledBack(1, append('x'))], { x: [1] }, /rolled back/],
    ['a non-repeatable read', [run(1, append('x')), run(2, read('x'), read('x', 1))], { x: [1] }, /differently/],
    [
      'a read of half a transaction',
      [run(1, append('x'), append('y')), run(2, read('x', 1), read('y'))],
      { x: [1], y: [1] },
      /cycle/,
    ],
    [
      'a long fork',
      [run(1, append('x')), run(2, append('y')), run(3, read('x', 1), read('y')), run(4, read('y', 2), read('x'))],
      { x: [1], y: [2] },
      /cycle/,
    ],
    ['an append that its own transaction does not see', [run(1, append('x'), read('x'))], { x: [1] }, /own append/],
    [
      'a client that does not see what it wrote before',
      [
        { ...run(1, append('x')), client: 7 },
        { ...run(2, read('x')), client: 7 },
      ],
      { x: [1] },
      /cycle/,
    ],
  ])('finds %s', (_, history, lists, fault) => {
    expect(checkHistory(history, final(lists)).join('\n')).toMatch(fault);
  });
});
