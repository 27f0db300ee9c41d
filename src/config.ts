import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { loadEnvFile } from 'node:process';
import { z } from 'zod';
import { languagesProblem } from './analyzers.js';

export const EMBEDDING_PROVIDERS = ['openai', 'bundled', 'hash'] as const;

/**
 * Environment → one frozen, validated `Config`. The only reader of `process.env`. Throws `ConfigError` with one
 * readable line per mistake; a message names the variable and what was expected, never a secret's value.
 */
export interface Config {
  readonly http: {
    readonly host: string;
    /** 0 picks a free port. */
    readonly port: number;
    /** Host headers that are accepted; null: any, once credentials exist. */
    readonly hosts: readonly string[] | null;
    readonly corsOrigins: readonly string[];
    /** A loopback port of its own for /metrics; null: only with an administrator's credentials. */
    readonly metricsPort: number | null;
    /** How long a stop waits for running requests. */
    readonly drainMs: number;
  };
  readonly database: {
    /** null: Pocket Atlas in `dataDir`. */
    readonly uri: string | null;
    readonly name: string;
    readonly dataDir: string;
    /** Declared filterable metadata keys and their types. */
    readonly filterable: Readonly<Record<string, FilterableType>>;
    /** BCP 47 primary subtags whose analyzers the text index has. */
    readonly languages: readonly string[];
  };
  readonly embedding: {
    readonly provider: (typeof EMBEDDING_PROVIDERS)[number];
    readonly model: string | null;
    readonly dimensions: number | null;
    /** What was set, rather than defaulted: only that can mismatch a stored space. */
    readonly explicit: { readonly provider?: string; readonly model?: string; readonly dimensions?: number };
    readonly apiKey: string | null;
    readonly baseUrl: string | null;
    /** Pieces of a document are embedded in view of each other, where the endpoint knows `late_chunking`. */
    readonly lateChunking: boolean;
    /** What the account may use; null: no limit of ours. */
    readonly requestsPerMinute: number | null;
    readonly tokensPerMinute: number | null;
  };
  /** The chat model that situates the chunks of contextual documents; null: title and headings do that alone. */
  readonly context: ContextConfig | null;
  readonly search: {
    /** For a whole search, reranking included. */
    readonly deadlineMs: number;
    /** null: a search that asks for reranking keeps its order, and says so. */
    readonly rerank: RerankConfig | null;
  };
  readonly jobs: {
    /** Items of jobs that run at once. */
    readonly slots: number;
    /** A server that is silent for so long is taken for dead, and others run its items. */
    readonly leaseMs: number;
  };
  readonly auth: {
    readonly adminKey: string | null;
    readonly jwt: JwtConfig;
  };
  readonly logLevel: (typeof LOG_LEVELS)[number];
}

export interface RerankConfig {
  readonly provider: (typeof RERANK_PROVIDERS)[number];
  readonly url: string | null;
  readonly model: string | null;
  readonly apiKey: string | null;
  /** How many of the best hits are reordered. */
  readonly count: number;
}

export interface ContextConfig {
  readonly url: string;
  readonly model: string;
  readonly apiKey: string | null;
}

export interface JwtConfig {
  readonly secret: string | null;
  readonly jwksUrl: string | null;
  readonly issuer: string | null;
  readonly audience: string | null;
  readonly ownerClaim: string;
  readonly adminAllowed: boolean;
}

/** What the command-line client is told by the environment. */
export interface ClientConfig {
  readonly url: string;
  readonly apiKey: string | null;
  /** Where the client remembers which files it sent: the XDG base directory for state. */
  readonly stateDir: string;
}

export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Has libraries run as in production, where nobody said otherwise: without it, graphql checks each of its values for
 * mistakes of its own developers. To be called before they are loaded, since that is when they look.
 */
export function preferProductionMode(): void {
  process.env.NODE_ENV ??= 'production';
}

/** Reads the environment, and `.env` in the working directory for what it does not set. */
export function loadConfig(): Config {
  loadDotEnv();
  return parseConfig(process.env);
}

export function loadClientConfig(): ClientConfig {
  loadDotEnv();
  return parseClientConfig(process.env);
}

/** For a server that is thrown away (demo, measurements): the embedding settings of the environment, nothing else. */
export function loadThrowAwayConfig(dataDir: string): Config {
  loadDotEnv();
  const embedding = Object.entries(process.env).filter(([name]) => /^(EMBEDDING|OPENAI)_/.test(name));
  return parseConfig({ ...Object.fromEntries(embedding), PORT: '0', GAZETTEER_DATA_DIR: dataDir });
}

