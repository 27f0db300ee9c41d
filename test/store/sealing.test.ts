import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSealer } from '../../src/store/sealing.js';

const sealer = createSealer(randomBytes(32));

test('a token opens for the listing it was sealed for, and always looks the same', () => {
  fc.assert(
    fc.property(fc.string(), fc.jsonValue(), (listing, position) => {
      const token = sealer.seal(listing, position);
      expect(token).toBe(sealer.seal(listing, position));
      expect(sealer.open(listing, token)).toEqual(JSON.parse(JSON.stringify(position)));
    }),
  );
});

test('it opens for no other listing, with no other key, and with no byte changed', () => {
  const token = sealer.seal('documents', [17, 'x']);
  expect(sealer.open('chunks', token)).toBeUndefined();
  expect(createSealer(randomBytes(32)).open('documents', token)).toBeUndefined();
  for (let index = 0; index < token.length; index++)
    for (const character of ['A', 'b', '-'])
      if (token[index] !== character)
        expect(sealer.open('documents', token.slice(0, index) + character + token.slice(index + 1))).toBeUndefined();
});

test('rubbish is no token', () => {
  fc.assert(
    fc.property(fc.string(), (rubbish) => {
      expect(sealer.open('documents', rubbish)).toBeUndefined();
    }),
  );
  expect(sealer.open('documents', 'A'.repeat(100_000))).toBeUndefined();
});
