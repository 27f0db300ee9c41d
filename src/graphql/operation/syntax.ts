import { GraphQLError, Lexer, Source, TokenKind } from 'graphql';
import { LIMITS, limitExceeded } from '../limits.js';

const OPENING: ReadonlySet<string> = new Set([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L]);
const CLOSING: ReadonlySet<string> = new Set([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R]);

/**
 * Counts tokens and nesting before the parser sees an operation: the parser recurses, so a list literal nested a few
 * thousand deep would overflow its stack. Syntax errors are left to the parser. Throws QUERY_TOO_COMPLEX.
 */
export function checkSyntaxLimits(query: string): void {
  const lexer = new Lexer(new Source(query));
  let tokens = 0;
  let nesting = 0;
  try {
    for (let token = lexer.advance(); token.kind !== TokenKind.EOF; token = lexer.advance()) {
      tokens += 1;
      if (OPENING.has(token.kind)) nesting += 1;
      else if (CLOSING.has(token.kind)) nesting -= 1;
      if (tokens > LIMITS.operationTokens.maximum)
        throw limitExceeded('operationTokens', 'more', 'send texts and lists as variables');
      if (nesting > LIMITS.literalNesting.maximum) throw limitExceeded('literalNesting', 'more');
    }
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
  }
}
