import { BSONSymbol } from 'bson';
import { compareStrings } from '../../bson/compare.js';
import type { BsonValue } from '../../bson/values.js';
import { location } from '../errors.js';
import { count, isNumeric } from '../numeric.js';
import { isDocument } from '../path.js';
import { compileArguments, namedArguments } from './arguments.js';
import { codePointLength, codePoints, sliceCodePoints } from './code-points.js';
import { binary, isNullish, type Operator, type OperatorTable, operands, typeOf, unary, variadic } from './operator.js';
import { numberText } from './text-of.js';

export const STRINGS: OperatorTable = {
  $concat: variadic(concat),
  $toLower: unary((value) => asText(value).replace(/[A-Z]+/g, (letters) => letters.toLowerCase())),
  $toUpper: unary((value) => asText(value).replace(/[a-z]+/g, (letters) => letters.toUpperCase())),
  $strcasecmp: binary((a, b) => Math.sign(compareStrings(upper(a), upper(b)))),
  $strLenCP: unary((value, name) => codePointLength(requiredText(value, name, 34471))),
  $strLenBytes: unary((value, name) => Buffer.byteLength(requiredText(value, name, 34473))),
  $substr: substrBytes,
  $substrBytes: substrBytes,
  $substrCP: substrCP,
  $split: binary(split),
  $trim: trim('both'),
  $ltrim: trim('start'),
  $rtrim: trim('end'),
  $indexOfCP: indexOf(false),
  $indexOfBytes: indexOf(true),
  $replaceOne: replace((input, find, replacement) => input.replace(find, () => replacement)),
  $replaceAll: replace((input, find, replacement) =>
    find === '' ? everywhere(input, replacement) : input.replaceAll(find, () => replacement),
  ),
};

function concat(values: BsonValue[]): BsonValue {
  let text = '';
  let isNull = false;
  for (const value of values) {
    if (isNullish(value)) isNull = true;
    else if (typeof value === 'string') text += value;
    else if (value instanceof BSONSymbol) text += value.value;
    else throw location(16702, `$concat only supports strings, not ${typeOf(value)}`);
  }
  return isNull ? null : text;
}

/** What `$toLower`, `$toUpper`, `$substr` and `$strcasecmp` take for text: null is empty, numbers and dates as printed. */
function asText(value: BsonValue): string {
  if (isNullish(value)) return '';
  if (typeof value === 'string') return value;
  if (value instanceof BSONSymbol) return value.value;
  if (value instanceof Date) return value.toISOString();
  if (isNumeric(value)) return numberText(value);
  throw location(16007, `can't convert from BSON type ${typeOf(value)} to String`);
}

/** Only ASCII letters have a case here, as on the server: no string grows. */
function upper(value: BsonValue): string {
  return asText(value).replace(/[a-z]+/g, (letters) => letters.toUpperCase());
}

function requiredText(value: BsonValue, name: string, code: number): string {
  if (typeof value === 'string') return value;
  throw location(code, `${name} requires a string argument, found: ${typeOf(value)}`);
}

function substrCP(...[argument, context, name]: Parameters<Operator>): ReturnType<Operator> {
  const [text, start, length] = operands(name, argument, context, 3);
  return (current) => {
    const from = start!(current);
    const size = length!(current);
    if (!isNumeric(from))
      throw location(34450, `${name}: starting index must be a numeric type (is BSON type ${typeOf(from)})`);
    if (!isNumeric(size))
      throw location(34452, `${name}: length must be a numeric type (is BSON type ${typeOf(size)})`);
    const [at, points] = [count(from), count(size)];
    if (at === undefined)
      throw location(34451, `${name}: starting index cannot be represented as a 32-bit integral value`);
    if (points === undefined) throw location(34453, `${name}: length cannot be represented as a 32-bit integral value`);
    if (points < 0) throw location(34454, `${name}: length must be a nonnegative integer.`);
    if (at < 0) throw location(34455, `${name}: the starting index must be nonnegative integer.`);
    return sliceCodePoints(asText(text!(current)), at, points);
  };
}

