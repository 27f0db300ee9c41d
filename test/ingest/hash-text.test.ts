import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { hashText } from '../../src/ingest/hash-text.js';

const MIB = 1024 * 1024;
const whole = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

test.each([
  ['nothing', ''],
  ['a short one', 'Grüße, 世界 🌍'],
  ['one that ends with a part', 'x'.repeat(2 * MIB)],
  ['one whose parts would end between the halves of a pair', `x${'🌍'.repeat(MIB)}`],
])('a text is hashed in parts as it would be whole: %s', async (_, text) => {
  expect(await hashText(text)).toBe(whole(text));
});

test('others have their turn between the parts of a large text', async () => {
  let turns = 0;
  setImmediate(() => turns++);
  await hashText('x'.repeat(3 * MIB));
  expect(turns).toBe(1);
});
