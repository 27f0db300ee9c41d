import { Long, ObjectId } from 'bson';
import type { BsonValue, Doc } from '../../../../src/pocket-atlas/bson/values.js';

/** The filter language of `$vectorSearch` read as slowly and plainly as possible: what bitmaps are compared with. */
export function naiveMatch(doc: Doc, filter: Doc): boolean {
  return Object.entries(filter).every(([name, operand]) => {
    if (name === '$and') return (operand as Doc[]).every((clause) => naiveMatch(doc, clause));
    if (name === '$or') return (operand as Doc[]).some((clause) => naiveMatch(doc, clause));
    if (name === '$nor') return !(operand as Doc[]).some((clause) => naiveMatch(doc, clause));
    const found = at([doc], name.split('.'));
    const isOperators = typeof operand === 'object' && operand !== null && operand.constructor === Object;
    return operators(found, isOperators ? (operand as Doc) : { $eq: operand });
  });
}

function operators(found: readonly BsonValue[], conditions: Doc): boolean {
  return Object.entries(conditions).every(([operator, operand]) => {
    const values = found.flat();
    const some = (holds: (order: number) => boolean, bound = operand) =>
      values.some((value) => {
        const order = compare(value, bound);
        return order !== undefined && holds(order);
      });
    switch (operator) {
      case '$eq':
        return some((order) => order === 0);
      case '$ne':
        return !some((order) => order === 0);
      case '$gt':
        return some((order) => order > 0);
      case '$gte':
        return some((order) => order >= 0);
      case '$lt':
        return some((order) => order < 0);
      case '$lte':
        return some((order) => order <= 0);
      case '$in':
        return (operand as BsonValue[]).some((one) => some((order) => order === 0, one));
      case '$nin':
        return !(operand as BsonValue[]).some((one) => some((order) => order === 0, one));
      case '$exists':
        return found.length > 0 === operand;
      case '$not':
        return !operators(found, operand as Doc);
      default:
        throw new Error(`no operator ${operator}`);
    }
  });
}

function at(values: readonly BsonValue[], path: readonly string[]): BsonValue[] {
  if (path.length === 0) return [...values];
  const [name, ...rest] = path as [string, ...string[]];
  const next = values
    .flatMap((value) => (Array.isArray(value) ? value : [value]))
    .flatMap((value) =>
      typeof value === 'object' && value !== null && value.constructor === Object && name in value
        ? [(value as Doc)[name]]
        : [],
    );
  return at(next, rest);
}

/** Order of two values of one type; undefined for others. */
function compare(a: BsonValue, b: BsonValue): number | undefined {
  const [left, right] = [comparable(a), comparable(b)];
  if (left === undefined || right === undefined || left[0] !== right[0]) return undefined;
  // A bigint and a number compare by value this way, but are never identical.
  if (left[1] < right[1]) return -1;
  return left[1] > right[1] ? 1 : 0;
}

function comparable(value: BsonValue): [string, string | number | bigint] | undefined {
  if (value === null) return ['null', 0];
  if (typeof value === 'boolean') return ['boolean', Number(value)];
  if (typeof value === 'string') return ['string', Buffer.from(value).toString('hex')];
  if (typeof value === 'number') return ['number', value];
  if (value instanceof Long) return ['number', value.toBigInt()];
  if (value instanceof Date) return ['date', value.getTime()];
  if (value instanceof ObjectId) return ['objectId', value.toHexString()];
  return undefined;
}
