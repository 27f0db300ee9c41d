import { Binary } from 'bson';
import type { BsonValue } from '../../bson/values.js';
import { badValue, failedToParse } from '../errors.js';
import { INT64_MAX, INT64_MIN, isNumeric, toDouble, wholeNumber } from '../numeric.js';
import type { ValueTest } from '../path.js';

/** `$mod: [divisor, remainder]`; fractions are cut off, on both sides. */
export function modulo(argument: BsonValue): ValueTest {
  if (!Array.isArray(argument)) throw badValue('malformed mod, needs to be an array');
  if (argument.length < 2) throw badValue('malformed mod, not enough elements');
  if (argument.length > 2) throw badValue('malformed mod, too many elements');
  const divisor = truncated(argument[0]);
  const remainder = truncated(argument[1]);
  if (divisor === undefined) throw badValue('malformed mod, divisor not a number');
  if (remainder === undefined) throw badValue('malformed mod, remainder not a number');
  if (divisor === 0n) throw badValue('divisor cannot be 0');
  return (value) => {
    const dividend = truncated(value);
    return dividend !== undefined && dividend % divisor === remainder;
  };
}

function truncated(value: BsonValue): bigint | undefined {
  if (!isNumeric(value)) return undefined;
  const whole = wholeNumber(value);
  if (whole !== undefined) return whole;
  const number = Math.trunc(toDouble(value));
  return Number.isFinite(number) && Math.abs(number) < 2 ** 63 ? BigInt(number) : undefined;
}

export type BitOperator = '$bitsAllSet' | '$bitsAllClear' | '$bitsAnySet' | '$bitsAnyClear';

/** Bit positions beyond this are refused: the mask is kept as a list. */
const BIT_POSITION_MAX = 1_000_000;

/** Bits of whole numbers (two's complement, sign extended) and of binary data (position 0 is the first byte's lowest). */
export function bits(operator: BitOperator, argument: BsonValue): ValueTest {
  const positions = positionsOf(operator, argument);
  const wanted = operator.endsWith('Set');
  const isAny = operator.startsWith('$bitsAny');
  return (value) => {
    const bitAt = bitReader(value);
    if (bitAt === undefined) return false;
    const matches = (position: number) => bitAt(position) === wanted;
    return isAny ? positions.some(matches) : positions.every(matches);
  };
}

function positionsOf(operator: BitOperator, argument: BsonValue): readonly number[] {
  if (Array.isArray(argument)) {
    return argument.map((item) => {
      const position = wholeNumber(item);
      if (position === undefined) throw badValue(`bit positions must be an integer but got: ${String(item)}`);
      if (position < 0n) throw badValue(`bit positions must be >= 0 but got: ${position}`);
      if (position > BIT_POSITION_MAX) throw badValue(`bit positions must be <= ${BIT_POSITION_MAX} in Pocket Atlas`);
      return Number(position);
    });
  }
  if (argument instanceof Binary) {
    const bitAt = bitReader(argument)!;
    if (argument.length() * 8 > BIT_POSITION_MAX) throw badValue(`${operator} takes at most ${BIT_POSITION_MAX} bits`);
    return Array.from({ length: argument.length() * 8 }, (_, position) => position).filter(bitAt);
  }
  const mask = wholeNumber(argument);
  if (mask === undefined) {
    throw badValue(`${operator} takes an Array, a number, or a BinData but received: ${String(argument)}`);
  }
  if (mask < 0n) throw failedToParse(`Expected a non-negative number in: ${operator}: ${mask}`);
  return Array.from({ length: 64 }, (_, position) => position).filter((position) => (mask >> BigInt(position)) & 1n);
}

function bitReader(value: BsonValue): ((position: number) => boolean) | undefined {
  if (value instanceof Binary) {
    const bytes = value.buffer;
    const length = value.length();
    return (position) => {
      const at = position >> 3;
      return at < length && ((bytes[at]! >> (position & 7)) & 1) === 1;
    };
  }
  if (!isNumeric(value)) return undefined;
  const whole = wholeNumber(value);
  if (whole === undefined || whole < INT64_MIN || whole > INT64_MAX) return undefined;
  return (position) => ((whole >> BigInt(Math.min(position, 63))) & 1n) === 1n;
}
