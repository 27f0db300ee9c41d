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

/** The same embedder, with each call of the provider counted. */
export function countedProvider<E extends { embed(...args: never[]): unknown }>(embedder: E): E {
  return new Proxy(embedder, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (name !== 'embed' || typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        const trace = currentTrace();
        if (trace) trace.providerCalls += 1;
        return Reflect.apply(member, target, args);
      };
    },
  });
}
