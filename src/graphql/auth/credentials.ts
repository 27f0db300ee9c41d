import type { Role } from '../../store/records.js';

/** Who a request comes from, once its credentials have been checked: the only source of owner, role and agents. */
export interface Credentials {
  readonly owner: string;
  readonly role: Role;
  /** null: not bound to agents. Never empty. */
  readonly agents: readonly string[] | null;
  readonly kind: 'DEVELOPMENT' | 'ADMIN_KEY' | 'API_KEY' | 'JWT';
}

export const MAX_OWNER_CHARACTERS = 256;
export const MAX_AGENT_CHARACTERS = 256;
/** Agents that one credential may be bound to: they travel in every filter. */
export const MAX_BOUND_AGENTS = 100;

/** Why a string cannot name an owner or an agent; null when it can. Unprintable characters would make two look alike. */
export function nameProblem(name: string, maxCharacters = MAX_OWNER_CHARACTERS): string | null {
  if (name === '') return 'must not be empty';
  if (name.length > maxCharacters) return `must have at most ${maxCharacters} characters, got ${name.length}`;
  if (/[\p{C}\p{Zl}\p{Zp}]/u.test(name) || name.trim() !== name)
    return 'must hold printable characters only, without blanks at its ends';
  if (name.normalize('NFC') !== name) return 'must be in Unicode normalisation form C';
  return null;
}
