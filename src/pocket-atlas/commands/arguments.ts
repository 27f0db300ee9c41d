import { Binary } from 'bson';
import { type BsonNumber, exactNumber } from '../bson/number.js';
import { typeName } from '../bson/type.js';
import type { BsonValue, Doc } from '../bson/values.js';
import { CommandError } from '../errors.js';

/**
 * Which fields a command takes and of which type: checked before it runs, so that nothing unknown is ever silently ignored.
 * - `boolish`: a Boolean or a number; `number`: any of the four number types;
 * - `refused`: a real field of the server that Pocket Atlas does not act upon: only its neutral values pass (see `NEUTRAL`).
 */
export type FieldType =
  | 'any'
  | 'array'
  | 'bool'
  | 'boolish'
  | 'number'
  | 'object'
  | 'objectOrArray'
  | 'objectOrString'
  | 'refused'
  | 'string';

export type FieldTable = Readonly<Record<string, FieldType | { readonly type: FieldType; readonly required: true }>>;

const NUMBERS = ['int', 'long', 'double', 'decimal'];

const ACCEPTED: Readonly<Record<Exclude<FieldType, 'any' | 'refused'>, readonly string[]>> = {
  array: ['array'],
  bool: ['bool'],
  boolish: ['bool', ...NUMBERS],
  number: NUMBERS,
  object: ['object'],
  objectOrArray: ['object', 'array'],
  objectOrString: ['object', 'string'],
  string: ['string'],
};

/** Fields that any command may carry. What needs acting upon is read elsewhere (sessions, concerns, deadline). */
export const GENERIC_FIELDS: FieldTable = {
  $audit: 'any',
  $client: 'any',
  $clusterTime: 'object',
  $configServerState: 'any',
  $db: 'string',
  $queryOptions: 'object',
  $readPreference: 'object',
  apiDeprecationErrors: 'bool',
  apiStrict: 'bool',
  apiVersion: 'string',
  autocommit: 'bool',
  comment: 'any',
  help: 'any',
  lsid: 'object',
  maxTimeMS: 'number',
  readConcern: 'object',
  recoveryToken: 'object',
  serialization_context: 'any',
  startTransaction: 'bool',
  txnNumber: 'number',
  writeConcern: 'object',
};

/** @throws CommandError 40415 for an unknown field, 14 for a wrong type, 40414 for a missing one, 115 for a refused one. */
export function checkArguments(command: string, body: Doc, fields: FieldTable): void {
  let first = true;
  for (const name of Object.keys(body)) {
    if (first) {
      first = false; // the command's name itself
      continue;
    }
    const declared = fields[name] ?? GENERIC_FIELDS[name];
    if (declared === undefined || !(Object.hasOwn(fields, name) || Object.hasOwn(GENERIC_FIELDS, name))) {
      throw new CommandError(40415, `BSON field '${command}.${name}' is an unknown field.`);
    }
    checkType(`${command}.${name}`, body[name], typeof declared === 'string' ? declared : declared.type);
  }
  checkRequired(command, body, fields);
}

/** The same for a statement inside a command: an element of `updates`, of `indexes`… */
export function checkStatement(path: string, statement: Doc, fields: FieldTable): void {
  for (const name of Object.keys(statement)) {
    if (!Object.hasOwn(fields, name)) {
      throw new CommandError(40415, `BSON field '${path}.${name}' is an unknown field.`);
    }
    const declared = fields[name]!;
    checkType(`${path}.${name}`, statement[name], typeof declared === 'string' ? declared : declared.type);
  }
  checkRequired(path, statement, fields);
}

function checkRequired(path: string, body: Doc, fields: FieldTable): void {
  for (const name of requiredOf(fields)) {
    if (body[name] === undefined) {
      throw new CommandError(40414, `BSON field '${path}.${name}' is missing but a required field`);
    }
  }
}

const required = new WeakMap<FieldTable, readonly string[]>();

