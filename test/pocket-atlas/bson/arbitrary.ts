import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  Decimal128,
  Double,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
} from 'bson';
import fc from 'fast-check';
import { isInt32 } from '../../../src/pocket-atlas/bson/type.js';
import type { BsonValue, Doc } from '../../../src/pocket-atlas/bson/values.js';

/** Strings as BSON holds them: no lone surrogates. */
export const text = fc.string({ unit: 'binary', maxLength: 8 }).map((value) => value.toWellFormed());

export const int32 = fc.oneof(fc.integer(), fc.integer({ min: -3, max: 3 }), fc.constantFrom(-(2 ** 31), 2 ** 31 - 1));
export const double = fc
  .oneof(
    fc.double(),
    int32,
    fc.constantFrom(
      -0,
      0,
      NaN,
      Infinity,
      -Infinity,
      2 ** 53,
      2 ** 53 + 2,
      -(2 ** 63),
      2 ** 63,
      0.1,
      5e-324,
      Number.MAX_VALUE,
    ),
  )
  .map((value): BsonValue => (isInt32(value) ? new Double(value) : value));
export const long = fc
  .oneof(
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    int32.map(BigInt),
    fc.constantFrom(2n ** 53n, 2n ** 53n + 1n),
  )
  .map((value) => Long.fromBigInt(value));
export const decimal = fc
  .oneof(
    fc
      .tuple(fc.bigInt({ min: -(10n ** 34n) + 1n, max: 10n ** 34n - 1n }), fc.integer({ min: -6176, max: 6111 }))
      .map(([c, e]) => `${c}E${e}`),
    fc.tuple(fc.integer({ min: -200, max: 200 }), fc.integer({ min: -3, max: 3 })).map(([c, e]) => `${c}E${e}`),
    fc.constantFrom(
      'NaN',
      'Infinity',
      '-Infinity',
      '0',
      '-0',
      '0.1',
      '9007199254740993',
      '1.8E308',
      '1E-400',
      '0.1000000000000000055511151231257827',
    ),
  )
  .map((value) => Decimal128.fromString(value));
export const number: fc.Arbitrary<BsonValue> = fc.oneof(int32, double, long, decimal);

const date = fc.oneof(fc.integer({ min: -8.64e15, max: 8.64e15 }), fc.constantFrom(0, -1, 1)).map((ms) => new Date(ms));
const binary = fc
  .tuple(fc.uint8Array({ maxLength: 6 }), fc.constantFrom(0, 2, 4, 5, 9, 128))
  .map(([bytes, subtype]) => new Binary(bytes, subtype));
const timestamp = fc
  .tuple(fc.integer({ min: 0, max: 0xffffffff }), fc.integer({ min: 0, max: 0xffffffff }))
  .map(([t, i]) => new Timestamp({ t, i }));
const name = fc.oneof(
  fc.constantFrom('a', 'b', '_id', '__proto__', '_bsontype', '$x', 'a.b', ''),
  text.map((value) => value.replaceAll('\0', '')),
);

export const scalar: fc.Arbitrary<BsonValue> = fc.oneof(
  { weight: 4, arbitrary: number },
  { weight: 3, arbitrary: text },
  fc.constantFrom(null, true, false, new MinKey(), new MaxKey()),
  date,
  binary,
  timestamp,
  fc.uint8Array({ minLength: 12, maxLength: 12 }).map((bytes) => new ObjectId(bytes)),
  fc
    .tuple(
      text.map((value) => value.replaceAll('\0', '')),
      fc.subarray(['i', 'm', 's', 'x']),
    )
    .map(([p, o]) => new BSONRegExp(p, o.join(''))),
  text.map((value) => new Code(value)),
  text.map((value) => new BSONSymbol(value)),
);

function docOf(value: fc.Arbitrary<BsonValue>): fc.Arbitrary<Doc> {
  // Names like array indexes are reordered by JavaScript, in any object.
  const entry = fc.tuple(
    name.filter((key) => !/^\d+$/.test(key)),
    value,
  );
  return fc.uniqueArray(entry, { maxLength: 4, selector: ([key]) => key }).map((entries) => {
    const doc: Doc = {};
    for (const [key, item] of entries) {
      Object.defineProperty(doc, key, { value: item, enumerable: true, writable: true, configurable: true });
    }
    return doc;
  });
}

const nested = fc.letrec<{ value: BsonValue; doc: Doc }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { weight: 6, arbitrary: scalar },
    { weight: 1, arbitrary: tie('doc') },
    { weight: 1, arbitrary: fc.array(tie('value'), { maxLength: 3 }) },
    { weight: 1, arbitrary: fc.tuple(text, tie('doc')).map(([code, scope]) => new Code(code, scope)) },
  ),
  doc: docOf(tie('value')),
}));

export const value = nested.value;
export const doc = nested.doc;
