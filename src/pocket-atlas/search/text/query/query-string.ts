import { SearchFailure } from '../../search-failure.js';
import { analyzerNamed, tokensOf } from '../analysis/analyzers.js';
import { exactKey, wordsKey } from '../mapping.js';
import type { Node } from './node.js';
import type { QueryContext, StringPath } from './paths.js';
import { phraseNode } from './phrase-node.js';
import { compileWildcard } from './wildcard.js';

/**
 * The common part of Lucene's query syntax: words, "phrases"~slop, path:word, path:(…), AND OR NOT + -, parentheses,
 * wild*cards, fuzzy~1, boost^2, [a TO b]. Source: MongoDB manual, "queryString"; Lucene "Query Parser Syntax".
 */
const MAX_DEPTH = 32;
const SPACE = /\s/;
const SPECIAL = /[\s()":^~[\]{}]/;

export function parseQueryString(query: string, defaultPath: string, context: QueryContext): Node {
  const parser = new QueryStringParser(query, context);
  return parser.parse(defaultPath);
}

type Occur = 'must' | 'should' | 'mustNot';

class QueryStringParser {
  private readonly text: string;
  private readonly context: QueryContext;
  private at = 0;
  private depth = 0;

  constructor(text: string, context: QueryContext) {
    this.text = text;
    this.context = context;
  }

  parse(path: string): Node {
    const node = this.clauses(path, false);
    if (this.at < this.text.length) this.fail(`unexpected "${this.text[this.at]}"`);
    return node;
  }

  private clauses(path: string, nested: boolean): Node {
    if (++this.depth > MAX_DEPTH) this.fail(`parentheses nest deeper than ${MAX_DEPTH}`);
    const parts: { occur: Occur; node: Node }[] = [];
    let conjunction = false;
    for (;;) {
      this.skipSpace();
      if (this.at >= this.text.length || (nested && this.text[this.at] === ')')) break;
      if (this.word('AND') || this.take('&&')) {
        conjunction = true;
        const last = parts[parts.length - 1];
        if (last?.occur === 'should') last.occur = 'must';
        continue;
      }
      if (this.word('OR') || this.take('||')) {
        conjunction = false;
        continue;
      }
      let occur: Occur = conjunction ? 'must' : 'should';
      if (this.word('NOT') || this.take('-') || this.take('!')) occur = 'mustNot';
      else if (this.take('+')) occur = 'must';
      parts.push({ occur, node: this.clause(path) });
      conjunction = false;
    }
    this.depth--;
    const of = (occur: Occur): Node[] => parts.filter((part) => part.occur === occur).map((part) => part.node);
    if (parts.length === 0) return { kind: 'none' };
    if (parts.length === 1 && parts[0]!.occur !== 'mustNot') return parts[0]!.node;
    return {
      kind: 'compound',
      must: of('must'),
      mustNot: of('mustNot'),
      should: of('should'),
      filter: [],
      minimumShouldMatch: 0,
    };
  }

  private clause(path: string): Node {
    this.skipSpace();
    let node: Node;
    if (this.take('(')) {
      node = this.clauses(path, true);
      this.expect(')');
    } else if (this.text[this.at] === '"') node = this.phrase(path);
    else if (this.text[this.at] === '[' || this.text[this.at] === '{') node = this.range(path);
    else {
      const word = this.readWord();
      if (word.text === '')
        this.fail(this.at < this.text.length ? `unexpected "${this.text[this.at]}"` : 'the query ends too early');
      if (this.take(':')) return this.clause(word.text);
      node = this.term(word, path);
    }
    if (!this.take('^')) return node;
    const factor = this.number();
    return factor === undefined || factor <= 0
      ? this.fail('a positive number must follow ^')
      : { kind: 'boost', child: node, factor };
  }

  private term(word: { text: string; hasWildcard: boolean; raw: string }, path: string): Node {
    const field = this.field(path);
    if (word.raw === '*') return { kind: 'exists', path };
    if (this.take('~')) {
      const edits = Math.min(2, Math.trunc(this.number() ?? 2));
      if (field === undefined) return { kind: 'none' };
      const words = this.words(word.text, field);
      if (edits === 0) return { kind: 'words', key: field.key, words, require: 'any', fuzzy: null };
      return {
        kind: 'words',
        key: field.key,
        words,
        require: 'any',
        fuzzy: { maxEdits: edits as 1 | 2, prefixLength: 0, maxExpansions: 50 },
      };
    }
    if (field === undefined) return { kind: 'none' };
    if (word.hasWildcard) {
      // the terms in the index are lower case wherever the analyzer makes them so
      const pattern =
        field.field.analyzer === 'lucene.keyword' || field.field.analyzer === 'lucene.whitespace'
          ? word.raw
          : word.raw.toLowerCase();
      return { kind: 'pattern', key: field.key, ...compileWildcard(pattern) };
    }
    return phraseNode(word.text, field, 0);
  }

  private phrase(path: string): Node {
    this.expect('"');
    let text = '';
    while (this.text[this.at] !== '"') {
      if (this.at >= this.text.length) this.fail('a phrase lacks its closing quotation mark');
      if (this.text[this.at] === '\\') this.at++;
      text += this.text[this.at++] ?? '';
    }
    this.at++;
    const slop = this.take('~') ? Math.trunc(this.number() ?? 0) : 0;
    const field = this.field(path);
    return field === undefined ? { kind: 'none' } : phraseNode(text, field, slop);
  }

  /** Strings only: on the path's token field. */
  private range(path: string): Node {
    const lowerInclusive = this.text[this.at++] === '[';
    const lower = this.bound();
    this.skipSpace();
    if (!this.word('TO')) this.fail('a range needs TO between its bounds');
    const upper = this.bound();
    this.skipSpace();
    const close = this.text[this.at++];
    if (close !== ']' && close !== '}') this.fail('a range lacks its closing bracket');
    if (this.context.mapping.token(path) === undefined) return { kind: 'none' };
    return {
      kind: 'exactRange',
      key: exactKey(path),
      lower: lower === '*' ? null : { value: `s${lower}`, inclusive: lowerInclusive },
      upper: upper === '*' ? null : { value: `s${upper}`, inclusive: close === ']' },
    };
  }

  private bound(): string {
    this.skipSpace();
    if (this.text[this.at] === '"') {
      const end = this.text.indexOf('"', this.at + 1);
      if (end < 0) this.fail('a bound lacks its closing quotation mark');
      const text = this.text.slice(this.at + 1, end);
      this.at = end + 1;
      return text;
    }
    const word = this.readWord();
    return word.text === '' ? this.fail('a range lacks a bound') : word.raw;
  }

  private field(path: string): StringPath | undefined {
    const field = this.context.mapping.string(path);
    return field === undefined ? undefined : { path, key: wordsKey(path), field };
  }

  private words(text: string, { field }: StringPath): string[] {
    return tokensOf(analyzerNamed(field.searchAnalyzer), text).map(({ term }) => term);
  }

  /** Up to white space or a special character; `raw` keeps wildcards' escapes for the pattern. */
  private readWord(): { text: string; raw: string; hasWildcard: boolean } {
    let text = '';
    let raw = '';
    let hasWildcard = false;
    while (this.at < this.text.length) {
      const character = this.text[this.at]!;
      if (character === '\\' && this.at + 1 < this.text.length) {
        text += this.text[this.at + 1]!;
        raw += this.text.slice(this.at, this.at + 2);
        this.at += 2;
        continue;
      }
      if (SPECIAL.test(character)) break;
      if (character === '*' || character === '?') hasWildcard = true;
      text += character;
      raw += character;
      this.at++;
    }
    return { text, raw, hasWildcard };
  }

  private number(): number | undefined {
    const match = /^\d+(?:\.\d+)?/.exec(this.text.slice(this.at, this.at + 32));
    if (match === null) return undefined;
    this.at += match[0].length;
    return Number(match[0]);
  }

  /** A whole word, such as AND. */
  private word(word: string): boolean {
    const after = this.text[this.at + word.length];
    if (!this.text.startsWith(word, this.at) || (after !== undefined && !SPACE.test(after) && after !== '('))
      return false;
    this.at += word.length;
    return true;
  }

  private take(token: string): boolean {
    if (!this.text.startsWith(token, this.at)) return false;
    this.at += token.length;
    return true;
  }

  private expect(token: string): void {
    if (!this.take(token)) this.fail(`"${token}" is missing`);
  }

  private skipSpace(): void {
    while (this.at < this.text.length && SPACE.test(this.text[this.at]!)) this.at++;
  }

  private fail(problem: string): never {
    throw new SearchFailure(`Failed to parse the query string at character ${this.at}: ${problem}`);
  }
}
