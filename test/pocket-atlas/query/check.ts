import { expect } from 'vitest';
import type { BsonValue, Doc } from '../../../src/pocket-atlas/bson/values.js';
import { CommandError } from '../../../src/pocket-atlas/errors.js';
import { compileExpression } from '../../../src/pocket-atlas/query/expression.js';
import type { QueryVariables } from '../../../src/pocket-atlas/query/query.js';

export const NOW = new Date('2026-01-15T10:00:00.000Z');
export const variables: QueryVariables = { now: NOW, vars: {} };

/** The value of an expression on a document. */
export function evaluate(expression: BsonValue, doc: Doc = {}): BsonValue {
  return compileExpression(expression, variables)(doc);
}

/** `[expression, value on the document]`, so that a table reads like the manual. */
export type Case = readonly [expression: BsonValue, expected: BsonValue];

export function checkAll(doc: Doc, cases: readonly Case[]): void {
  for (const [expression, expected] of cases) {
    expect(evaluate(expression, doc), JSON.stringify(expression)).toStrictEqual(expected);
  }
}

/** Code and text of the CommandError that `run` throws. */
export function failure(run: () => unknown): { code: number; message: string } {
  try {
    run();
  } catch (error) {
    if (error instanceof CommandError) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error('expected a CommandError');
}
