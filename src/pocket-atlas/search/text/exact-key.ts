import { Binary, Decimal128, ObjectId } from 'bson';
import type { BsonValue } from '../../bson/values.js';
import { plainNumber } from '../spec-reader.js';

/** A scalar as the exact fields of a segment keep it: one letter for its type, then the value. */
export type TypedValue =
  | { readonly type: 'string' | 'boolean' | 'objectId' | 'uuid' | 'null'; readonly key: string }
  | { readonly type: 'number' | 'date'; readonly number: number };

export const stringKey = (value: string): string => `s${value}`;
export const NULL_KEY = 'z';

/** The scalar with its type; undefined for what search indexes do not keep (documents, arrays, regular expressions …). */
export function typedValue(value: BsonValue): TypedValue | undefined {
  if (typeof value === 'string') return { type: 'string', key: stringKey(value) };
  if (typeof value === 'boolean') return { type: 'boolean', key: value ? 'b1' : 'b0' };
  if (value === null) return { type: 'null', key: NULL_KEY };
  if (value instanceof Date) return { type: 'date', number: value.getTime() };
  if (value instanceof ObjectId) return { type: 'objectId', key: `o${value.toHexString()}` };
  if (value instanceof Binary && value.sub_type === Binary.SUBTYPE_UUID) {
    return { type: 'uuid', key: `u${Buffer.from(value.value()).toString('hex')}` };
  }
  if (value instanceof Decimal128) return undefined;
  const number = plainNumber(value);
  return number === undefined ? undefined : { type: 'number', number };
}
