import {
  type CryptoKey,
  createRemoteJWKSet,
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose';
import type { JwtConfig } from '../../config.js';
import { AppError, Refusal } from '../../errors.js';
import { checkName, MAX_AGENTS } from '../../store/agents.js';
import type { Role } from '../../store/records.js';
import type { Credentials } from './credentials.js';

/** Clocks of issuers and servers differ. */
const SKEW_SECONDS = 60;
const JWKS_TIMEOUT_MS = 5_000;
/** What a JWKS key may sign with. HS256 is not among them: a public key must never serve as a shared secret. */
const ASYMMETRIC = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

type Verify = (token: string) => Promise<Credentials>;

/** Checks tokens by the configured secret or key set, whichever is for the token's algorithm. Throws UNAUTHENTICATED. */
export function makeJwtVerifier(config: JwtConfig): Verify {
  const bySecret = config.secret === null ? null : secretVerifier(config.secret);
  const byKeySet = config.jwksUrl === null ? null : keySetVerifier(config.jwksUrl);
  const options: JWTVerifyOptions = {
    clockTolerance: SKEW_SECONDS,
    requiredClaims: ['exp'],
    ...(config.issuer !== null && { issuer: config.issuer }),
    ...(config.audience !== null && { audience: config.audience }),
  };
  return async (token) => {
    // The header only chooses between verifiers, each of which fixes its own algorithms.
    const verify = algorithmOf(token) === 'HS256' ? bySecret : byKeySet;
    if (verify === null) throw refused('its algorithm is not one of those that this server accepts');
    return credentialsOf(await verify(token, options).catch(refuse), config);
  };
}

type VerifyWith = (token: string, options: JWTVerifyOptions) => Promise<JWTPayload>;

function secretVerifier(secret: string): VerifyWith {
  const key = new TextEncoder().encode(secret);
  return async (token, options) => (await jwtVerify(token, key, { ...options, algorithms: ['HS256'] })).payload;
}

function keySetVerifier(url: string): VerifyWith {
  const keys = createRemoteJWKSet(new URL(url), { timeoutDuration: JWKS_TIMEOUT_MS });
  return async (token, options) => {
    const fixed = { ...options, algorithms: ASYMMETRIC };
    try {
      return (await jwtVerify(token, keys, fixed)).payload;
    } catch (error) {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
      return await verifyWithAny(error, token, fixed);
    }
  };
}

/** A token that names no key is tried with each of those that fit its algorithm; the set bounds how many. */
async function verifyWithAny(
  keys: AsyncIterable<CryptoKey>,
  token: string,
  options: JWTVerifyOptions,
): Promise<JWTPayload> {
  for await (const key of keys) {
    try {
      return (await jwtVerify(token, key, options)).payload;
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
    }
  }
  throw new errors.JWSSignatureVerificationFailed();
}

function algorithmOf(token: string): string | undefined {
  try {
    return decodeProtectedHeader(token).alg;
  } catch {
    throw refused('it is not a JSON Web Token');
  }
}

/** The key set, not the token, is at fault: no answer, an error status, or no key set. */
const KEY_SET_FAULTS: ReadonlySet<string> = new Set(['ERR_JWKS_TIMEOUT', 'ERR_JOSE_GENERIC', 'ERR_JWKS_INVALID']);

function refuse(error: unknown): never {
  if (!(error instanceof errors.JOSEError) || KEY_SET_FAULTS.has(error.code))
    throw new AppError('PROVIDER_UNAVAILABLE', 'The key set at GAZETTEER_JWKS_URL could not be read', {
      cause: error,
      details: { provider: 'jwks', retryable: true },
    });
  if (error instanceof errors.JWTExpired) throw refused('it has expired');
  if (error instanceof errors.JWTClaimValidationFailed) throw refused(`its claim "${error.claim}" is ${error.reason}`);
  throw refused('its signature or form is not valid');
}

function credentialsOf(payload: JWTPayload, config: JwtConfig): Credentials {
  const owner = payload[config.ownerClaim];
  if (typeof owner !== 'string' || !isName(owner))
    throw refused(`its claim "${config.ownerClaim}", the owner, is not a printable name`);
  return { owner, role: roleOf(payload.role, config), agents: agentsOf(payload.agents), kind: 'JWT' };
}

const ROLES: Readonly<Record<string, Role>> = { reader: 'READER', writer: 'WRITER', admin: 'ADMIN' };

function roleOf(claim: unknown, { adminAllowed }: JwtConfig): Role {
  if (claim === undefined) return 'READER';
  const name = typeof claim === 'string' ? claim.toLowerCase() : '';
  const role = Object.hasOwn(ROLES, name) ? ROLES[name] : undefined;
  if (role === undefined) throw refused('its claim "role" is none of reader, writer and admin');
  return role === 'ADMIN' && !adminAllowed ? 'WRITER' : role;
}

/** A claim that is there but names nobody would read as "not bound": it is refused instead. */
function agentsOf(claim: unknown): readonly string[] | null {
  if (claim === undefined) return null;
  const agents = Array.isArray(claim) ? claim : [];
  const valid = agents.every((agent) => typeof agent === 'string' && isName(agent));
  if (!valid || agents.length === 0 || agents.length > MAX_AGENTS)
    throw refused(`its claim "agents" is not a list of 1 to ${MAX_AGENTS} printable names`);
  return [...new Set<string>(agents)];
}

function isName(name: string): boolean {
  try {
    checkName(name, 'name', []);
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

function refused(why: string): AppError {
  return new AppError('UNAUTHENTICATED', `The token was refused: ${why}`);
}
