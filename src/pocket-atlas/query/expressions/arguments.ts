import type { BsonValue, Doc } from '../../bson/values.js';
import { failedToParse } from '../errors.js';
import { isDocument } from '../path.js';
import type { Evaluate, ExpressionContext } from './operator.js';

/** Codes of an operator with named arguments: not an object, an unknown one, a missing one. */
export interface ArgumentCodes {
  readonly notObject?: () => Error;
  readonly unknown?: (name: string) => Error;
  readonly missing?: (name: string) => Error;
}

/** The named arguments of an operator such as `$dateToString`, checked against what it knows, not yet compiled. */
export function namedArguments(
  operator: string,
  argument: BsonValue,
  required: readonly string[],
  optional: readonly string[],
  codes: ArgumentCodes = {},
): Doc {
  if (!isDocument(argument)) {
    throw codes.notObject?.() ?? failedToParse(`${operator} only supports an object as its argument`);
  }
  for (const name of Object.keys(argument)) {
    if (!required.includes(name) && !optional.includes(name)) {
      throw codes.unknown?.(name) ?? failedToParse(`Unrecognized argument to ${operator}: ${name}`);
    }
  }
  for (const name of required) {
    if (!Object.hasOwn(argument, name)) {
      throw codes.missing?.(name) ?? failedToParse(`Missing '${name}' parameter to ${operator}`);
    }
  }
  return argument;
}

/** Compiles each named argument; those that were not given are undefined. */
export function compileArguments(argument: Doc, context: ExpressionContext): Partial<Record<string, Evaluate>> {
  const compiled: Partial<Record<string, Evaluate>> = {};
  for (const [name, expression] of Object.entries(argument)) compiled[name] = context.compile(expression);
  return compiled;
}
