import { Decimal128 } from 'bson';
import type { BsonValue } from '../../bson/values.js';
import { addNumbers, multiplyNumbers, toDecimal } from '../arithmetic.js';
import {
  decimalFromDouble,
  divideDecimals,
  isDecimalZero,
  negateDecimal,
  type Rounding,
  remainderDecimals,
  roundDecimal,
} from '../decimal.js';
import { badValue, location, typeMismatch } from '../errors.js';
import { count, double, integer, integerOf, isNumeric, numericType, toDouble, wider } from '../numeric.js';
import { binary, isNullish, type Operator, type OperatorTable, operands, typeOf, unary, variadic } from './operator.js';

/** Arithmetic in the wider of the operands' types: int, long, double, decimal. A null or missing operand gives null. */
export const ARITHMETIC: OperatorTable = {
  $add: variadic(add),
  $subtract: binary(subtract),
  $multiply: variadic(multiply),
  $divide: binary(divide),
  $mod: binary(modulo),
  $abs: numeric((value) => (toDouble(value) < 0 || Object.is(toDouble(value), -0) ? negate(value) : value)),
  $ceil: numeric((value) => roundTo(value, 0, 'ceil')),
  $floor: numeric((value) => roundTo(value, 0, 'floor')),
  $round: rounding('halfEven'),
  $trunc: rounding('trunc'),
  $pow: binary(power),
  $sqrt: real(
    Math.sqrt,
    (x) => x >= 0,
    (name) => location(28714, `${name}'s argument must be greater than or equal to 0`),
  ),
  $exp: real(Math.exp),
  $ln: real(
    Math.log,
    (x) => x > 0,
    (name, x) => location(28766, `${name}'s argument must be a positive number, but is ${x}`),
  ),
  $log10: real(
    Math.log10,
    (x) => x > 0,
    (name, x) => location(28761, `${name}'s argument must be a positive number, but is ${x}`),
  ),
  $log: binary(logarithm),
  $sigmoid: real((x) => 1 / (1 + Math.exp(-x))),
  $sin: trigonometric(Math.sin, Number.isFinite),
  $cos: trigonometric(Math.cos, Number.isFinite),
  $tan: trigonometric(Math.tan, Number.isFinite),
  $asin: trigonometric(Math.asin, (x) => x >= -1 && x <= 1),
  $acos: trigonometric(Math.acos, (x) => x >= -1 && x <= 1),
  $atan: real(Math.atan),
  $sinh: real(Math.sinh),
  $cosh: real(Math.cosh),
  $tanh: real(Math.tanh),
  $asinh: real(Math.asinh),
  $acosh: trigonometric(Math.acosh, (x) => x >= 1),
  $atanh: trigonometric(Math.atanh, (x) => x >= -1 && x <= 1),
  $atan2: binary(arcTangent2),
  $degreesToRadians: real((x) => (x * Math.PI) / 180),
  $radiansToDegrees: real((x) => (x * 180) / Math.PI),
  $bitAnd: bitwise((a, b) => a & b, -1n),
  $bitOr: bitwise((a, b) => a | b, 0n),
  $bitXor: bitwise((a, b) => a ^ b, 0n),
  $bitNot: unary(bitNot),
};

function add(values: BsonValue[]): BsonValue {
  let sum: BsonValue = 0;
  let date: Date | undefined;
  for (const value of values) {
    if (isNullish(value)) return null;
    if (value instanceof Date) {
      if (date !== undefined) throw location(16612, 'only one date allowed in an $add expression');
      date = value;
    } else if (isNumeric(value)) {
      sum = addNumbers(sum, value);
    } else {
      throw typeMismatch(`$add only supports numeric or date types, not ${typeOf(value)}`);
    }
  }
  return date === undefined ? sum : dateAt(date.getTime() + Math.round(toDouble(sum)));
}

function dateAt(ms: number): Date {
  const date = new Date(ms);
  if (Number.isNaN(date.getTime())) throw location(15, 'date overflow');
  return date;
}

function subtract(a: BsonValue, b: BsonValue): BsonValue {
  if (isNullish(a) || isNullish(b)) return null;
  if (a instanceof Date) {
    if (b instanceof Date) return integer(BigInt(a.getTime() - b.getTime()), 'long');
    if (isNumeric(b)) return dateAt(a.getTime() - Math.round(toDouble(b)));
  } else if (isNumeric(a) && isNumeric(b)) {
    return addNumbers(a, negate(b));
  }
  throw typeMismatch(`can't $subtract ${typeOf(b)} from ${typeOf(a)}`);
}

/** Minus a number, in its own type where that has room. */
export function negate(value: BsonValue): BsonValue {
  switch (numericType(value)) {
    case 'decimal':
      return negateDecimal(value as Decimal128);
    case 'double':
      return double(-toDouble(value));
    case 'int':
      return integer(-integerOf(value), 'int');
    default:
      return integer(-integerOf(value), 'long') ?? double(-toDouble(value));
  }
}

