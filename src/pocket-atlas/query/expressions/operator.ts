import { typeName } from '../../bson/type.js';
import type { BsonValue } from '../../bson/values.js';
import { badValue, location } from '../errors.js';
import { isNumeric, toDouble } from '../numeric.js';
import type { QueryVariables } from '../query.js';

/** Evaluates on `$$CURRENT`; undefined is a missing value. */
export type Evaluate = (current: BsonValue) => BsonValue;

/** A variable's place. Bodies are compiled to read it, so binding a variable is one assignment per evaluation. */
export interface Cell {
  value: BsonValue;
}

/** `$$ROOT`, and what evaluating on it may still cost. */
export interface Root extends Cell {
  elementsLeft: number;
}

/**
 * Array elements that one evaluation may visit: an expression runs in one go on the event loop, and `$map` in `$map` over
 * `$range` multiplies. So many take about a second.
 */
export const ELEMENTS_PER_EVALUATION = 5_000_000;

export function newRoot(): Root {
  return { value: undefined, elementsLeft: 0 };
}

/** To be called before each evaluation on a document. */
export function bindRoot(root: Root, doc: BsonValue): void {
  root.value = doc;
  root.elementsLeft = ELEMENTS_PER_EVALUATION;
}

/** Called before a body is evaluated for each of `count` elements. @throws CommandError 2 when the evaluation costs too much. */
export function spendElements(root: Root, count: number): void {
  root.elementsLeft -= count;
  if (root.elementsLeft < 0) {
    throw badValue(
      `An expression visited more than ${ELEMENTS_PER_EVALUATION} array elements on one document, the limit of Pocket Atlas`,
    );
  }
}

/** Where an expression stands: what it may name, and how its parts are compiled. */
export interface ExpressionContext {
  readonly variables: QueryVariables;
  readonly root: Root;
  compile(expression: BsonValue): Evaluate;
  /** The same place with further variables. */
  withVariables(locals: Readonly<Record<string, Cell>>): ExpressionContext;
}

export type Operator = (argument: BsonValue, context: ExpressionContext, name: string) => Evaluate;

export type OperatorTable = Readonly<Record<string, Operator>>;

/** The name of a type in messages. */
export function typeOf(value: BsonValue): string {
  return value === undefined ? 'missing' : typeName(value);
}

export function isNullish(value: BsonValue): value is null | undefined {
  return value === null || value === undefined;
}

/** Truth of an expression's value: everything but false, null, missing and zero. */
export function isTrue(value: BsonValue): boolean {
  if (typeof value === 'boolean') return value;
  if (value === null || value === undefined) return false;
  return !isNumeric(value) || toDouble(value) !== 0;
}

/** The operands of an operator that takes an array of them, or a single one bare. */
export function operands(
  name: string,
  argument: BsonValue,
  context: ExpressionContext,
  minimum: number,
  maximum = minimum,
): Evaluate[] {
  const items = Array.isArray(argument) ? argument : [argument];
  const given = items.length;
  if (given < minimum || given > maximum) {
    if (minimum === maximum) {
      throw location(16020, `Expression ${name} takes exactly ${minimum} arguments. ${given} were passed in.`);
    }
    throw location(
      28667,
      maximum === Number.POSITIVE_INFINITY
        ? `Expression ${name} takes at least ${minimum} arguments, but ${given} were passed in.`
        : `Expression ${name} takes at least ${minimum} arguments, and at most ${maximum}, but ${given} were passed in.`,
    );
  }
  return items.map((item) => context.compile(item));
}

export function unary(compute: (value: BsonValue, name: string) => BsonValue): Operator {
  return (argument, context, name) => {
    const [operand] = operands(name, argument, context, 1);
    return (current) => compute(operand!(current), name);
  };
}

export function binary(compute: (a: BsonValue, b: BsonValue, name: string) => BsonValue): Operator {
  return (argument, context, name) => {
    const [first, second] = operands(name, argument, context, 2);
    return (current) => compute(first!(current), second!(current), name);
  };
}

export function variadic(
  compute: (values: BsonValue[], name: string) => BsonValue,
  minimum = 0,
  maximum = Number.POSITIVE_INFINITY,
): Operator {
  return (argument, context, name) => {
    const all = operands(name, argument, context, minimum, maximum);
    return (current) =>
      compute(
        all.map((operand) => operand(current)),
        name,
      );
  };
}
