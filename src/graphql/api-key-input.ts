import { Refusal } from '../errors.js';
import { checkName, MAX_AGENTS } from '../store/agents.js';
import type { Role } from '../store/records.js';
import type { Credentials } from './auth/credentials.js';
import type { CreateApiKeyInput } from './schema.generated.js';

const MAX_KEY_NAME_CHARACTERS = 256;

export interface NewApiKey {
  readonly owner: string;
  readonly name: string;
  readonly role: Role;
  readonly agentIds: readonly string[] | null;
  readonly expiresAt: Date | null;
}

/** Checks what a key is asked for. Throws `Refusal` INVALID. */
export function newApiKey(input: CreateApiKeyInput, by: Credentials): NewApiKey {
  const { ownerId, name, role, agentIds, expiresAt } = input;
  // The first key ends development mode: were it not an operator's, nobody could make another one.
  if (by.kind === 'DEVELOPMENT' && role !== 'ADMIN')
    throw invalid('role', `The first key ends development mode, so it must have role ADMIN, got ${role}`);
  checkName(ownerId, 'owner', ['input', 'ownerId']);
  if (name.trim() === '' || name.length > MAX_KEY_NAME_CHARACTERS)
    throw invalid('name', `A key needs a name of 1 to ${MAX_KEY_NAME_CHARACTERS} characters`);
  if (expiresAt != null && expiresAt.getTime() <= Date.now())
    throw invalid('expiresAt', `A key must expire in the future, got ${expiresAt.toISOString()}`);
  return { owner: ownerId, name, role, agentIds: boundAgents(agentIds ?? null), expiresAt: expiresAt ?? null };
}

/** An empty list would bind the key to nothing or to everything, depending on who reads it. */
function boundAgents(agents: readonly string[] | null): readonly string[] | null {
  if (agents === null) return null;
  if (agents.length === 0 || agents.length > MAX_AGENTS)
    throw invalid('agentIds', `Expected 1 to ${MAX_AGENTS} agents or none given, got ${agents.length}`);
  for (const agent of agents) checkName(agent, 'agent id', ['input', 'agentIds']);
  return [...new Set(agents)];
}

export function noSuchApiKey(): Refusal {
  return new Refusal('NOT_FOUND', 'There is no such key', ['input', 'apiKeyId']);
}

function invalid(field: keyof CreateApiKeyInput, message: string): Refusal {
  return new Refusal('INVALID', message, ['input', field]);
}
