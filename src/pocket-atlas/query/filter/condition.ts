import type { Doc } from '../../bson/values.js';
import { compileVisit, type MatchDetails, type ValueTest } from '../path.js';

/** A compiled filter. With `details`, it also tells where the positional operator `$` points. */
export type Match = (doc: Doc, details?: MatchDetails) => boolean;

/**
 * What a field must satisfy, before it is known whether it applies to a path (`{ a: { $gt: 1 } }`) or straight to a value
 * (`{ $elemMatch: { $gt: 1 } }`). `wholeArray`: an array at the end of the path is tested itself and not its elements.
 */
export type Condition =
  | { readonly kind: 'leaf'; readonly test: ValueTest; readonly wholeArray: boolean }
  | { readonly kind: 'not'; readonly conditions: readonly Condition[] }
  | { readonly kind: 'and'; readonly conditions: readonly Condition[] };

export const leaf = (test: ValueTest): Condition => ({ kind: 'leaf', test, wholeArray: false });
export const arrayLeaf = (test: ValueTest): Condition => ({ kind: 'leaf', test, wholeArray: true });
export const not = (...conditions: Condition[]): Condition => ({ kind: 'not', conditions });
export const and = (conditions: readonly Condition[]): Condition => ({ kind: 'and', conditions });

export function conditionOnPath(path: string, condition: Condition): Match {
  if (condition.kind === 'leaf') {
    const { test } = condition;
    const visit = compileVisit(path, condition.wholeArray);
    return (doc, details) => visit(doc, test, details);
  }
  const all = every(condition.conditions.map((inner) => conditionOnPath(path, inner)));
  return condition.kind === 'and' ? all : (doc) => !all(doc);
}

export function conditionOnValue(condition: Condition): ValueTest {
  if (condition.kind === 'leaf') return condition.test;
  const tests = condition.conditions.map(conditionOnValue);
  const all: ValueTest = (value, details) => tests.every((test) => test(value, details));
  return condition.kind === 'and' ? all : (value) => !all(value);
}

export function every(matches: readonly Match[]): Match {
  const [first, second, third] = matches;
  // small counts without a loop: two equalities are the usual filter, run for every record
  switch (matches.length) {
    case 0:
      return () => true;
    case 1:
      return first!;
    case 2:
      return (doc, details) => first!(doc, details) && second!(doc, details);
    case 3:
      return (doc, details) => first!(doc, details) && second!(doc, details) && third!(doc, details);
    default:
      return (doc, details) => {
        for (const match of matches) if (!match(doc, details)) return false;
        return true;
      };
  }
}

export function some(matches: readonly Match[]): Match {
  return (doc, details) => {
    for (const match of matches) if (match(doc, details)) return true;
    return false;
  };
}
