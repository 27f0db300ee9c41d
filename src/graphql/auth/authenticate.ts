import { createHash, timingSafeEqual } from 'node:crypto';
import type { Config } from '../../config.js';
import { AppError } from '../../errors.js';
import type { Store } from '../../store/store.js';
import type { Credentials } from './credentials.js';

/** What stands behind development mode: the one owner of a server that nobody has given credentials to yet. */
export const DEVELOPMENT: Credentials = { owner: 'local', role: 'ADMIN', agents: null, kind: 'DEVELOPMENT' };
/** The admin key names no owner; its data is that of development mode, which it often succeeds. */
const ADMIN_KEY: Credentials = { owner: 'local', role: 'ADMIN', agents: null, kind: 'ADMIN_KEY' };

/** How long another process's first key may go unnoticed; one made through this server is noticed at once. */
const RECHECK_KEYS_MS = 1_000;

export interface Authenticator {
  /** `authorization`: the header's value. Throws `AppError` UNAUTHENTICATED. */
  authenticate(authorization: string | undefined): Promise<Credentials>;
  /** No key, admin key or JWT setting exists: everybody on loopback is the owner `local`. */
  isDevelopment(): Promise<boolean>;
  /** A key was just created: development mode is over. */
  keyCreated(): void;
}

export function makeAuthenticator(
  auth: Config['auth'],
  store: Pick<Store, 'hasApiKeys' | 'apiKeyBySecret'>,
  now: () => number = Date.now,
): Authenticator {
  const configured = hasConfiguredCredentials(auth);
  const hasTokens = auth.jwt.secret !== null || auth.jwt.jwksUrl !== null;
  // Loaded only where tokens are configured: it is a tenth of the start.
  const jwtVerifier = hasTokens ? import('./jwt.js').then(({ makeJwtVerifier }) => makeJwtVerifier(auth.jwt)) : null;
  let keysExist = false;
  let checkedAt = Number.NEGATIVE_INFINITY;

  const isDevelopment = async (): Promise<boolean> => {
    if (configured || keysExist) return false;
    if (now() - checkedAt < RECHECK_KEYS_MS) return true;
    const found = await store.hasApiKeys();
    if (found) keysExist = true;
    else checkedAt = now();
    return !keysExist;
  };

  return {
    isDevelopment,
    keyCreated: () => {
      keysExist = true;
    },
    authenticate: async (authorization) => {
      if (authorization === undefined) {
        if (await isDevelopment()) return DEVELOPMENT;
        throw unauthenticated('Send credentials as "Authorization: Bearer <API key or JWT>"');
      }
      const token = /^Bearer +([\x21-\x7e]{1,8192})$/i.exec(authorization)?.[1];
      if (token === undefined) throw unauthenticated('Expected an Authorization header of the form "Bearer <token>"');
      if (auth.adminKey !== null && isEqual(token, auth.adminKey)) return ADMIN_KEY;
      if (jwtVerifier !== null && looksLikeJwt(token)) return (await jwtVerifier)(token);
      const key = await store.apiKeyBySecret(token);
      if (key === null) throw unauthenticated('The credentials are unknown, revoked or expired');
      return { owner: key.owner, role: key.role, agents: key.agentIds, apiKeyId: key.id, kind: 'API_KEY' };
    },
  };
}

export function hasConfiguredCredentials({ adminKey, jwt }: Config['auth']): boolean {
  return adminKey !== null || jwt.secret !== null || jwt.jwksUrl !== null;
}

export function unauthenticated(message: string): AppError {
  return new AppError('UNAUTHENTICATED', message);
}

function looksLikeJwt(token: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]*$/.test(token);
}

/** In constant time, whatever the lengths. */
function isEqual(left: string, right: string): boolean {
  const digest = (value: string) => createHash('sha256').update(value, 'utf8').digest();
  return timingSafeEqual(digest(left), digest(right));
}
