import { Binary, BSON, Decimal128, Double, Int32, Long, ObjectId } from 'bson';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changedFields, decode, decodeFields, decodeFieldsChecked } from '../../../src/pocket-atlas/bson/decode.js';
import { checkDocumentSize, encode, MAX_DOCUMENT_BYTES } from '../../../src/pocket-atlas/bson/encode.js';
import type { Doc } from '../../../src/pocket-atlas/bson/values.js';
import { CommandError } from '../../../src/pocket-atlas/errors.js';
import * as arbitrary from './arbitrary.js';

function codeOf(run: () => unknown): number | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof CommandError) return error.code;
    throw error;
  }
}

/** The package cannot write a field `_bsontype`, nor a binary vector with a wrong header; both can be stored. */
function packageRefuses(value: unknown): boolean {
  if (value === null || typeof value !== 'object') return false;
  if (Object.hasOwn(value, '_bsontype')) return true;
  if (value instanceof Binary) return value.sub_type === Binary.SUBTYPE_VECTOR;
  return Object.values(value).some(packageRefuses);
}

describe('decode and encode', () => {
  it('give back every document byte for byte', () => {
    fc.assert(
      fc.property(arbitrary.doc, (doc) => {
        const bytes = encode(doc);
        expect(Buffer.from(encode(decode(bytes))).equals(bytes)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it('write what the bson package writes', () => {
    fc.assert(
      fc.property(
        arbitrary.doc.filter((doc) => !packageRefuses(doc)),
        (doc) => {
          expect(Buffer.from(encode(doc)).toString('hex')).toBe(Buffer.from(BSON.serialize(doc)).toString('hex'));
        },
      ),
      { numRuns: 1000 },
    );
  });

  it.each<[string, Doc, unknown]>([
    ['an Int32', { a: new Int32(5) as never }, 5],
    ['a Double that is an integer', { a: new Double(5) }, new Double(5)],
    ['a large Double', { a: 5e9 }, 5e9],
    ['minus zero', { a: -0 }, -0],
    ['NaN', { a: NaN }, NaN],
    ['a small Int64', { a: Long.fromNumber(7) }, Long.fromNumber(7)],
    ['a Decimal128', { a: Decimal128.fromString('1.10') }, Decimal128.fromString('1.10')],
    ['undefined in an array', { a: [undefined, 1] }, [null, 1]],
    ['Binary of the old subtype', { a: new Binary(Buffer.from('ab'), 2) }, new Binary(new Uint8Array([97, 98]), 2)],
    ['a Date before 1970', { a: new Date(-1) }, new Date(-1)],
  ])('keep %s', (_, doc, expected) => {
    const { a } = decode(encode(doc));
    if (typeof expected === 'number') expect(a).toBe(expected);
    else if (expected instanceof Binary) {
      expect(Buffer.from((a as Binary).buffer).equals(expected.buffer)).toBe(true);
      expect((a as Binary).sub_type).toBe(2);
    } else expect(a).toEqual(expected);
  });

  it('keep documents that outgrow the writing buffer at any place', () => {
    for (const size of [60_000, 65_500, 65_536, 200_000, 3_000_000]) {
      const long = 'é'.repeat(size / 2);
      const doc: Doc = { a: [1, { b: long, c: true }, long], d: { e: new Binary(Buffer.alloc(size)) }, f: null };
      expect(Buffer.from(encode(doc)).equals(BSON.serialize(doc))).toBe(true);
      expect(Buffer.from(encode(decode(encode(doc)))).equals(encode(doc))).toBe(true);
    }
  });

  it('read some fields as the whole document has them', () => {
    fc.assert(
      fc.property(arbitrary.doc, fc.subarray(['a', 'b', '_id', '__proto__', '$x', '']), (doc, names) => {
        const bytes = encode(doc);
        const wanted = new Set(names);
        const whole = decode(bytes);
        const expected = encode(Object.fromEntries(Object.entries(whole).filter(([name]) => wanted.has(name))) as Doc);
        expect(Buffer.from(encode(decodeFields(bytes, wanted))).equals(expected)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it('tell which of some fields two documents do not have alike', () => {
    const names = ['a', 'b', '_id', '__proto__', '$x', ''];
    const bytesOf = (bytes: Uint8Array, name: string) =>
      Buffer.from(encode(decodeFields(bytes, new Set([name])))).toString('hex');
    fc.assert(
      fc.property(arbitrary.doc, arbitrary.doc, fc.subarray(names), (one, other, shared) => {
        const kept = Object.fromEntries(Object.entries(one).filter(([name]) => shared.includes(name)));
        const [before, after] = [encode(one), encode({ ...other, ...kept } as Doc)];
        const expected = names.filter((name) => bytesOf(before, name) !== bytesOf(after, name));
        expect(new Set(expected)).toEqual(changedFields(before, after, new Set(names)));
      }),
      { numRuns: 1000 },
    );
  });

  it('name the elements of long arrays', () => {
    const doc: Doc = { a: Array.from({ length: 120_000 }, (_, n) => n) };
    expect(Buffer.from(encode(doc)).equals(BSON.serialize(doc))).toBe(true);
  });

  it('refuse objects that are no BSON values', () => {
    for (const value of [new Map(), new Uint8Array(3), new Error('x')]) {
      expect(() => encode({ a: value as never })).toThrow(TypeError);
    }
  });

  it('leave undefined fields out', () => {
    expect(decode(encode({ a: undefined, b: 1 }))).toEqual({ b: 1 });
  });

  it('keep __proto__ as an ordinary field', () => {
    const bytes = BSON.serialize(JSON.parse('{ "__proto__": { "admin": true }, "a": 1 }'));
    const doc = decode(bytes);
    expect(Object.keys(doc)).toEqual(['__proto__', 'a']);
    expect((doc as { admin?: boolean }).admin).toBeUndefined();
    expect(Buffer.from(encode(doc)).equals(bytes)).toBe(true);
  });

  it('read values that do not point into the given bytes', () => {
    const id = new ObjectId();
    const bytes = encode({ id, b: new Binary(new Uint8Array([1, 2, 3])), d: Decimal128.fromString('2') });
    const doc = decode(bytes);
    bytes.fill(0);
    expect(doc).toEqual({ id, b: new Binary(new Uint8Array([1, 2, 3])), d: Decimal128.fromString('2') });
  });

  it('read a document that is a window of a larger buffer', () => {
    const bytes = encode({ a: 'x', n: 1.5 });
    const larger = new Uint8Array(bytes.length + 7);
    larger.set(bytes, 3);
    expect(decode(larger.subarray(3, 3 + bytes.length))).toEqual({ a: 'x', n: 1.5 });
  });
});

describe('malformed BSON', () => {
  it('is refused, or read as a document, never a crash, when bytes are changed', () => {
    fc.assert(
      fc.property(arbitrary.doc, fc.nat(), fc.integer({ min: 0, max: 255 }), (doc, at, byte) => {
        const bytes = encode(doc);
        bytes[at % bytes.length] = byte;
        const code = codeOf(() => decode(bytes));
        expect([undefined, 2, 15, 22]).toContain(code);
        expect([undefined, 2, 15, 22]).toContain(codeOf(() => decodeFields(bytes, new Set(['a']))));
      }),
      { numRuns: 1500 },
    );
  });

  it('is refused by reading some fields of what comes from outside just as by reading all of it', () => {
    const someFields = (bytes: Uint8Array) => codeOf(() => decodeFieldsChecked(bytes, new Set(['a'])));
    fc.assert(
      fc.property(arbitrary.doc, fc.nat(), fc.integer({ min: 0, max: 255 }), (doc, at, byte) => {
        const bytes = encode(doc);
        expect(someFields(bytes)).toBeUndefined();
        bytes[at % bytes.length] = byte;
        expect(someFields(bytes)).toBe(codeOf(() => decode(bytes)));
        expect(someFields(bytes.subarray(0, at % bytes.length))).toBe(22);
      }),
      { numRuns: 3000 },
    );
  });

  it('is refused when it is cut off or followed by more', () => {
    fc.assert(
      fc.property(arbitrary.doc, fc.nat(), (doc, cut) => {
        const bytes = encode(doc);
        expect(codeOf(() => decode(bytes.subarray(0, cut % bytes.length)))).toBe(22);
        const longer = new Uint8Array(bytes.length + 1);
        longer.set(bytes);
        expect(codeOf(() => decode(longer))).toBe(22);
      }),
    );
  });

  it('is refused in random bytes with a fitting length', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 6, maxLength: 60 }), (bytes) => {
        new DataView(bytes.buffer).setInt32(0, bytes.length, true);
        expect([undefined, 2, 15, 22]).toContain(codeOf(() => decode(bytes)));
      }),
      { numRuns: 1500 },
    );
  });

  it('is refused beyond 200 levels, at exactly that depth', () => {
    const deep = (levels: number): Doc => {
      let doc: Doc = {};
      for (let level = 1; level < levels; level++) doc = { a: doc };
      return doc;
    };
    expect(codeOf(() => decode(encode(deep(200))))).toBeUndefined();
    expect(codeOf(() => encode(deep(201)))).toBe(15);
    expect(codeOf(() => decode(BSON.serialize(deep(201))))).toBe(15);
  });

  it('is refused where a field name holds a NUL', () => {
    expect(codeOf(() => encode({ 'a\0b': 1 }))).toBe(2);
  });
});

describe('the size limit', () => {
  it('is 16 MiB', () => {
    expect(codeOf(() => checkDocumentSize(new Uint8Array(MAX_DOCUMENT_BYTES)))).toBeUndefined();
    expect(() => checkDocumentSize(new Uint8Array(MAX_DOCUMENT_BYTES + 1))).toThrow(
      'BSONObj size: 16777217 (0x1000001) is invalid. Size must be between 0 and 16793600(16MB)',
    );
  });
});
