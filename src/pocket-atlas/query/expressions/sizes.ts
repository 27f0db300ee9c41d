import { Binary } from 'bson';
import { encode } from '../../bson/encode.js';
import { location } from '../errors.js';
import { isDocument } from '../path.js';
import { isNullish, type OperatorTable, typeOf, unary } from './operator.js';

export const SIZES: OperatorTable = {
  $binarySize: unary((value) => {
    if (isNullish(value)) return null;
    if (typeof value === 'string') return Buffer.byteLength(value);
    if (value instanceof Binary) return value.length();
    throw location(51276, `$binarySize requires a string or BinData argument, found: ${typeOf(value)}`);
  }),
  $bsonSize: unary((value) => {
    if (isNullish(value)) return null;
    if (isDocument(value)) return encode(value).byteLength;
    throw location(31393, `$bsonSize requires a document input, found: ${typeOf(value)}`);
  }),
};
