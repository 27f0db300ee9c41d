import { Refusal } from '../errors.js';
import type { Scope } from './scope.js';

export const MAX_AGENTS = 100;
export const MAX_AGENT_LENGTH = 256;

/**
 * The rules of credentials that are bound to agents, for writing. Pure; `store/` applies them to every write, `ingest`
 * before it spends anything on embedding.
 */

/** Agents of a document that the scope creates without naming any: its own, so that it can read what it wrote. */
export function agentsForNewDocument(scope: Scope): readonly string[] {
  return scope.agents ?? [];
}

/** Checks agents that a caller gave. Throws `Refusal` INVALID: the bound ones among the callers give some of theirs. */
export function checkGivenAgents(
  scope: Scope,
  agentIds: readonly string[],
  path: readonly string[] = ['input', 'agentIds'],
): readonly string[] {
  const unique = [...new Set(agentIds.map((agent) => agent.normalize('NFC')))];
  if (unique.length > MAX_AGENTS)
    throw new Refusal('INVALID', `At most ${MAX_AGENTS} agents are allowed, got ${unique.length}`, path);
  for (const agent of unique) checkName(agent, 'agent id', path);
  if (scope.agents === null) return unique;
  const own = new Set(scope.agents);
  if (unique.length === 0)
    throw new Refusal(
      'INVALID',
      'These credentials are bound to agents, so a document needs at least one of them',
      path,
    );
  const foreign = unique.filter((agent) => !own.has(agent));
  if (foreign.length > 0)
    throw new Refusal('INVALID', `These credentials may give only their own agents, got ${foreign.join(', ')}`, path);
  return unique;
}

/** Whether the scope may write a document that it can read: bound ones only where all of its agents are theirs. */
export function mayWrite(scope: Scope, agentIds: readonly string[]): boolean {
  if (scope.agents === null) return true;
  const own = new Set(scope.agents);
  return agentIds.length > 0 && agentIds.every((agent) => own.has(agent));
}

/** Throws `Refusal` CONFLICT where the scope may read but not write. */
export function requireWritable(scope: Scope, agentIds: readonly string[], path: readonly string[]): void {
  if (!mayWrite(scope, agentIds))
    throw new Refusal(
      'CONFLICT',
      'The document belongs to other agents too, which these credentials may not write for',
      path,
    );
}

/** Owners and agents: 1 to 256 UTF-16 units, printable, NFC. */
export function checkName(name: string, what: string, path: readonly string[]): void {
  if (name === '') throw new Refusal('INVALID', `The ${what} is empty`, path);
  if (name.length > MAX_AGENT_LENGTH)
    throw new Refusal(
      'INVALID',
      `The ${what} has ${name.length} characters, at most ${MAX_AGENT_LENGTH} are allowed`,
      path,
    );
  if (!name.isWellFormed() || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(name) || name !== name.normalize('NFC'))
    throw new Refusal('INVALID', `The ${what} must be printable Unicode in NFC`, path);
}