export function parseConfig(environment: Environment): Config {
  const result = SETTINGS.safeParse(withoutBlanks(environment));
  if (!result.success) throw new ConfigError(result.error.issues.map(problemLine));
  const s = result.data;
  return deepFreeze({
    http: {
      host: s.HOST,
      port: s.PORT,
      hosts: s.GAZETTEER_HOSTS ?? null,
      corsOrigins: s.GAZETTEER_CORS_ORIGINS ?? [],
      metricsPort: s.GAZETTEER_METRICS_PORT ?? null,
      drainMs: s.GAZETTEER_DRAIN_SECONDS * 1000,
    },
    database: {
      uri: s.MONGODB_URI ?? null,
      name: s.MONGODB_DB,
      dataDir: isAbsolute(s.GAZETTEER_DATA_DIR) ? s.GAZETTEER_DATA_DIR : resolve(s.GAZETTEER_DATA_DIR),
      filterable: s.GAZETTEER_FILTERABLE ?? {},
      languages: s.GAZETTEER_LANGUAGES,
    },
    embedding: {
      provider: s.EMBEDDING_PROVIDER ?? (s.OPENAI_API_KEY === undefined ? 'bundled' : 'openai'),
      model: s.EMBEDDING_MODEL ?? null,
      dimensions: s.EMBEDDING_DIMENSIONS ?? null,
      explicit: {
        ...(s.EMBEDDING_PROVIDER !== undefined && { provider: s.EMBEDDING_PROVIDER }),
        ...(s.EMBEDDING_MODEL !== undefined && { model: s.EMBEDDING_MODEL }),
        ...(s.EMBEDDING_DIMENSIONS !== undefined && { dimensions: s.EMBEDDING_DIMENSIONS }),
      },
      apiKey: s.OPENAI_API_KEY ?? null,
      baseUrl: s.OPENAI_BASE_URL ?? null,
      lateChunking: s.EMBEDDING_LATE_CHUNKING,
      requestsPerMinute: s.EMBEDDING_REQUESTS_PER_MINUTE ?? null,
      tokensPerMinute: s.EMBEDDING_TOKENS_PER_MINUTE ?? null,
    },
    context:
      s.GAZETTEER_CONTEXT_URL === undefined || s.GAZETTEER_CONTEXT_MODEL === undefined
        ? null
        : {
            url: s.GAZETTEER_CONTEXT_URL,
            model: s.GAZETTEER_CONTEXT_MODEL,
            apiKey: s.GAZETTEER_CONTEXT_API_KEY ?? null,
          },
    search: {
      deadlineMs: s.GAZETTEER_SEARCH_SECONDS * 1000,
      rerank:
        s.GAZETTEER_RERANK_PROVIDER === undefined
          ? null
          : {
              provider: s.GAZETTEER_RERANK_PROVIDER,
              url: s.GAZETTEER_RERANK_URL ?? null,
              model: s.GAZETTEER_RERANK_MODEL ?? null,
              apiKey: s.GAZETTEER_RERANK_API_KEY ?? null,
              count: s.GAZETTEER_RERANK_COUNT,
            },
    },
    jobs: { slots: s.GAZETTEER_JOB_SLOTS, leaseMs: s.GAZETTEER_JOB_LEASE_SECONDS * 1000 },
    auth: {
      adminKey: s.GAZETTEER_ADMIN_KEY ?? null,
      jwt: {
        secret: s.GAZETTEER_JWT_SECRET ?? null,
        jwksUrl: s.GAZETTEER_JWKS_URL ?? null,
        issuer: s.GAZETTEER_JWT_ISSUER ?? null,
        audience: s.GAZETTEER_JWT_AUDIENCE ?? null,
        ownerClaim: s.GAZETTEER_JWT_OWNER_CLAIM,
        adminAllowed: s.GAZETTEER_JWT_ADMIN,
      },
    },
    logLevel: s.GAZETTEER_LOG_LEVEL,
  });
}

export function parseClientConfig(environment: Environment): ClientConfig {
  const { GAZETTEER_URL, GAZETTEER_API_KEY, PORT, XDG_STATE_HOME } = withoutBlanks(environment);
  return {
    url: GAZETTEER_URL ?? `http://127.0.0.1:${PORT ?? 4000}/graphql`,
    apiKey: GAZETTEER_API_KEY ?? null,
    stateDir: join(XDG_STATE_HOME ?? join(homedir(), '.local', 'state'), 'gazetteer'),
  };
}

const LOG_LEVELS = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;
const RERANK_PROVIDERS = ['cohere', 'voyage', 'jina', 'tei', 'vllm', 'chat'] as const;
const FILTERABLE_TYPES = ['string', 'number', 'boolean', 'date'] as const;
type FilterableType = (typeof FILTERABLE_TYPES)[number];
/** Index definitions must stay under 3 KB (see DESIGN "Data"). */
const MAX_FILTERABLE_KEYS = 40;
const MIN_SECRET_BYTES = 32;

