import type { BsonValue, Doc } from '../bson/values.js';
import { badValue, location, notSupported } from './errors.js';
import { compileExpression, isTrue } from './expression.js';
import { conditionOnPath, every, type Match, some } from './filter/condition.js';
import { compileCondition } from './filter/field-operators.js';
import { toDouble } from './numeric.js';
import { isDocument, type MatchDetails } from './path.js';
import type { QueryVariables } from './query.js';

/** Nesting of a filter: deeper ones are refused before they exhaust the stack. */
const DEPTH_MAX = 100;

/**
 * Compiles a filter (the query predicate language, not aggregation expressions) to a predicate. The predicate takes an
 * optional second argument that receives the array index for the positional operator `$`.
 *
 * @throws CommandError 2 BadValue and others with the server's texts, here and not when it runs.
 */
export function compileFilter(filter: Doc, variables: QueryVariables): Match {
  return compileAtDepth(filter, variables, 0);
}

function compileAtDepth(filter: Doc, variables: QueryVariables, depth: number): Match {
  if (depth > DEPTH_MAX) throw badValue(`exceeded maximum query tree depth of ${DEPTH_MAX}`);
  const nested = (inner: Doc) => compileAtDepth(inner, variables, depth + 1);
  const matches: Match[] = [];
  for (const [key, value] of Object.entries(filter)) {
    if (!key.startsWith('$')) {
      matches.push(conditionOnPath(key, compileCondition(value, key, nested)));
      continue;
    }
    const operator = LOGICAL_OPERATORS.get(key);
    if (operator === undefined) {
      throw badValue(
        `unknown top level operator: ${key}. If you have a field name that starts with a '$' symbol, consider using $getField or $setField.`,
      );
    }
    const match = operator(value, nested, variables);
    if (match !== undefined) matches.push(match);
  }
  return every(matches);
}

type LogicalOperator = (
  argument: BsonValue,
  compile: (filter: Doc) => Match,
  variables: QueryVariables,
) => Match | undefined;

const LOGICAL_OPERATORS: ReadonlyMap<string, LogicalOperator> = new Map<string, LogicalOperator>([
  ['$and', (argument, compile) => every(clauses('$and', argument).map(compile))],
  ['$or', (argument, compile) => some(clauses('$or', argument).map(compile))],
  [
    '$nor',
    (argument, compile) => {
      const any = some(clauses('$nor', argument).map(compile));
      return (doc) => !any(doc);
    },
  ],
  [
    '$expr',
    (argument, _compile, variables) => {
      const evaluate = compileExpression(argument, variables);
      return (doc) => isTrue(evaluate(doc));
    },
  ],
  ['$comment', () => undefined],
  ['$alwaysTrue', () => () => true],
  ['$alwaysFalse', () => () => false],
  [
    '$sampleRate',
    (argument) => {
      const rate = toDouble(argument);
      if (!(rate >= 0 && rate <= 1)) throw badValue('numeric argument to $sampleRate must be in [0, 1]');
      return () => Math.random() < rate;
    },
  ],
  [
    '$text',
    () => {
      throw location(27, 'text index required for $text query');
    },
  ],
  [
    '$where',
    () => {
      throw notSupported('$where');
    },
  ],
  [
    '$jsonSchema',
    () => {
      throw notSupported('$jsonSchema');
    },
  ],
]);

function clauses(operator: string, argument: BsonValue): Doc[] {
  if (!Array.isArray(argument)) throw badValue(`${operator} must be an array`);
  if (argument.length === 0) throw badValue('$and/$or/$nor must be a nonempty array');
  return argument.map((clause) => {
    if (!isDocument(clause)) throw badValue('$or/$and/$nor entries need to be full objects');
    return clause;
  });
}

/** Index of the array element that made `doc` match, for the positional operator; undefined when no array was involved. */
export function matchedIndex(match: Match, doc: Doc): number | undefined {
  const details: MatchDetails = {};
  return match(doc, details) ? details.arrayIndex : undefined;
}
