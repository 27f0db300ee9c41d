import type { Store } from '../store/store.js';
import { currentTrace } from './current-request.js';

/** The same store, with each call counted for the request it is made in (and for all, through `onCall`). */
export function countedStore(store: Store, onCall: (name: string) => void = () => {}): Store {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function' || typeof name !== 'string') return member;
      return (...args: unknown[]) => {
        const trace = currentTrace();
        if (trace) trace.storeCalls += 1;
        onCall(name);
        return Reflect.apply(member, target, args);
      };
    },
  });
}
