import { expect, test } from 'vitest';
import { LIMITS } from '../../src/graphql/limits.js';
import { TextBudget } from '../../src/graphql/text-budget.js';

const MOST = LIMITS.responseTextBytes.maximum;

test('up to the limit is read, one byte more is not', async () => {
  const budget = new TextBudget();
  budget.spend(MOST);
  expect(() => budget.spend(1)).toThrow(/^At most 67108864 bytes of text in a response/);
});

test('what would be too much is not even read', async () => {
  const budget = new TextBudget();
  let reads = 0;
  await expect(
    budget.read(MOST + 1, async () => {
      reads += 1;
      return '';
    }),
  ).rejects.toMatchObject({ code: 'QUERY_TOO_COMPLEX' });
  expect(reads).toBe(0);
});

test('bytes count, not characters', async () => {
  const budget = new TextBudget();
  const text = '漢'.repeat(1_000);
  expect(await budget.read(text.length, async () => text)).toBe(text);
  expect(() => budget.spend(MOST - 3_000)).not.toThrow();
  expect(() => budget.spend(1)).toThrow();
});
