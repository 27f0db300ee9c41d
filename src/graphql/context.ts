import { AppError } from '../errors.js';
import type { Ingest } from '../ingest/ingest.js';
import type { Jobs } from '../ingest/jobs/jobs.js';
import type { Reembedding } from '../ingest/reembed/reembedding.js';
import type { Retrieve } from '../retrieve/retrieve.js';
import type { Role } from '../store/records.js';
import { makeScope, type Operator, operator, type Scope } from '../store/scope.js';
import type { Store } from '../store/store.js';
import type { Credentials } from './auth/credentials.js';
import { type Loaders, makeLoaders } from './loaders.js';
import { type EmbedQueries, QueryEmbedding } from './query-embedding.js';
import { TextBudget } from './text-budget.js';

/** The parts below the API skin, made by the composition root. */
export interface Parts {
  readonly store: Store;
  readonly ingest: Ingest;
  readonly jobs: Jobs;
  readonly reembedding: Reembedding;
  readonly retrieve: Retrieve;
  /** Embeds questions in a space: one provider request per call. */
  readonly embedQueries: EmbedQueries;
  /** Tells authentication that development mode is over. */
  readonly keyCreated: () => void;
}

/** What every resolver of one operation sees. */
export interface RequestContext extends Parts {
  readonly requestId: string;
  readonly credentials: Credentials;
  readonly scope: Scope;
  /** Aborted when the client goes away or the server stops. */
  readonly signal: AbortSignal;
  /** Throws UNAUTHENTICATED once the credentials are revoked or have expired: what goes on for long asks again. */
  readonly checkCredentials: () => Promise<unknown>;
  /** Replaced with each event of a subscription. */
  text: TextBudget;
  readonly queryEmbedding: QueryEmbedding;
  /** Replaced after every mutation and event, so that what is read under it is the state after it. */
  loaders: Loaders;
}

export type Viewer = Credentials;
/** The parent of `Admin`'s fields: holding one proves the role. */
export interface AdminDoor {
  readonly operator: Operator;
}

export function makeContext(
  parts: Parts,
  request: Pick<RequestContext, 'requestId' | 'credentials' | 'signal' | 'checkCredentials'>,
): RequestContext {
  const scope = scopeFromCredentials(request.credentials);
  return {
    ...parts,
    ...request,
    scope,
    text: new TextBudget(),
    queryEmbedding: new QueryEmbedding(parts.embedQueries, request.signal),
    loaders: makeLoaders(parts.store, scope),
  };
}

/** The one maker of a `Scope` in this folder: owner and agents come from credentials, never from an argument. */
export function scopeFromCredentials(credentials: Credentials): Scope {
  return makeScope(credentials.owner, credentials.agents);
}

const RANK: Readonly<Record<Role, number>> = { READER: 0, WRITER: 1, ADMIN: 2 };

/** Throws FORBIDDEN unless the caller has the role or a higher one. */
export function requireRole(context: RequestContext, role: Role): void {
  const has = context.credentials.role;
  if (RANK[has] < RANK[role])
    throw new AppError('FORBIDDEN', `This needs role ${role}, the credentials have ${has}`, {
      details: { requiredRole: role },
    });
}

/** Acts for the operator: throws FORBIDDEN for anyone but an administrator. */
export function requireOperator(context: RequestContext): Operator {
  requireRole(context, 'ADMIN');
  return operator;
}
