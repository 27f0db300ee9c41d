import type { Embedder } from '../embed/embedder.js';
import { currentTrace } from './current-request.js';

/** The same part of the store, with each call counted by its name for the request that it is made in. */
export function countedCalls<T extends object>(part: T): T {
  return new Proxy(part, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function' || typeof name !== 'string') return member;
      return (...args: unknown[]) => {
        const calls = currentTrace()?.storeCalls;
        calls?.set(name, (calls.get(name) ?? 0) + 1);
        return Reflect.apply(member, target, args);
      };
    },
  });
}

/** The same embedder, with each call counted. */
export function countedEmbedder(embedder: Embedder): Embedder {
  return {
    space: embedder.space,
    countTokens: (text) => embedder.countTokens(text),
    embed: (texts, options) => {
      const trace = currentTrace();
      if (trace) trace.providerCalls += 1;
      return embedder.embed(texts, options);
    },
    ...(embedder.close && { close: () => embedder.close!() }),
  };
}
