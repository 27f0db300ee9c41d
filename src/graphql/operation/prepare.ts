import { type DocumentNode, GraphQLError, parse } from 'graphql';
import { AppError } from '../../errors.js';
import { LIMITS } from '../limits.js';
import { checkShape } from './shape.js';
import { checkSyntaxLimits } from './syntax.js';

/** Operations that passed, by their text. Longer ones hold their data inline and do not come back. */
const MAX_REMEMBERED = 500;
const MAX_REMEMBERED_CHARACTERS = 16_384;
const passed = new Set<string>();

/**
 * The checks that must come before GraphQL's own parsing and validation, which could be made to overflow the stack or
 * take long. Throws `AppError` QUERY_TOO_COMPLEX; syntax errors pass, the parser reports them.
 */
export function checkBeforeParsing(query: string): void {
  if (passed.has(query)) return;
  checkSyntaxLimits(query);
  const document = parsed(query);
  if (document) checkShape(document);
  if (query.length > MAX_REMEMBERED_CHARACTERS) return;
  if (passed.size >= MAX_REMEMBERED) passed.delete(passed.values().next().value as string);
  passed.add(query);
}

function parsed(query: string): DocumentNode | null {
  try {
    return parse(query, { maxTokens: LIMITS.operationTokens.maximum });
  } catch (error) {
    if (error instanceof GraphQLError) return null;
    if (error instanceof RangeError) throw new AppError('QUERY_TOO_COMPLEX', 'The operation is nested too deep');
    throw error;
  }
}
