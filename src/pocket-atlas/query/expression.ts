import { type BsonValue, type Doc, metaOf } from '../bson/values.js';
import { describe } from './describe.js';
import { badValue, location } from './errors.js';
import { compilePath, compilePathOnValue, compileVariablePath, fieldPathParts } from './expressions/field-path.js';
import {
  bindRoot,
  type Cell,
  type Evaluate,
  type ExpressionContext,
  isTrue,
  newRoot,
  type Root,
} from './expressions/operator.js';
import { OPERATORS } from './expressions/table.js';
import { isDocument, setField } from './path.js';
import type { QueryVariables } from './query.js';

export { isTrue };

/** Nesting of an expression: deeper ones are refused before they exhaust the stack. */
const DEPTH_MAX = 200;

/**
 * Compiles an aggregation expression. What it gives back evaluates on a document, which is both `$$ROOT` and `$$CURRENT`;
 * undefined is a missing value. `variables.vars` are read when it runs, so their values may change between documents
 * (as `$lookup` does); their names count when it is compiled.
 *
 * @throws CommandError 168 InvalidPipelineOperator for an unknown operator, 17276 for an unknown variable, and others.
 */
export function compileExpression(expression: BsonValue, variables: QueryVariables): (doc: Doc) => BsonValue {
  const root = newRoot();
  const evaluate = expressionContext(variables, root).compile(expression);
  return (doc) => {
    bindRoot(root, doc);
    return evaluate(doc);
  };
}

/** For stages that bind `$$ROOT` themselves. */
export function expressionContext(variables: QueryVariables, root: Root): ExpressionContext {
  return contextWith(variables, root, new Map(), 0);
}

function contextWith(
  variables: QueryVariables,
  root: Root,
  locals: ReadonlyMap<string, Cell>,
  depth: number,
): ExpressionContext {
  return {
    variables,
    root,
    compile(expression) {
      if (depth > DEPTH_MAX) throw badValue(`Expression is nested more than ${DEPTH_MAX} levels deep`);
      return compileIn(expression, contextWith(variables, root, locals, depth + 1), locals);
    },
    withVariables(added) {
      for (const name of Object.keys(added)) checkVariableName(name);
      return contextWith(variables, root, new Map([...locals, ...Object.entries(added)]), depth);
    },
  };
}

function compileIn(expression: BsonValue, context: ExpressionContext, locals: ReadonlyMap<string, Cell>): Evaluate {
  if (typeof expression === 'string') {
    if (expression.startsWith('$$')) return compileVariable(expression.slice(2), context, locals);
    if (expression.startsWith('$')) {
      if (expression.length === 1) throw location(16872, "'$' by itself is not a valid FieldPath");
      const parts = fieldPathParts(expression.slice(1));
      return locals.has('CURRENT') ? compileVariablePath(locals.get('CURRENT')!, parts) : compilePath(parts);
    }
    return () => expression;
  }
  if (Array.isArray(expression)) {
    // the same array every time, so that operators may keep what they learn about it
    if (expression.every(isConstant)) return () => expression;
    const items = expression.map((item) => context.compile(item));
    return (current) => items.map((item) => item(current) ?? null);
  }
  if (isDocument(expression)) return compileObject(expression, context);
  return () => expression;
}

function isConstant(value: BsonValue): boolean {
  if (typeof value === 'string') return !value.startsWith('$');
  return !Array.isArray(value) && !isDocument(value);
}

function compileObject(expression: Doc, context: ExpressionContext): Evaluate {
  const names = Object.keys(expression);
  const [first] = names;
  if (first?.startsWith('$')) {
    if (names.length !== 1) {
      throw location(
        15983,
        `An object representing an expression must have exactly one field: ${describe(expression)}`,
      );
    }
    const operator = Object.hasOwn(OPERATORS, first) ? OPERATORS[first] : undefined;
    if (operator === undefined) throw location(168, `Unrecognized expression '${first}'`);
    return operator(expression[first], context, first);
  }
  const fields = names.map((name) => {
    if (name.startsWith('$')) {
      throw location(16410, "FieldPath field names may not start with '$'. Consider using $getField or $setField.");
    }
    if (name.includes('.')) {
      throw location(16412, "FieldPath field names may not contain '.'. Consider using $getField or $setField.");
    }
    return { name, evaluate: context.compile(expression[name]) };
  });
  return (current) => {
    const result: Doc = {};
    for (const field of fields) {
      const value = field.evaluate(current);
      if (value !== undefined) setField(result, field.name, value);
    }
    return result;
  };
}

/** Variables that a user may not bind begin with an upper-case letter, except CURRENT. */
function checkVariableName(name: string): void {
  if (name === '') throw location(16866, 'empty variable names are not allowed');
  if (SYSTEM_NAMES.has(name)) return;
  if (!/^[a-z\u0080-\uffff]/.test(name)) {
    throw location(16867, `'${name}' starts with an invalid character for a user variable name`);
  }
  if (!/^[a-zA-Z0-9_\u0080-\uffff]*$/.test(name)) {
    throw location(16868, `'${name}' contains an invalid character for a variable name`);
  }
}

/** Bound by stages, not by users: `$redact`'s decisions. */
const SYSTEM_NAMES: ReadonlySet<string> = new Set(['CURRENT', 'DESCEND', 'PRUNE', 'KEEP']);

function compileVariable(path: string, context: ExpressionContext, locals: ReadonlyMap<string, Cell>): Evaluate {
  const dot = path.indexOf('.');
  const name = dot < 0 ? path : path.slice(0, dot);
  const parts = dot < 0 ? [] : fieldPathParts(path.slice(dot + 1));
  if (name === '') throw location(16866, 'empty variable names are not allowed');
  const local = locals.get(name);
  if (local !== undefined) return compileVariablePath(local, parts);
  switch (name) {
    case 'ROOT':
      return compileVariablePath(context.root, parts);
    case 'CURRENT':
      return parts.length === 0 ? (current) => current : compilePathOnValue(parts);
    case 'NOW':
      return compileVariablePath({ value: context.variables.now }, parts);
    case 'REMOVE':
      return () => undefined;
    case 'SEARCH_META': {
      const read = parts.length === 0 ? (value: BsonValue) => value : compilePathOnValue(parts);
      return () => read(isDocument(context.root.value) ? metaOf(context.root.value)?.searchMeta : undefined);
    }
    default:
  }
  const { vars } = context.variables;
  if (!Object.hasOwn(vars, name)) throw location(17276, `Use of undefined variable: ${name}`);
  if (parts.length === 0) return () => vars[name];
  const read = compilePathOnValue(parts);
  return () => read(vars[name]);
}
