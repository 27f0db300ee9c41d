import { compare } from '../../bson/compare.js';
import type { BsonValue, Doc } from '../../bson/values.js';
import { metaOf } from '../../bson/values.js';
import { location } from '../errors.js';
import { double } from '../numeric.js';
import { isDocument } from '../path.js';
import {
  binary,
  type Cell,
  isNullish,
  isTrue,
  type Operator,
  type OperatorTable,
  operands,
  unary,
} from './operator.js';

/** Comparison, boolean, conditional and variable operators. */
export const LOGIC: OperatorTable = {
  $eq: binary((a, b) => order(a, b) === 0),
  $ne: binary((a, b) => order(a, b) !== 0),
  $gt: binary((a, b) => order(a, b) > 0),
  $gte: binary((a, b) => order(a, b) >= 0),
  $lt: binary((a, b) => order(a, b) < 0),
  $lte: binary((a, b) => order(a, b) <= 0),
  $cmp: binary((a, b) => Math.sign(order(a, b)) || 0),
  $and: junction(false),
  $or: junction(true),
  $not: unary((value) => !isTrue(value)),
  $cond: conditional,
  $ifNull: ifNull,
  $switch: branches,
  $let: letIn,
  $literal: (argument) => () => argument,
  $const: (argument) => () => argument,
  $expr: (argument, context) => context.compile(argument),
  $meta: meta,
  $rand: () => () => Math.random(),
};

/** The BSON order over all types; a missing value is below null. */
function order(a: BsonValue, b: BsonValue): number {
  return compare(a, b);
}

/** `$and` and `$or`: stops at the first operand whose truth is `decisive`. */
function junction(decisive: boolean): Operator {
  return (argument, context, name) => {
    const all = operands(name, argument, context, 0, Number.POSITIVE_INFINITY);
    return (current) => {
      for (const operand of all) if (isTrue(operand(current)) === decisive) return decisive;
      return !decisive;
    };
  };
}

const CONDITIONAL_PARTS = ['if', 'then', 'else'] as const;

const conditionalParts: readonly string[] = CONDITIONAL_PARTS;

function conditional(...[argument, context, name]: Parameters<Operator>): ReturnType<Operator> {
  let parts: BsonValue[];
  if (isDocument(argument)) {
    for (const key of Object.keys(argument)) {
      if (!conditionalParts.includes(key)) throw location(17083, `Unrecognized parameter to $cond: ${key}`);
    }
    CONDITIONAL_PARTS.forEach((key, index) => {
      if (!Object.hasOwn(argument, key)) throw location(17080 + index, `Missing '${key}' parameter to $cond`);
    });
    parts = CONDITIONAL_PARTS.map((key) => argument[key]);
  } else {
    parts = Array.isArray(argument) ? argument : [argument];
  }
  const [test, whenTrue, whenFalse] = operands(name, parts, context, 3);
  return (current) => (isTrue(test!(current)) ? whenTrue!(current) : whenFalse!(current));
}

function ifNull(...[argument, context, name]: Parameters<Operator>): ReturnType<Operator> {
  if (!Array.isArray(argument) || argument.length < 2) {
    const given = Array.isArray(argument) ? argument.length : 1;
    throw location(1257300, `$ifNull needs at least two arguments, had: ${given}`);
  }
  const all = operands(name, argument, context, 2, Number.POSITIVE_INFINITY);
  return (current) => {
    let value: BsonValue;
    for (const operand of all) {
      value = operand(current);
      if (!isNullish(value)) return value;
    }
    return value;
  };
}

