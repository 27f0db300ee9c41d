import { Binary, Code, Decimal128, deserialize, Long, MaxKey, MinKey, ObjectId, serialize, Timestamp } from 'bson';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joinDocuments, rawFields, withoutField } from '../../../src/pocket-atlas/wire/raw-document.js';
import { assertValidBson, NESTING_MAX } from '../../../src/pocket-atlas/wire/valid-bson.js';

const EVERY_TYPE = {
  double: 1.5,
  string: 'grüße',
  document: { nested: { deeper: [] } },
  array: [1, 'two', { three: 3 }],
  binary: new Binary(Buffer.from('bytes')),
  id: new ObjectId(),
  yes: true,
  date: new Date(0),
  nothing: null,
  regex: /a+/i,
  code: new Code('f()'),
  scoped: new Code('f()', { x: 1 }),
  int: 1,
  timestamp: new Timestamp({ t: 1, i: 2 }),
  long: Long.MAX_VALUE,
  decimal: Decimal128.fromString('1.1'),
  min: new MinKey(),
  max: new MaxKey(),
};

describe('assertValidBson', () => {
  it('accepts every type', () => {
    expect(() => assertValidBson(serialize(EVERY_TYPE))).not.toThrow();
  });

  it('refuses every document that a byte short of its end', () => {
    const bytes = serialize(EVERY_TYPE);
    for (let length = 0; length < bytes.length; length += 1) {
      expect(() => assertValidBson(bytes.subarray(0, length))).toThrow();
    }
  });

  it('lets nothing pass that a reader then cannot walk through', () => {
    const bytes = serialize(EVERY_TYPE);
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 0, max: 255 }), (at, value) => {
        const mutated = Buffer.from(bytes);
        mutated[at] = value;
        try {
          assertValidBson(mutated);
        } catch {
          return;
        }
        expect([...rawFields(mutated)].length).toBeGreaterThan(0);
      }),
      { numRuns: 5_000 },
    );
  });

  it(`refuses more than ${NESTING_MAX} levels without running out of stack`, () => {
    let bytes: Uint8Array = serialize({ a: 1 });
    const wrap = (inner: Uint8Array): Uint8Array => {
      const outer = Buffer.alloc(inner.length + 8);
      outer.writeInt32LE(outer.length);
      outer.set([3, 0x61, 0], 4);
      outer.set(inner, 7);
      return outer;
    };
    for (let level = 1; level < NESTING_MAX; level += 1) bytes = wrap(bytes);
    expect(() => assertValidBson(bytes)).not.toThrow();
    expect(() => assertValidBson(wrap(bytes))).toThrow(expect.objectContaining({ code: 15 }));
    let deep = bytes;
    for (let level = 0; level < 2_000; level += 1) deep = wrap(deep);
    expect(() => assertValidBson(deep)).toThrow(expect.objectContaining({ code: 15 }));
  });
});

describe('raw documents', () => {
  it('joins and cuts documents as if they had been decoded and encoded', () => {
    const [a, b] = [serialize({ a: 1, b: 'x' }), serialize({ c: [1, 2] })];
    expect(deserialize(joinDocuments(a, b))).toEqual({ a: 1, b: 'x', c: [1, 2] });
    expect(deserialize(withoutField(a, 'a'))).toEqual({ b: 'x' });
    expect(deserialize(withoutField(a, 'missing'))).toEqual({ a: 1, b: 'x' });
  });
});