function substrBytes(...[argument, context, name]: Parameters<Operator>): ReturnType<Operator> {
  const [text, start, length] = operands(name, argument, context, 3);
  return (current) => {
    const from = start!(current);
    const size = length!(current);
    if (!isNumeric(from))
      throw location(16034, `${name}:  starting index must be a numeric type (is BSON type ${typeOf(from)})`);
    if (!isNumeric(size))
      throw location(16035, `${name}:  length must be a numeric type (is BSON type ${typeOf(size)})`);
    const at = count(from) ?? 0;
    if (at < 0) throw location(50752, `${name}:  starting index must be non-negative (got: ${at})`);
    const bytes = Buffer.from(asText(text!(current)));
    const wanted = count(size) ?? 0;
    const end = wanted < 0 ? bytes.length : Math.min(bytes.length, at + wanted);
    if (at >= bytes.length) return '';
    if (isContinuation(bytes[at]))
      throw location(28656, `${name}:  Invalid range, starting index is a UTF-8 continuation byte.`);
    if (isContinuation(bytes[end]))
      throw location(28657, `${name}:  Invalid range, ending index is in the middle of a UTF-8 character.`);
    return bytes.toString('utf8', at, end);
  };
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function split(text: BsonValue, separator: BsonValue): BsonValue {
  if (isNullish(text) || isNullish(separator)) return null;
  if (typeof text !== 'string') {
    throw location(
      40085,
      `$split requires an expression that evaluates to a string as a first argument, found: ${typeOf(text)}`,
    );
  }
  if (typeof separator !== 'string') {
    throw location(
      40086,
      `$split requires an expression that evaluates to a string as a second argument, found: ${typeOf(separator)}`,
    );
  }
  if (separator === '') throw location(40087, '$split requires a non-empty separator');
  return text.split(separator);
}

/** Trimmed where no characters are named. Source: MongoDB manual, "$trim", White Space Characters. */
const WHITE_SPACE = '\0 \t\n\v\f\r\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a';

function trim(side: 'start' | 'end' | 'both'): Operator {
  return (argument, context, name) => {
    const given = namedArguments(name, argument, ['input'], ['chars'], {
      notObject: () => location(50696, `${name} only supports an object as an argument, found ${typeOf(argument)}`),
      unknown: (key) => location(50694, `${name} found an unknown argument: ${key}`),
      missing: () => location(50695, `${name} requires an 'input' field`),
    });
    const { input, chars } = compileArguments(given, context);
    return (current) => {
      const text = input!(current);
      if (isNullish(text)) return null;
      if (typeof text !== 'string') {
        throw location(50699, `${name} requires its input to be a string, got ${typeOf(text)} instead.`);
      }
      const unwanted = chars === undefined ? WHITE_SPACE : chars(current);
      if (isNullish(unwanted)) return null;
      if (typeof unwanted !== 'string') {
        throw location(50700, `${name} requires 'chars' to be a string, got ${typeOf(unwanted)} instead.`);
      }
      const drop = new Set(codePoints(unwanted));
      const points = codePoints(text);
      let [from, to] = [0, points.length];
      if (side !== 'end') while (from < to && drop.has(points[from]!)) from++;
      if (side !== 'start') while (to > from && drop.has(points[to - 1]!)) to--;
      return points.slice(from, to).join('');
    };
  };
}

/** Position in code points or bytes, between two of them; -1 when it is not there. */
function indexOf(inBytes: boolean): Operator {
  return (argument, context, name) => {
    const [text, part, startOperand, endOperand] = operands(name, argument, context, 2, 4);
    return (current) => {
      const whole = text!(current);
      if (isNullish(whole)) return null;
      if (typeof whole !== 'string')
        throw location(40091, `${name} requires a string as the first argument, found: ${typeOf(whole)}`);
      const sought = part!(current);
      if (typeof sought !== 'string')
        throw location(40092, `${name} requires a string as the second argument, found: ${typeOf(sought)}`);
      const units: readonly unknown[] | Buffer = inBytes ? Buffer.from(whole) : codePoints(whole);
      const from = startOperand === undefined ? 0 : position(startOperand(current), name, 'starting');
      const to = Math.min(
        endOperand === undefined ? units.length : position(endOperand(current), name, 'ending'),
        units.length,
      );
      if (from > to) return -1;
      if (inBytes) {
        const bytes = units as Buffer;
        return from > bytes.length ? -1 : bytes.subarray(0, to).indexOf(sought, from);
      }
      const points = units as string[];
      const at = points.slice(from, to).join('').indexOf(sought);
      return at < 0 ? -1 : from + codePointLength(points.slice(from, to).join('').slice(0, at));
    };
  };
}

function position(value: BsonValue, name: string, which: string): number {
  const at = isNumeric(value) ? count(value) : undefined;
  if (at === undefined) {
    throw location(40096, `${name} requires an integral ${which} index, found a value of type: ${typeOf(value)}`);
  }
  if (at < 0) throw location(40097, `${name} requires a nonnegative ${which} index, found: ${at}`);
  return at;
}

function replace(substitute: (input: string, find: string, replacement: string) => string): Operator {
  return (argument, context, name) => {
    if (!isDocument(argument))
      throw location(51751, `${name} requires an object as an argument, found: ${typeOf(argument)}`);
    const given = namedArguments(name, argument, ['input', 'find', 'replacement'], [], {
      unknown: (key) => location(51750, `${name} found an unknown argument: ${key}`),
      missing: (key) =>
        location({ input: 51749, find: 51748 }[key] ?? 51747, `${name} requires '${key}' to be specified`),
    });
    const parts = compileArguments(given, context);
    return (current) => {
      const [input, find, replacement] = (['input', 'find', 'replacement'] as const).map((key) => {
        const value = parts[key]!(current);
        if (isNullish(value) || typeof value === 'string') return value;
        throw location(
          { input: 51746, find: 51745, replacement: 51744 }[key],
          `${name} requires that '${key}' be a string, found: ${typeOf(value)}`,
        );
      });
      if (isNullish(input) || isNullish(find) || isNullish(replacement)) return null;
      return substitute(input, find, replacement);
    };
  };
}

function everywhere(input: string, replacement: string): string {
  return (
    replacement +
    codePoints(input)
      .map((point) => point + replacement)
      .join('')
  );
}