function requiredOf(fields: FieldTable): readonly string[] {
  let names = required.get(fields);
  if (names === undefined) {
    names = Object.keys(fields).filter((name) => typeof fields[name] === 'object');
    required.set(fields, names);
  }
  return names;
}

function checkType(path: string, value: BsonValue, type: FieldType): void {
  if (type === 'any' || value === undefined || value === null) return;
  if (type === 'refused') {
    if (!isNeutral(value)) {
      throw new CommandError(115, `Pocket Atlas does not support '${path}'. Leave it out, or use MongoDB Atlas.`);
    }
    return;
  }
  const accepted = ACCEPTED[type];
  const given = typeName(value);
  if (accepted.includes(given)) return;
  const expected =
    accepted.length === 1 ? `expected type '${accepted[0]}'` : `expected types '[${accepted.join(', ')}]'`;
  throw new CommandError(14, `BSON field '${path}' is the wrong type '${given}', ${expected}`);
}

/** Values that ask for nothing: false, 0, {}, '' and the simple collation. */
function isNeutral(value: BsonValue): boolean {
  if (value === false || value === 0 || value === '') return true;
  if (typeName(value) !== 'object') return false;
  const doc = value as Doc;
  const names = Object.keys(doc);
  return names.length === 0 || (names.length === 1 && doc.locale === 'simple');
}

/** A number as a JavaScript integer; undefined when absent. @throws CommandError 9 or 2 when it is none or out of range. */
export function integer(
  body: Doc,
  name: string,
  bounds: { readonly min?: number; readonly max?: number } = {},
): number | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  const exact = numeric(value);
  if (!Number.isInteger(exact)) throw new CommandError(9, `Expected an integer: ${name}: ${String(value)}`);
  const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = bounds;
  if (exact < min) {
    throw new CommandError(51024, `BSON field '${name}' value must be >= ${min}, actual value '${exact}'`);
  }
  return Math.min(exact, max);
}

export function truthy(value: BsonValue): boolean {
  if (value === undefined || value === null || value === false) return false;
  return !NUMBERS.includes(typeName(value)) || numeric(value) !== 0;
}

export function numeric(value: BsonValue): number {
  if (typeof value === 'number') return value;
  const exact = exactNumber(value as BsonNumber);
  return typeof exact === 'object' ? exact.nearest : Number(exact);
}

export function isDocument(value: BsonValue): value is Doc {
  return typeName(value) === 'object';
}

export function isUuid(value: BsonValue): value is Binary {
  return value instanceof Binary && value.sub_type === Binary.SUBTYPE_UUID && value.position === 16;
}

const NAME_MAX_BYTES = 255;

/**
 * The collection a command is on: `{ find: 'c', $db: 'd' }`. Cursors of a database have names with a `$` (internal).
 * @throws CommandError 73 for a name that none can have.
 */
export function collectionName(db: string, value: BsonValue, options: { readonly internal?: boolean } = {}): string {
  if (typeof value !== 'string') {
    throw new CommandError(73, `collection name has invalid type ${typeName(value)}`);
  }
  if (
    value === '' ||
    value.startsWith('.') ||
    value.includes('\0') ||
    (value.includes('$') && options.internal !== true)
  ) {
    throw new CommandError(73, `Invalid namespace specified '${db}.${value}'`);
  }
  if (Buffer.byteLength(`${db}.${value}`) > NAME_MAX_BYTES) {
    throw new CommandError(
      73,
      `Fully qualified namespace is too long. Namespace: ${db}.${value} Max: ${NAME_MAX_BYTES}`,
    );
  }
  return value;
}

/** @throws CommandError 73 for a database name that none can have. */
export function databaseName(value: BsonValue): string {
  if (value === undefined) throw new CommandError(40571, 'OP_MSG requests require a $db argument');
  if (typeof value !== 'string' || value === '' || Buffer.byteLength(value) > 63 || /[/\\. "$\0]/.test(value)) {
    throw new CommandError(73, `Invalid database name: '${String(value)}'`);
  }
  return value;
}