/** What has no default with which providers. */
const RERANK_NEEDS = {
  GAZETTEER_RERANK_URL: ['tei', 'vllm', 'chat'] as readonly string[],
  GAZETTEER_RERANK_MODEL: ['chat'] as readonly string[],
} as const;

const text = z.string();
const integer = (minimum: number, maximum: number) =>
  text
    .regex(/^\d{1,9}$/, `expected a whole number from ${minimum} to ${maximum}`)
    .transform(Number)
    .refine((n) => n >= minimum && n <= maximum, `expected a whole number from ${minimum} to ${maximum}`);
const list = text.transform((value) =>
  value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
);
const flag = z.enum(['true', 'false'], 'expected true or false').transform((value) => value === 'true');
const httpUrl = text.refine(isHttpUrl, 'expected an http:// or https:// URL');
const secret = text.refine(
  (value) => Buffer.byteLength(value, 'utf8') >= MIN_SECRET_BYTES,
  `expected a secret of at least ${MIN_SECRET_BYTES} bytes`,
);

const filterable = list.transform((entries, context) => {
  const declared: Record<string, FilterableType> = Object.create(null);
  for (const entry of entries) {
    const [key = '', type = '', ...rest] = entry.split(':').map((part) => part.trim());
    if (!/^[^$.\0\s]+$/.test(key) || rest.length > 0 || !isFilterableType(type))
      context.addIssue(`expected key:type pairs with type ${FILTERABLE_TYPES.join(', ')}, got "${entry}"`);
    else if (Object.hasOwn(declared, key)) context.addIssue(`the key "${key}" is declared twice`);
    else declared[key] = type;
  }
  if (entries.length > MAX_FILTERABLE_KEYS)
    context.addIssue(`at most ${MAX_FILTERABLE_KEYS} keys can be filterable, got ${entries.length}`);
  return { ...declared };
});

