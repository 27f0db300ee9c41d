import fc from 'fast-check';
import { expect, test } from 'vitest';
import { textParts } from '../../src/store/text-parts.js';

test('the parts are the text, each fits, and none ends inside a surrogate pair', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'é', '中', '😀', '\n'), maxLength: 400 });
  fc.assert(
    fc.property(text, fc.integer({ min: 8, max: 300 }), (whole, maxBytes) => {
      const parts = textParts(whole, maxBytes);
      expect(parts.join('')).toBe(whole);
      for (const part of parts) {
        expect(Buffer.byteLength(part)).toBeLessThanOrEqual(maxBytes);
        expect(part.isWellFormed()).toBe(true);
        expect(part).not.toBe('');
      }
    }),
  );
});

test('a text of 3 MB of ASCII takes hardly more parts than it must', () => {
  expect(textParts('x'.repeat(3 * 1024 * 1024)).length).toBeLessThanOrEqual(4);
  expect(textParts('')).toEqual([]);
});
