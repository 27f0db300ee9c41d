import type { Role } from '../../store/records.js';

/** Who a request comes from, once its credentials have been checked: the only source of owner, role and agents. */
export interface Credentials {
  readonly owner: string;
  readonly role: Role;
  /** null: not bound to agents. Never empty. */
  readonly agents: readonly string[] | null;
  /** The API key; absent: other credentials, which cannot be revoked one by one. Jobs keep it, to look at it again. */
  readonly apiKeyId?: string;
  readonly kind: 'DEVELOPMENT' | 'ADMIN_KEY' | 'API_KEY' | 'JWT';
}