const SETTINGS = z
  .object({
    PORT: integer(0, 65_535).default(4000),
    HOST: text.default('127.0.0.1'),
    MONGODB_URI: text.regex(/^mongodb(\+srv)?:\/\//, 'expected a mongodb:// or mongodb+srv:// URI').optional(),
    MONGODB_DB: text
      .regex(
        /^[^/\\. "$*<>:|?\0]{1,63}$/,
        'expected a database name of 1 to 63 characters without / \\ . " $ or blanks',
      )
      .default('gazetteer'),
    GAZETTEER_DATA_DIR: text.default('data'),
    GAZETTEER_FILTERABLE: filterable.optional(),
    GAZETTEER_LANGUAGES: list
      .transform((tags, context) => {
        const problem =
          tags.length > 0 && tags.every((tag) => /^[a-z]{2,3}$/.test(tag))
            ? languagesProblem(tags)
            : 'expected codes such as en,de';
        if (problem !== null) context.addIssue(problem);
        return tags;
      })
      .default(['en']),
    GAZETTEER_HOSTS: list
      // One that no Host header can equal would refuse every request, and say nothing before.
      .refine(
        (hosts) => hosts.length > 0 && hosts.every(isHost),
        'expected names such as docs.example.com or docs.example.com:8443, without https:// and *',
      )
      .optional(),
    GAZETTEER_CORS_ORIGINS: list
      .refine((origins) => origins.every(isOrigin), 'expected origins such as https://app.example.com, without a path')
      .optional(),
    GAZETTEER_METRICS_PORT: integer(1, 65_535).optional(),
    GAZETTEER_DRAIN_SECONDS: integer(0, 3_600).default(10),
    GAZETTEER_LOG_LEVEL: z.enum(LOG_LEVELS, `expected one of ${LOG_LEVELS.join(', ')}`).default('info'),
    EMBEDDING_PROVIDER: z.enum(EMBEDDING_PROVIDERS, 'expected openai, bundled or hash').optional(),
    EMBEDDING_MODEL: text.max(200, 'expected at most 200 characters').optional(),
    EMBEDDING_DIMENSIONS: integer(1, 8192).optional(),
    EMBEDDING_LATE_CHUNKING: flag.default(false),
    EMBEDDING_REQUESTS_PER_MINUTE: integer(1, 999_999_999).optional(),
    EMBEDDING_TOKENS_PER_MINUTE: integer(1, 999_999_999).optional(),
    OPENAI_API_KEY: text.optional(),
    OPENAI_BASE_URL: httpUrl.optional(),
    GAZETTEER_CONTEXT_URL: httpUrl.optional(),
    GAZETTEER_CONTEXT_MODEL: text.max(200, 'expected at most 200 characters').optional(),
    GAZETTEER_CONTEXT_API_KEY: text.optional(),
    GAZETTEER_SEARCH_SECONDS: integer(1, 60).default(15),
    GAZETTEER_RERANK_PROVIDER: z.enum(RERANK_PROVIDERS, `expected one of ${RERANK_PROVIDERS.join(', ')}`).optional(),
    GAZETTEER_RERANK_URL: httpUrl.optional(),
    GAZETTEER_RERANK_MODEL: text.max(200, 'expected at most 200 characters').optional(),
    GAZETTEER_RERANK_API_KEY: text.optional(),
    GAZETTEER_RERANK_COUNT: integer(1, 200).default(50),
    GAZETTEER_JOB_SLOTS: integer(1, 256).default(16),
    GAZETTEER_JOB_LEASE_SECONDS: integer(1, 3_600).default(60),
    GAZETTEER_ADMIN_KEY: text
      // what an Authorization header can carry
      .regex(/^[\x21-\x7e]{32,4096}$/, 'expected a secret of at least 32 printable ASCII characters without blanks')
      .optional(),
    GAZETTEER_JWT_SECRET: secret.optional(),
    GAZETTEER_JWKS_URL: httpUrl.optional(),
    GAZETTEER_JWT_ISSUER: text.optional(),
    GAZETTEER_JWT_AUDIENCE: text.optional(),
    GAZETTEER_JWT_OWNER_CLAIM: text.default('sub'),
    GAZETTEER_JWT_ADMIN: flag.default(false),
  })
  .superRefine((s, context) => {
    if (s.EMBEDDING_PROVIDER === 'openai' && s.OPENAI_API_KEY === undefined && s.OPENAI_BASE_URL === undefined)
      context.addIssue({
        code: 'custom',
        path: ['OPENAI_API_KEY'],
        message: 'is needed by EMBEDDING_PROVIDER=openai (or OPENAI_BASE_URL for a server that asks for no key)',
      });
    if ((s.GAZETTEER_CONTEXT_URL === undefined) !== (s.GAZETTEER_CONTEXT_MODEL === undefined))
      context.addIssue({
        code: 'custom',
        path: [s.GAZETTEER_CONTEXT_URL === undefined ? 'GAZETTEER_CONTEXT_URL' : 'GAZETTEER_CONTEXT_MODEL'],
        message: 'is needed too: a model that situates chunks has a URL and a name',
      });
    for (const [name, providers] of Object.entries(RERANK_NEEDS))
      if (providers.includes(s.GAZETTEER_RERANK_PROVIDER ?? '') && s[name as keyof typeof RERANK_NEEDS] === undefined)
        context.addIssue({
          code: 'custom',
          path: [name],
          message: `is needed by GAZETTEER_RERANK_PROVIDER=${s.GAZETTEER_RERANK_PROVIDER}`,
        });
    if (s.GAZETTEER_JWKS_URL === undefined || isLoopbackUrl(s.GAZETTEER_JWKS_URL)) return;
    for (const name of ['GAZETTEER_JWT_ISSUER', 'GAZETTEER_JWT_AUDIENCE'] as const)
      if (s[name] === undefined)
        context.addIssue({ code: 'custom', path: [name], message: 'is needed with GAZETTEER_JWKS_URL' });
  });

/** A variable set to nothing is a variable that is not set. */
function withoutBlanks(environment: Environment): Record<string, string> {
  const given = Object.entries(environment).flatMap(([name, value]) => {
    const trimmed = value?.trim();
    return trimmed ? [[name, trimmed] as const] : [];
  });
  return Object.fromEntries(given);
}

function problemLine(issue: z.core.$ZodIssue): string {
  return `${issue.path.join('.') || 'Environment'}: ${issue.message}`;
}

function isFilterableType(type: string): type is FilterableType {
  return (FILTERABLE_TYPES as readonly string[]).includes(type);
}

function isHttpUrl(value: string): boolean {
  return URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}

function isOrigin(value: string): boolean {
  return URL.canParse(value) && new URL(value).origin === value;
}

/** What a Host header can say: a name or an address, IPv6 in brackets, with or without a port. */
export function isHost(value: string): boolean {
  return /^(\[[0-9a-f:.]+\]|[\w.-]+)(:\d{1,5})?$/i.test(value);
}

function isLoopbackUrl(value: string): boolean {
  return isHttpUrl(value) && isLoopbackName(new URL(value).hostname);
}

/** Names of this machine that reach it alone. Brackets of IPv6 literals are allowed. */
export function isLoopbackName(name: string): boolean {
  const bare = name
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
  return bare === 'localhost' || bare.endsWith('.localhost') || bare === '::1' || /^127(\.\d{1,3}){3}$/.test(bare);
}

function loadDotEnv(): void {
  if (existsSync('.env')) loadEnvFile('.env');
}

function deepFreeze<T extends object>(value: T): T {
  for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) deepFreeze(inner);
  return Object.freeze(value);
}
