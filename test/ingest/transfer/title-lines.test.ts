import { expect, test } from 'vitest';
import { TitleLines } from '../../../src/ingest/transfer/title-lines.js';

test('the first line of each title is known among very many, whatever blanks they have', () => {
  const titles = new TitleLines();
  const COUNT = 20_000;
  const known = Array.from({ length: COUNT }, (_, index) => titles.note(`Title ${index}`, index + 2));
  expect(new Set(known)).toEqual(new Set([null]));
  for (let index = 0; index < COUNT; index += 997) expect(titles.note(` Title  ${index}`, COUNT + 2)).toBe(index + 2);
  expect(titles.note('another', 7)).toBeNull();
});
