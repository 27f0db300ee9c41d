import { Timestamp } from 'bson';
import { compare, equals } from '../../bson/compare.js';
import type { BsonValue } from '../../bson/values.js';
import { addNumbers, multiplyNumbers } from '../arithmetic.js';
import { describe } from '../describe.js';
import { badValue, typeMismatch } from '../errors.js';
import { typeOf } from '../expressions/operator.js';
import { double, integer, integerOf, isNumeric, numericType } from '../numeric.js';
import { fieldOf, isDocument } from '../path.js';
import type { LeafContext, UpdateLeaf } from './node.js';

export interface ModifierContext {
  readonly now: Date;
  /** Whether the document is about to be inserted. */
  readonly isInsert: boolean;
}

/** Compiles the argument of one path; undefined: nothing to do. */
export type Modifier = (argument: BsonValue, path: string, context: ModifierContext) => UpdateLeaf | undefined;

export function modifier(apply: UpdateLeaf['apply']): UpdateLeaf {
  return { kind: 'leaf', createsPath: true, apply };
}

/** For modifiers that only take away: without the field there is nothing to do. */
export function remover(apply: UpdateLeaf['apply']): UpdateLeaf {
  return {
    kind: 'leaf',
    createsPath: false,
    apply: (value, context) => (value === undefined ? value : apply(value, context)),
  };
}

/** Keeps the old value where the new one is the same to the bit, so that the update is seen to be a no-op. */
export function unlessSame(before: BsonValue, after: BsonValue): BsonValue {
  return isSame(before, after) ? before : after;
}

/** Equal in value and in every type: 1 and NumberLong(1) are not the same stored value. */
function isSame(a: BsonValue, b: BsonValue): boolean {
  if (a === b) return !(a === 0 && 1 / a !== 1 / (b as number));
  if (a === undefined || b === undefined || typeOf(a) !== typeOf(b) || !equals(a, b)) return false;
  if (Array.isArray(a)) return a.every((item, index) => isSame(item, (b as BsonValue[])[index]));
  if (isDocument(a)) {
    return Object.keys(a).every((name) => isSame(a[name], (b as Record<string, BsonValue>)[name]));
  }
  // decimals of one value may differ in their digits, doubles in the sign of zero
  return !isNumeric(a) || String(a) === String(b);
}

/** `$set` and its kin. Source: MongoDB manual, "Field Update Operators". */
export const FIELD_MODIFIERS: Readonly<Record<string, Modifier>> = {
  $set: (argument) => modifier((value) => unlessSame(value, argument)),
  $setOnInsert: (argument, _path, { isInsert }) => (isInsert ? modifier(() => argument) : modifierThatNeverActs),
  $unset: () => remover(() => undefined),
  $inc: arithmetic('$inc', 'increment', addNumbers, (argument) => argument),
  $mul: arithmetic('$mul', 'multiply', multiplyNumbers, zeroOf),
  $min: (argument) => modifier((value) => (value === undefined || compare(argument, value) < 0 ? argument : value)),
  $max: (argument) => modifier((value) => (value === undefined || compare(argument, value) > 0 ? argument : value)),
  $currentDate: currentDate,
  $bit: bit,
};

/** Takes part in conflicts, does nothing. */
const modifierThatNeverActs: UpdateLeaf = { kind: 'leaf', createsPath: false, apply: (value) => value };

type Combine = (a: BsonValue, b: BsonValue, onOverflow: (a: BsonValue, b: BsonValue) => BsonValue) => BsonValue;

function arithmetic(
  name: string,
  verb: string,
  combine: Combine,
  initial: (argument: BsonValue) => BsonValue,
): Modifier {
  return (argument, path) => {
    if (!isNumeric(argument)) {
      throw typeMismatch(`Cannot ${verb} with non-numeric argument: {${path}: ${describe(argument)}}`);
    }
    return modifier((value, context) => {
      if (value === undefined) return initial(argument);
      if (!isNumeric(value)) {
        throw typeMismatch(
          `Cannot apply ${name} to a value of non-numeric type. ${idOf(context)} has the field '${lastPart(context.path)}' of non-numeric type ${typeOf(value)}`,
        );
      }
      const overflow = () => {
        throw badValue(
          `Failed to apply ${name} operations to current value (${describe(value)}) for document ${idOf(context)}`,
        );
      };
      return unlessSame(value, combine(value, argument, overflow));
    });
  };
}

function zeroOf(argument: BsonValue): BsonValue {
  return numericType(argument) === 'double' ? double(0) : multiplyNumbers(argument, 0);
}

export function idOf({ root }: LeafContext): string {
  return `{_id: ${describe(fieldOf(root, '_id'))}}`;
}

export function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

function currentDate(argument: BsonValue, _path: string, { now }: ModifierContext): UpdateLeaf {
  const type = isDocument(argument) ? argument.$type : 'date';
  if (isDocument(argument)) {
    const unknown = Object.keys(argument).find((name) => name !== '$type');
    if (unknown !== undefined) throw badValue(`Unrecognized $currentDate option: ${unknown}`);
    if (type !== 'date' && type !== 'timestamp') {
      throw badValue(
        "The '$type' string field is required to be 'date' or 'timestamp': {$currentDate: {field : {$type: 'date/timestamp'}}}",
      );
    }
  } else if (typeof argument !== 'boolean') {
    throw badValue(
      `${typeOf(argument)} is not valid type for $currentDate. Please use a boolean ('true') or a $type expression ({$type: 'timestamp/date'}).`,
    );
  }
  const value = type === 'date' ? now : new Timestamp({ t: Math.floor(now.getTime() / 1000), i: 1 });
  return modifier((before) => unlessSame(before, value));
}

const BIT_OPERATIONS: Readonly<Record<string, (a: bigint, b: bigint) => bigint>> = {
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
};

function bit(argument: BsonValue, path: string): UpdateLeaf {
  if (!isDocument(argument)) {
    throw badValue(
      `The $bit modifier is not compatible with a ${typeOf(argument)}. You must pass in an embedded document: {$bit: {field: {and/or/xor: #}}`,
    );
  }
  const operations = Object.entries(argument).map(([name, operand]) => {
    const operation = Object.hasOwn(BIT_OPERATIONS, name) ? BIT_OPERATIONS[name] : undefined;
    if (operation === undefined) {
      throw badValue(
        `The $bit modifier only supports 'and', 'or', and 'xor', not '${name}' which is an unknown operator: {${name}: ${describe(operand)}}`,
      );
    }
    if (!isInteger(operand)) {
      throw badValue(
        `The $bit modifier field must be an Integer(32/64 bit); a '${typeOf(operand)}' is not supported here: {${name}: ${describe(operand)}}`,
      );
    }
    return { operation, operand };
  });
  if (operations.length === 0) {
    throw badValue(`You must pass in at least one bitwise operation. The format is: {$bit: {field: {and/or/xor: #}}`);
  }
  return modifier((value, context) => {
    if (value !== undefined && !isInteger(value)) {
      throw badValue(
        `Cannot apply $bit to a value of non-integral type.${idOf(context)} has the field ${lastPart(path)} of non-integer type ${typeOf(value)}`,
      );
    }
    let result = value === undefined ? 0n : integerOf(value);
    let type = value === undefined ? 'int' : numericType(value);
    for (const { operation, operand } of operations) {
      result = operation(result, integerOf(operand));
      if (numericType(operand) === 'long') type = 'long';
    }
    return unlessSame(value, integer(result, type === 'long' ? 'long' : 'int'));
  });
}

function isInteger(value: BsonValue): boolean {
  const type = numericType(value);
  return type === 'int' || type === 'long';
}
