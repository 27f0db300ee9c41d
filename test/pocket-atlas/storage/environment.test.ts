import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Environment } from '../../../src/pocket-atlas/storage/environment.js';
import { temporaryDirectory } from './temporary-directory.js';

const key = (n: number) => Buffer.from(String(n).padStart(5, '0'));

describe('a range of a table', () => {
  it('is read in pieces exactly as it is, ascending and descending, between any bounds', async () => {
    const environment = Environment.open(temporaryDirectory());
    onTestFinished(() => environment.close());
    const numbers = Array.from({ length: 900 }, (_, n) => n * 2);
    // Some values fill a piece of their own.
    const sizeOf = (n: number) => (n % 100 === 0 ? 600_000 : 3);
    await environment.apply(numbers.map((n) => ({ table: 'side', key: key(n), value: Buffer.alloc(sizeOf(n), n) })));
    fc.assert(
      fc.property(fc.nat(1800), fc.option(fc.nat(1800), { nil: undefined }), fc.boolean(), (from, to, reverse) => {
        const expected = numbers.filter((n) => n >= from && (to === undefined || n < to));
        if (reverse) expected.reverse();
        const found = [...environment.range('side', key(from), to === undefined ? undefined : key(to), { reverse })];
        expect(found.map((entry) => Number(Buffer.from(entry.key).toString()))).toEqual(expected);
        for (const [at, entry] of found.entries()) expect(entry.value.length).toBe(sizeOf(expected[at]!));
      }),
      { numRuns: 60 },
    );
  });

  it('at a snapshot does not change, and is refused once that is gone', async () => {
    const environment = Environment.open(temporaryDirectory());
    onTestFinished(() => environment.close());
    const put = (from: number, count: number) =>
      environment.apply(
        Array.from({ length: count }, (_, n) => ({ table: 'side' as const, key: key(from + n), value: Buffer.of(1) })),
      );
    await put(0, 100);
    const transaction = environment.snapshot();
    let gone = false;
    const check = () => {
      if (gone) throw new Error('gone');
    };
    const reading = environment.range('side', key(0), undefined, { transaction, check });
    for (let n = 0; n < 10; n++) reading.next();
    await put(100, 100);
    expect([...reading]).toHaveLength(90);
    const again = environment.range('side', key(0), undefined, { transaction, check });
    again.next();
    gone = true;
    expect(() => [...again]).toThrow('gone');
    transaction.done();
  });
});