function branches(...[argument, context]: Parameters<Operator>): ReturnType<Operator> {
  if (!isDocument(argument))
    throw location(40060, `$switch requires an object as an argument, found: ${typeof argument}`);
  for (const key of Object.keys(argument)) {
    if (key !== 'branches' && key !== 'default') throw location(40067, `$switch found an unknown argument: ${key}`);
  }
  const given = argument.branches;
  if (!Array.isArray(given)) throw location(40061, "$switch expected an array for 'branches'");
  if (given.length === 0) throw location(40068, '$switch requires at least one branch.');
  const compiled = given.map((branch) => {
    if (!isDocument(branch)) throw location(40062, '$switch expected each branch to be an object');
    for (const key of Object.keys(branch)) {
      if (key !== 'case' && key !== 'then')
        throw location(40063, `$switch found an unknown argument to a branch: ${key}`);
    }
    if (!Object.hasOwn(branch, 'case')) throw location(40064, "$switch requires each branch have a 'case' expression");
    if (!Object.hasOwn(branch, 'then')) throw location(40065, "$switch requires each branch have a 'then' expression.");
    return { test: context.compile(branch.case), value: context.compile(branch.then) };
  });
  const otherwise = Object.hasOwn(argument, 'default') ? context.compile(argument.default) : undefined;
  return (current) => {
    for (const branch of compiled) if (isTrue(branch.test(current))) return branch.value(current);
    if (otherwise !== undefined) return otherwise(current);
    throw location(40066, '$switch could not find a matching branch for an input, and no default was specified.');
  };
}

function letIn(...[argument, context]: Parameters<Operator>): ReturnType<Operator> {
  if (!isDocument(argument)) throw location(16874, '$let only supports an object as its argument');
  for (const key of Object.keys(argument)) {
    if (key !== 'vars' && key !== 'in') throw location(16875, `Unrecognized parameter to $let: ${key}`);
  }
  if (!Object.hasOwn(argument, 'vars')) throw location(16876, "Missing 'vars' parameter to $let");
  if (!Object.hasOwn(argument, 'in')) throw location(16877, "Missing 'in' parameter to $let");
  const given = argument.vars;
  if (!isDocument(given)) throw location(10065, 'invalid parameter: expected an object (vars)');
  const cells: Record<string, Cell> = {};
  const bindings = Object.entries(given).map(([name, expression]) => {
    const cell: Cell = { value: undefined };
    cells[name] = cell;
    return { cell, evaluate: context.compile(expression) };
  });
  const body = context.withVariables(cells).compile(argument.in);
  return (current) => {
    // all values first: the variables do not see one another
    const values = bindings.map(({ evaluate }) => evaluate(current));
    bindings.forEach(({ cell }, index) => {
      cell.value = values[index];
    });
    return body(current);
  };
}

/** Names of `$meta`, and what each falls back to. Source: MongoDB manual, "$meta". */
const META_NAMES: Readonly<Record<string, readonly string[]>> = {
  score: ['score', 'vectorSearchScore', 'searchScore', 'textScore'],
  scoreDetails: ['scoreDetails', 'searchScoreDetails'],
  searchScore: ['searchScore'],
  vectorSearchScore: ['vectorSearchScore'],
  searchHighlights: ['searchHighlights'],
  searchScoreDetails: ['searchScoreDetails'],
  searchSequenceToken: ['searchSequenceToken'],
  textScore: ['textScore'],
  indexKey: ['indexKey'],
  recordId: ['recordId'],
  sortKey: ['sortKey'],
  randVal: ['randVal'],
};

function meta(...[argument, context]: Parameters<Operator>): ReturnType<Operator> {
  if (typeof argument !== 'string') throw location(17307, '$meta only supports string arguments');
  const read = metaReader(argument);
  return () => read(context.root.value as Doc);
}

/** Reads one piece of metadata from a document; undefined when it has none. */
export function metaReader(name: string): (doc: Doc) => BsonValue {
  const names = Object.hasOwn(META_NAMES, name) ? META_NAMES[name] : undefined;
  if (names === undefined) throw location(17308, `Unsupported argument to $meta: ${name}`);
  return (doc) => {
    const found = metaOf(doc);
    if (found === undefined) return undefined;
    for (const key of names) {
      const value = found[key];
      // metadata keeps scores as plain numbers; in a document a score is a double, 1 too
      if (value !== undefined) return typeof value === 'number' ? double(value) : value;
    }
    return undefined;
  };
}