function multiply(values: BsonValue[]): BsonValue {
  let product: BsonValue = 1;
  for (const value of values) {
    if (isNullish(value)) return null;
    if (!isNumeric(value)) throw typeMismatch(`$multiply only supports numeric types, not ${typeOf(value)}`);
    product = multiplyNumbers(product, value);
  }
  return product;
}

function divide(a: BsonValue, b: BsonValue): BsonValue {
  if (isNullish(a) || isNullish(b)) return null;
  if (!isNumeric(a) || !isNumeric(b)) {
    throw typeMismatch(`$divide only supports numeric types, not ${typeOf(a)} and ${typeOf(b)}`);
  }
  if (wider(numericType(a)!, numericType(b)!) === 'decimal') {
    if (isDecimalZero(toDecimal(b))) throw badValue("can't $divide by zero");
    return divideDecimals(toDecimal(a), toDecimal(b));
  }
  if (toDouble(b) === 0) throw badValue("can't $divide by zero");
  return double(toDouble(a) / toDouble(b));
}

function modulo(a: BsonValue, b: BsonValue): BsonValue {
  if (isNullish(a) || isNullish(b)) return null;
  if (!isNumeric(a) || !isNumeric(b)) {
    throw typeMismatch(`$mod only supports numeric types, not ${typeOf(a)} and ${typeOf(b)}`);
  }
  const type = wider(numericType(a)!, numericType(b)!);
  if (type === 'decimal' ? isDecimalZero(toDecimal(b)) : toDouble(b) === 0) {
    throw location(16610, "can't $mod by zero");
  }
  if (type === 'decimal') return remainderDecimals(toDecimal(a), toDecimal(b));
  if (type === 'double') return double(toDouble(a) % toDouble(b));
  return integer(integerOf(a) % integerOf(b), type);
}

/** A function of one number that keeps its type. */
function numeric(compute: (value: BsonValue) => BsonValue): Operator {
  return unary((value, name) => {
    if (isNullish(value)) return null;
    if (!isNumeric(value)) throw location(28765, `${name} only supports numeric types, not ${typeOf(value)}`);
    return compute(value);
  });
}

/** A function of one real number. A decimal is computed as a double and given back as a decimal of 15 digits. */
function real(
  compute: (x: number) => number,
  isAllowed: (x: number) => boolean = () => true,
  refusal: (name: string, x: number) => Error = (name) => badValue(`${name} is not defined there`),
): Operator {
  return numericWithName((value, name) => {
    const x = toDouble(value);
    if (!Number.isNaN(x) && !isAllowed(x)) throw refusal(name, x);
    return value instanceof Decimal128 ? decimalFromDouble(compute(x)) : double(compute(x));
  });
}

function trigonometric(compute: (x: number) => number, isAllowed: (x: number) => boolean): Operator {
  return real(compute, isAllowed, (name, x) =>
    location(50989, `cannot apply ${name} to ${x}, value is out of its range`),
  );
}

function numericWithName(compute: (value: BsonValue, name: string) => BsonValue): Operator {
  return unary((value, name) => {
    if (isNullish(value)) return null;
    if (!isNumeric(value)) throw location(28765, `${name} only supports numeric types, not ${typeOf(value)}`);
    return compute(value, name);
  });
}

const PLACE_MIN = -20;
const PLACE_MAX = 100;

function rounding(mode: Rounding): Operator {
  return (argument, context, name) => {
    const [operand, placeOperand] = operands(name, argument, context, 1, 2);
    return (current) => {
      const value = operand!(current);
      const place = placeOperand === undefined ? 0 : placeOperand(current);
      if (isNullish(value) || isNullish(place)) return null;
      if (!isNumeric(value)) throw location(51081, `${name} only supports numeric types, not ${typeOf(value)}`);
      const digits = count(place);
      if (digits === undefined) throw location(51082, `precision argument to  ${name} must be a integral value`);
      if (digits < PLACE_MIN || digits > PLACE_MAX) {
        throw location(51083, `cannot apply ${name} with precision value ${digits} value must be in [-20, 100]`);
      }
      return roundTo(value, digits, mode);
    };
  };
}

function roundTo(value: BsonValue, place: number, mode: Rounding): BsonValue {
  const type = numericType(value)!;
  if (type === 'decimal') return roundDecimal(value as Decimal128, place, mode);
  if (type === 'double') return double(roundDouble(toDouble(value), place, mode));
  if (place >= 0) return value;
  const unit = 10n ** BigInt(-place);
  const whole = integerOf(value);
  const rest = whole % unit;
  let rounded = whole - rest;
  const twice = (rest < 0n ? -rest : rest) * 2n;
  const isUp = twice > unit || (twice === unit && (rounded / unit) % 2n !== 0n);
  if (mode === 'halfEven' && isUp) rounded += rest < 0n ? -unit : unit;
  return integer(rounded, type) ?? double(Number(rounded));
}

