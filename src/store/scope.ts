/**
 * Who is asking. Every owner-bound store function takes a `Scope` first, so a query without an owner cannot be written.
 * Made by `scopeFromCredentials` (graphql/context.ts) and `scopeOfJob` (ingest/) only; the architecture test holds that.
 */
declare const brand: unique symbol;

export interface Scope {
  readonly owner: string;
  /** null: not bound to agents, sees all of the owner. Never empty. */
  readonly agents: readonly string[] | null;
  readonly [brand]: 'Scope';
}

/** Acts on the instance, not for an owner: indexes, spaces, sweeps, erasure. Owner-bound functions do not accept it. */
export interface Operator {
  readonly [brand]: 'Operator';
}

/** Call it from the two makers only. An empty list of agents is a fault of the caller: it would fail open. */
export function makeScope(owner: string, agents: readonly string[] | null): Scope {
  if (owner === '') throw new TypeError('A scope needs an owner, got an empty string');
  if (agents !== null && agents.length === 0)
    throw new TypeError('A scope bound to agents needs at least one, got none');
  return Object.freeze({ owner, agents: agents && Object.freeze([...agents]) }) as Scope;
}

export const operator = Object.freeze({}) as Operator;
