import { regexParts } from '../../bson/type.js';
import type { BsonValue, Doc } from '../../bson/values.js';
import { location } from '../errors.js';
import { compileRegex, isRegex, type RegexCodes } from '../regex.js';
import { compileArguments, namedArguments } from './arguments.js';
import { codePointLength } from './code-points.js';
import { isNullish, type Operator, type OperatorTable, typeOf } from './operator.js';

export const REGEX_SEARCH: OperatorTable = {
  $regexMatch: search((matches) => matches.next().done !== true, false),
  $regexFind: search((matches) => matches.next().value ?? null, null),
  $regexFindAll: search((matches) => [...matches], []),
};

const CODES: RegexCodes = { option: 51108, pattern: 51111 };

/** Patterns may differ from document to document; so many are kept compiled per expression. */
const COMPILED_MAX = 100;

function search(answer: (matches: Generator<Doc, undefined>) => BsonValue, whenNull: BsonValue): Operator {
  return (argument, context, name) => {
    const given = namedArguments(name, argument, ['input', 'regex'], ['options'], {
      notObject: () => location(51103, `${name} expects an object of named arguments but found: ${typeOf(argument)}`),
      unknown: (key) => location(31024, `${name} found an unknown argument: ${key}`),
      missing: (key) => location(key === 'input' ? 31022 : 31023, `${name} requires '${key}' parameter`),
    });
    const parts = compileArguments(given, context);
    const compiled = new Map<string, RegExp>();

    function pattern(regex: BsonValue, options: BsonValue): RegExp | undefined {
      if (!isNullish(options) && typeof options !== 'string') {
        throw location(51106, `${name} needs 'options' to be of type string`);
      }
      if (isNullish(regex)) return undefined;
      if (typeof regex !== 'string' && !isRegex(regex)) {
        throw location(51105, `${name} needs 'regex' to be of type string or regex`);
      }
      const own = typeof regex === 'string' ? { pattern: regex, options: '' } : regexParts(regex);
      if (own.options !== '' && !isNullish(options)) {
        throw location(51107, `${name}: found regex option(s) specified in both 'regex' and 'option' fields`);
      }
      const flags = isNullish(options) ? own.options : options;
      const key = `${flags}/${own.pattern}`;
      const known = compiled.get(key);
      if (known !== undefined) return known;
      const made = compileRegex(own.pattern, flags, CODES);
      if (compiled.size < COMPILED_MAX) compiled.set(key, new RegExp(made.source, `${made.flags}g`));
      return new RegExp(made.source, `${made.flags}g`);
    }

    return (current) => {
      const input = parts.input!(current);
      const regex = pattern(parts.regex!(current), parts.options?.(current));
      if (!isNullish(input) && typeof input !== 'string') {
        throw location(51104, `${name} needs 'input' to be of type string`);
      }
      if (isNullish(input) || regex === undefined) return whenNull;
      return answer(matchesIn(input, regex));
    };
  };
}

/** `{ match, idx, captures }` of each match; positions in code points. */
function* matchesIn(input: string, regex: RegExp): Generator<Doc, undefined> {
  for (const found of input.matchAll(regex)) {
    yield {
      match: found[0],
      idx: codePointLength(input.slice(0, found.index)),
      captures: found.slice(1).map((capture) => capture ?? null),
    };
  }
  return undefined;
}
