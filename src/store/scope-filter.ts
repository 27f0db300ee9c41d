import type { Filter } from 'mongodb';
import type { Scope } from './scope.js';

/**
 * What a scope may see, as MQL over documents and over chunks alike: both carry `owner` and `agent_ids`. It is ANDed
 * into every query. A document without agents is seen by credentials that are not bound to agents only.
 */
export function scopeFilter(scope: Scope): Filter<{ owner: string; agent_ids: string[] }> {
  return scope.agents === null ? { owner: scope.owner } : { owner: scope.owner, agent_ids: { $in: [...scope.agents] } };
}

/** `filter` within the scope. `$and` keeps conditions on the same field apart, so that a filter can only narrow. */
export function inScope<T>(scope: Scope, filter: Filter<T>): Filter<T> {
  return { $and: [scopeFilter(scope) as Filter<T>, filter] } as Filter<T>;
}
