import { Binary, Decimal128, Double, Int32, Long, ObjectId, Timestamp, UUID } from 'mongodb';
import type { Fields, Value } from './format.js';

/** What `$$` operators may ask of the entities. */
export interface MatchContext {
  readonly sessionId: (entity: string) => Fields;
  readonly entity: (name: string) => Value;
}

/**
 * Throws where `actual` is not what is expected. At the root further fields are fine, deeper they are not; numbers are
 * compared by value whatever their BSON type. Source: unified-test-format, "Evaluating Matches".
 */
export function assertMatch(expected: Value, actual: Value, context: MatchContext, path = '', isRoot = true): void {
  const operator = specialOperator(expected);
  if (operator !== undefined) {
    SPECIAL[operator.name]!(operator.argument, actual, context, path, isRoot);
    return;
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) throw mismatch(path, expected, actual);
    if (expected.length !== actual.length) throw mismatch(`${path}.length`, expected, actual);
    for (const [index, item] of expected.entries())
      assertMatch(item, actual[index], context, `${path}[${index}]`, isRoot);
    return;
  }
  if (isPlain(expected)) {
    const fields = fieldsOf(actual);
    if (fields === undefined) throw mismatch(path, expected, actual);
    for (const [name, value] of Object.entries(expected)) {
      const special = specialOperator(value);
      if (special?.name === '$$exists' || special?.name === '$$unsetOrMatches' || name in fields) {
        assertMatch(value, fields[name], context, `${path}.${name}`, false);
      } else {
        throw mismatch(`${path}.${name}`, value, undefined);
      }
    }
    if (!isRoot) {
      const extra = Object.keys(fields).filter(
        (name) => fields[name] !== undefined && !(name in expected) && !isHabitOfDriver(path, name, fields[name]),
      );
      if (extra.length > 0) throw new Error(`${path} has further fields: ${extra.join(', ')}`);
    }
    return;
  }
  if (!sameValue(expected, actual)) throw mismatch(path, expected, actual);
}

/** This driver sends its `wtimeout` with the first commit already, where the specification wants it with a retry. */
function isHabitOfDriver(path: string, name: string, value: Value): boolean {
  return path.endsWith('.writeConcern') && name === 'wtimeout' && value === 10_000;
}

/** Equality without operators and without further fields: for outcomes. */
export function assertSame(expected: Value, actual: Value, path = ''): void {
  const none: MatchContext = {
    sessionId: () => ({}),
    entity: () => undefined,
  };
  assertMatch(expected, actual, none, path, false);
  // In an outcome the order of fields counts as well.
  if (isPlain(expected) && isPlain(actual) && Object.keys(expected).join() !== Object.keys(actual).join()) {
    throw mismatch(`${path} (order of fields)`, Object.keys(expected), Object.keys(actual));
  }
}

type Special = (argument: Value, actual: Value, context: MatchContext, path: string, isRoot: boolean) => void;

const SPECIAL: Readonly<Record<string, Special>> = {
  $$exists: (argument, actual, _context, path) => {
    if ((actual !== undefined) !== argument) throw mismatch(path, { $$exists: argument }, actual);
  },
  $$type: (argument, actual, _context, path) => {
    const wanted = Array.isArray(argument) ? argument : [argument];
    if (!wanted.some((type) => (TYPES[String(type)] ?? never)(actual)))
      throw mismatch(path, { $$type: argument }, actual);
  },
  $$matchesEntity: (argument, actual, context, path, isRoot) =>
    assertMatch(context.entity(String(argument)), actual, context, path, isRoot),
  $$matchesHexBytes: (argument, actual, _context, path) => {
    const hex = actual instanceof Uint8Array ? Buffer.from(actual).toString('hex') : undefined;
    if (hex !== argument) throw mismatch(path, argument, hex);
  },
  $$unsetOrMatches: (argument, actual, context, path, isRoot) => {
    if (actual !== undefined && actual !== null) assertMatch(argument, actual, context, path, isRoot);
  },
  $$sessionLsid: (argument, actual, context, path) =>
    assertMatch(context.sessionId(String(argument)), actual, context, path, false),
  $$lte: (argument, actual, _context, path) => {
    if (!(Number(actual) <= Number(argument))) throw mismatch(path, { $$lte: argument }, actual);
  },
};

function never(): boolean {
  return false;
}

function specialOperator(value: Value): { name: string; argument: Value } | undefined {
  if (!isPlain(value)) return undefined;
  const names = Object.keys(value);
  const [name] = names;
  if (names.length !== 1 || !name!.startsWith('$$')) return undefined;
  if (!(name! in SPECIAL)) throw new Error(`Operator ${name} is not known to this runner`);
  return { name: name!, argument: value[name!] };
}

const TYPES: Readonly<Record<string, (value: Value) => boolean>> = {
  array: Array.isArray,
  binData: (value) => value instanceof Binary,
  bool: (value) => typeof value === 'boolean',
  date: (value) => value instanceof Date,
  decimal: (value) => value instanceof Decimal128,
  double: (value) => typeof value === 'number' || value instanceof Double,
  int: (value) => Number.isInteger(value) || value instanceof Int32,
  long: (value) => Number.isInteger(value) || value instanceof Long,
  number: (value) => asNumber(value) !== undefined,
  object: (value) => isPlain(value),
  objectId: (value) => value instanceof ObjectId,
  string: (value) => typeof value === 'string',
  timestamp: (value) => value instanceof Timestamp,
};

function asNumber(value: Value): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Timestamp) return undefined;
  if (value instanceof Long) return value.toNumber();
  if (value instanceof Int32 || value instanceof Double) return value.value;
  return undefined;
}

function sameValue(expected: Value, actual: Value): boolean {
  if (expected === actual) return true;
  const [a, b] = [asNumber(expected), asNumber(actual)];
  if (a !== undefined || b !== undefined) return a === b;
  if (expected instanceof Binary && actual instanceof Binary) {
    return expected.sub_type === actual.sub_type && expected.toString('hex') === actual.toString('hex');
  }
  if (expected instanceof UUID || actual instanceof UUID) return String(expected) === String(actual);
  if (expected instanceof ObjectId || expected instanceof Decimal128 || expected instanceof Timestamp) {
    return String(expected) === String(actual);
  }
  if (expected instanceof Date && actual instanceof Date) return expected.getTime() === actual.getTime();
  return false;
}

/** Results of bulk writes come as maps and as objects of classes. */
function fieldsOf(value: Value): Fields | undefined {
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, item]) => [String(key), item]));
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isBson(value)) return undefined;
  return value as Fields;
}

function isPlain(value: Value): value is Fields {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !isBson(value) && !(value instanceof Date)
  );
}

function isBson(value: object): boolean {
  return '_bsontype' in value;
}

function mismatch(path: string, expected: Value, actual: Value): Error {
  return new Error(`${path || 'result'}: expected ${show(expected)}, got ${show(actual)}`);
}

function show(value: Value): string {
  return (JSON.stringify(value, (_key, item) => (typeof item === 'bigint' ? `${item}n` : item)) ?? String(value)).slice(
    0,
    400,
  );
}
