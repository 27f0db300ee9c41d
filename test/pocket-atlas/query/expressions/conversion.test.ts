import { Binary, Decimal128, Double, Long, ObjectId, Timestamp } from 'bson';
import { describe, expect, it } from 'vitest';
import type { BsonValue } from '../../../../src/pocket-atlas/bson/values.js';
import { checkAll, evaluate, failure } from '../check.js';

const hex = '5ab9c3da31c2ab715d421285';

describe('conversion', () => {
  it('converts between types', () => {
    checkAll({ at: new Date('2018-03-27T05:04:47.890Z'), id: new ObjectId(hex) }, [
      [{ $toInt: '12' }, 12],
      [{ $toInt: 12.9 }, 12],
      [{ $toInt: Long.fromNumber(7) }, 7],
      [{ $toInt: true }, 1],
      [{ $toLong: '12' }, Long.fromNumber(12)],
      [{ $toLong: '$at' }, Long.fromNumber(1522127087890)],
      [{ $toLong: '9007199254740993' }, Long.fromString('9007199254740993')],
      [{ $toDouble: '1.5e3' }, new Double(1500)],
      [{ $toDouble: Decimal128.fromString('2.5') }, 2.5],
      [{ $toDecimal: '1.10' }, Decimal128.fromString('1.10')],
      [{ $toDecimal: 100 }, Decimal128.fromString('100')],
      [{ $toString: 1 }, '1'],
      [{ $toString: new Double(1) }, '1'],
      [{ $toString: 2.5 }, '2.5'],
      [{ $toString: '$at' }, '2018-03-27T05:04:47.890Z'],
      [{ $toString: '$id' }, hex],
      [{ $toString: true }, 'true'],
      [{ $toObjectId: hex }, new ObjectId(hex)],
      [{ $toBool: 'false' }, true],
      [{ $toBool: 0 }, false],
      [{ $toDate: '2018-03-27' }, new Date('2018-03-27')],
      [{ $toDate: '2018-03-27T05:04:47+02:00' }, new Date('2018-03-27T03:04:47Z')],
      [{ $toDate: Long.fromNumber(5) }, new Date(5)],
      [{ $toDate: '$id' }, new Date('2018-03-27T04:08:58.000Z')],
      [{ $toDate: new Timestamp({ t: 5, i: 1 }) }, new Date(5000)],
      [{ $toInt: null }, null],
      [{ $convert: { input: 'x', to: 'int', onError: -1 } }, -1],
      [{ $convert: { input: null, to: 'int', onNull: 'none' } }, 'none'],
      [{ $convert: { input: '5', to: 16 } }, 5],
      [{ $convert: { input: 'YWJj', to: 'binData', format: 'base64' } }, new Binary(Buffer.from('abc'))],
      [{ $convert: { input: new Binary(Buffer.from('abc')), to: 'string', format: 'hex' } }, '616263'],
    ]);
  });

  it('names types', () => {
    checkAll({ l: Long.ONE, d: new Double(1) }, [
      [{ $type: '$l' }, 'long'],
      [{ $type: '$d' }, 'double'],
      [{ $type: 1 }, 'int'],
      [{ $type: '$nope' }, 'missing'],
      [{ $type: [[]] }, 'array'],
      [{ $isNumber: '$l' }, true],
      [{ $isNumber: '1' }, false],
      [{ $bsonSize: { a: 1 } }, 12],
      [{ $binarySize: 'é' }, 2],
    ]);
  });

  it.each<BsonValue>([
    { $toInt: 'x' },
    { $toInt: '1.5' },
    { $toInt: ' 1' },
    { $toInt: 1e10 },
    { $toInt: '99999999999' },
    { $toLong: '9223372036854775808' },
    { $toObjectId: 'abc' },
    { $toDate: 'yesterday' },
    { $toDate: '2021-02-30' },
    { $toDate: 5 },
    { $toInt: { a: 1 } },
    { $toDouble: '0x10' },
  ])('refuses %j with 241', (expression) => {
    expect(failure(() => evaluate(expression)).code).toBe(241);
  });
});
