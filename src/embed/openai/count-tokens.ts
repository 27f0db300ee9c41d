import { createRequire } from 'node:module';
import { TEXT_CLASS, textClasses } from '../text-class.js';
import type { TokenCounter } from '../token-counter.js';

/** cl100k_base is the vocabulary of text-embedding-3-* and ada-002; for other models behind the same API it is an estimate. */
const VOCABULARY = 'gpt-tokenizer/encoding/cl100k_base';

/**
 * gpt-tokenizer's byte-pair merge is quadratic in the length of a run of letters, marks or white space (14 000 Han
 * characters take 0.9 s), so such a run is counted in slices; real words are far shorter. Slices can only add tokens.
 */
const RUN_LIMIT = 256;
/** `<|endoftext|>` in a document is text like any other; by default the library throws on it. */
const AS_TEXT = { disallowedSpecial: new Set<string>() };

type Encoding = typeof import('gpt-tokenizer/encoding/cl100k_base');
let encoding: Encoding | undefined;

/** Tokens of a text in cl100k_base. The first call loads the vocabulary (some 400 ms, synchronously). */
export const countOpenaiTokens: TokenCounter = (text) => {
  encoding ??= createRequire(import.meta.url)(VOCABULARY) as Encoding;
  if (text.length <= RUN_LIMIT) return encoding.countTokens(text, AS_TEXT);
  let tokens = 0;
  let from = 0;
  for (const at of runCuts(text)) {
    tokens += encoding.countTokens(text.slice(from, at), AS_TEXT);
    from = at;
  }
  return tokens + encoding.countTokens(text.slice(from), AS_TEXT);
};

/** Places inside runs of one kind that are longer than the limit; never between the halves of a surrogate pair. */
function* runCuts(text: string): Generator<number> {
  const classes = textClasses();
  let run = 0;
  let previous = -1;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    const kind = KINDS[classes[unit]!]!;
    run = kind === previous ? run + 1 : 1;
    previous = kind;
    if (run > RUN_LIMIT && (unit & 0xfc00) !== 0xdc00) {
      yield at;
      run = 1;
    }
  }
}

/** Text classes that the vocabulary's pre-tokenizer keeps in one piece, by the class's number. */
const KINDS: readonly number[] = Object.values(TEXT_CLASS).map((kind) =>
  kind === TEXT_CLASS.IDEOGRAPH || kind === TEXT_CLASS.SURROGATE ? TEXT_CLASS.WORD : kind,
);