function roundDouble(x: number, place: number, mode: Rounding): number {
  if (!Number.isFinite(x)) return x;
  if (place === 0) {
    if (mode === 'floor') return Math.floor(x);
    if (mode === 'ceil') return Math.ceil(x);
    if (mode === 'trunc') return Math.trunc(x);
    const floor = Math.floor(x);
    const rest = x - floor;
    if (rest !== 0.5) return rest < 0.5 ? floor || Math.sign(x) * 0 : floor + 1;
    return floor % 2 === 0 ? floor : floor + 1;
  }
  // by way of decimal digits: 2.675 is not what scaling by 100 says it is
  return toDouble(roundDecimal(exactDecimal(x), place, mode));
}

/** A double by its shortest decimal notation, which is what its user wrote. */
function exactDecimal(x: number): Decimal128 {
  return Decimal128.fromString(String(x));
}

function power(base: BsonValue, exponent: BsonValue): BsonValue {
  if (isNullish(base) || isNullish(exponent)) return null;
  if (!isNumeric(base)) throw location(28762, `$pow's base must be numeric, not ${typeOf(base)}`);
  if (!isNumeric(exponent)) throw location(28763, `$pow's exponent must be numeric, not ${typeOf(exponent)}`);
  const type = wider(numericType(base)!, numericType(exponent)!);
  const [x, y] = [toDouble(base), toDouble(exponent)];
  if (x === 0 && y < 0) throw location(28764, '$pow cannot take a base of 0 and a negative exponent');
  if (type === 'decimal') {
    if (Number.isInteger(y) && y >= 0 && y <= 1024) return decimalPower(toDecimal(base), y);
    return decimalFromDouble(x ** y);
  }
  if (type === 'double' || y < 0) return double(x ** y);
  // at most 2^63: an exponent above 63 overflows for every base but -1, 0 and 1
  if (y > 63 && Math.abs(x) > 1) return double(x ** y);
  const whole =
    Math.abs(x) <= 1 && y > 63 ? BigInt(x) ** BigInt(y % 2 === 0 ? 2 : 1) : integerOf(base) ** integerOf(exponent);
  return integer(whole, type) ?? double(x ** y);
}

function decimalPower(base: Decimal128, exponent: number): Decimal128 {
  let result: BsonValue = 1;
  for (let i = 0; i < exponent; i++) result = multiplyNumbers(result, base);
  return toDecimal(result);
}

function logarithm(value: BsonValue, base: BsonValue): BsonValue {
  if (isNullish(value) || isNullish(base)) return null;
  if (!isNumeric(value)) throw location(28756, `$log's argument must be numeric, not ${typeOf(value)}`);
  if (!isNumeric(base)) throw location(28757, `$log's base must be numeric, not ${typeOf(base)}`);
  const [x, b] = [toDouble(value), toDouble(base)];
  if (x <= 0) throw location(28758, `$log's argument must be a positive number, but is ${x}`);
  if (b <= 0 || b === 1) throw location(28759, `$log's base must be a positive number not equal to 1, but is ${b}`);
  const result = Math.log(x) / Math.log(b);
  return wider(numericType(value)!, numericType(base)!) === 'decimal' ? decimalFromDouble(result) : double(result);
}

function arcTangent2(y: BsonValue, x: BsonValue): BsonValue {
  if (isNullish(y) || isNullish(x)) return null;
  for (const value of [y, x]) {
    if (!isNumeric(value)) throw location(51044, `$atan2 only supports numeric types, not ${typeOf(value)}`);
  }
  return double(Math.atan2(toDouble(y), toDouble(x)));
}

function bitwise(combine: (a: bigint, b: bigint) => bigint, identity: bigint): Operator {
  return variadic((values, name) => {
    let result = identity;
    let type: 'int' | 'long' = 'int';
    for (const value of values) {
      if (isNullish(value)) return null;
      const own = numericType(value);
      if (own !== 'int' && own !== 'long') throw typeMismatch(`${name} only supports int and long operands.`);
      if (own === 'long') type = 'long';
      result = combine(result, integerOf(value));
    }
    return integer(result, type);
  });
}

function bitNot(value: BsonValue): BsonValue {
  if (isNullish(value)) return null;
  const type = numericType(value);
  if (type !== 'int' && type !== 'long') {
    throw typeMismatch(`$bitNot only supports int and long, not: ${typeOf(value)}.`);
  }
  return integer(~integerOf(value), type);
}
