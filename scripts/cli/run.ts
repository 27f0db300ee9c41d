import type { Readable } from 'node:stream';
import { parseArgs } from 'node:util';
import type { ClientConfig } from '../../src/config.js';
import { type Client, makeClient } from './client.js';
import { exportDocuments } from './export.js';
import { CliFailure, usageFailure } from './failure.js';
import { type CommandName, HELP, OVERVIEW } from './help.js';
import { importDocuments } from './import.js';
import { ensureIndexes, listIndexes } from './indexes.js';
import { type IngestOptions, ingest, ingestAndWatch } from './ingest.js';
import { createKey, listKeys, revokeKey } from './keys.js';
import type { Output } from './output.js';
import { search } from './search.js';

interface Environment {
  readonly config: () => ClientConfig;
  readonly output: Output;
  readonly cwd: string;
  /** Default: the process's. */
  readonly stdin?: Readable;
  /** Ends a command that goes on by itself. Default: nothing but the process's end does. */
  readonly signal?: AbortSignal;
}

/** Runs one command line and returns the exit code: 0 done, 1 failed, 2 wrong usage. */
export async function runCommand(args: readonly string[], environment: Environment): Promise<number> {
  try {
    return await run(args, environment);
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
    environment.output.err(error.message);
    return error.exitCode;
  }
}

interface Call {
  readonly positionals: readonly string[];
  readonly values: Values;
  readonly client: Client;
  readonly output: Output;
  readonly cwd: string;
  readonly stdin: Readable;
  readonly stateDir: string;
  readonly signal: AbortSignal;
}

/** One table of options: a typo is refused whatever the command. */
const OPTIONS = {
  url: { type: 'string' },
  'api-key': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  concurrency: { type: 'string' },
  agents: { type: 'string' },
  hidden: { type: 'boolean' },
  full: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  price: { type: 'string' },
  watch: { type: 'boolean' },
  prune: { type: 'boolean' },
  'prune-limit': { type: 'string' },
  out: { type: 'string' },
  force: { type: 'boolean' },
  'on-space-mismatch': { type: 'string' },
  first: { type: 'string' },
  mode: { type: 'string' },
  filter: { type: 'string' },
  json: { type: 'boolean' },
  wait: { type: 'boolean' },
  owner: { type: 'string' },
  role: { type: 'string' },
  name: { type: 'string' },
  expires: { type: 'string' },
} as const;

const SHARED = ['url', 'api-key', 'help'];
const TAKES: Readonly<Record<CommandName, readonly string[]>> = {
  ingest: ['concurrency', 'agents', 'hidden', 'full', 'dry-run', 'price', 'watch', 'prune', 'prune-limit'],
  export: ['out', 'force'],
  import: ['on-space-mismatch'],
  search: ['first', 'mode', 'filter', 'json'],
  indexes: ['wait'],
  keys: ['owner', 'role', 'name', 'agents', 'expires'],
};

const ROLES: readonly string[] = ['reader', 'writer', 'admin'];

type Values = ReturnType<typeof parsed>['values'];

async function run(
  args: readonly string[],
  { config, output, cwd, stdin = process.stdin, signal = new AbortController().signal }: Environment,
): Promise<number> {
  const { values, positionals } = parsed(args);
  const [name, ...rest] = positionals;
  if (name === undefined) {
    output[values.help ? 'out' : 'err'](OVERVIEW);
    return values.help ? 0 : 2;
  }
  if (!isCommand(name)) throw usageFailure(`There is no command "${name}"\n\n${OVERVIEW}`);
  if (values.help) {
    output.out(HELP[name]);
    return 0;
  }
  const unknown = Object.keys(values).find((option) => !SHARED.includes(option) && !TAKES[name].includes(option));
  if (unknown) throw usageFailure(`${name} has no option --${unknown}\n\n${HELP[name]}`);
  const environment = config();
  const client = makeClient({
    url: values.url ?? environment.url,
    apiKey: values['api-key'] ?? environment.apiKey,
  });
  const call: Call = { positionals: rest, values, client, output, cwd, stdin, signal, stateDir: environment.stateDir };
  return (await COMMANDS[name](call)) === false ? 1 : 0;
}

const COMMANDS: Readonly<Record<CommandName, (call: Call) => Promise<boolean | undefined>>> = {
  ingest: async ({ positionals, values, client, output, cwd, stateDir, signal }) => {
    if (positionals.length === 0) throw usageFailure(`Which files?\n\n${HELP.ingest}`);
    if (values['prune-limit'] !== undefined && !values.prune) throw usageFailure('--prune-limit goes with --prune');
    if (values.watch && values['dry-run']) throw usageFailure('--watch and --dry-run do not go together');
    const options: IngestOptions = {
      paths: positionals,
      hidden: values.hidden ?? false,
      concurrency: wholeNumber('concurrency', values.concurrency, 4, 32),
      agentIds: names(values.agents),
      cwd,
      stateDir,
      full: values.full ?? false,
      dryRun: values['dry-run'] ?? false,
      price: dollars(values.price),
      pruneLimit: values.prune ? wholeNumber('prune-limit', values['prune-limit'], 50, 999_999) : null,
    };
    if (!values.watch) return await ingest(client, options, output);
    await ingestAndWatch(client, options, output, signal);
    return undefined;
  },

  export: async ({ positionals, values, client, output, cwd }) => {
    if (positionals.length > 0) throw usageFailure(`Where to is said by --out\n\n${HELP.export}`);
    await exportDocuments(client, { file: values.out ?? null, force: values.force ?? false, cwd }, output);
    return undefined;
  },

  import: async ({ positionals: [file, ...more], values, client, output, cwd, stdin }) => {
    if (file === undefined || more.length > 0) throw usageFailure(`Which file?\n\n${HELP.import}`);
    const onSpaceMismatch = values['on-space-mismatch'] ?? 'refuse';
    if (onSpaceMismatch !== 'refuse' && onSpaceMismatch !== 'reembed')
      throw usageFailure(`--on-space-mismatch: expected refuse or reembed, got ${onSpaceMismatch}`);
    return await importDocuments(client, { file, onSpaceMismatch, cwd, stdin }, output);
  },

  search: async ({ positionals, values, client, output }) => {
    const query = positionals.join(' ');
    if (query.trim() === '') throw usageFailure(`What is the question?\n\n${HELP.search}`);
    const mode = values.mode?.toUpperCase() ?? null;
    const first = wholeNumber('first', values.first, 5, 100);
    await search(client, { query, mode, first, filter: json(values.filter), json: values.json ?? false }, output);
    return undefined;
  },

  indexes: async ({ positionals, values, client, output }) => {
    const action = positionals[0] ?? 'list';
    if (action === 'list') await listIndexes(client, output);
    else if (action === 'ensure') await ensureIndexes(client, { wait: values.wait ?? false }, output);
    else throw usageFailure(`indexes: expected list or ensure, got ${action}`);
    return undefined;
  },

  keys: async ({ positionals: [action, id], values, client, output }) => {
    if (action === 'list') await listKeys(client, output);
    else if (action === 'revoke' && id) await revokeKey(client, id, output);
    else if (action === 'create' && values.owner) {
      const { owner: ownerId, role = 'reader', agents } = values;
      if (!ROLES.includes(role.toLowerCase())) throw usageFailure(`--role: expected ${ROLES.join(', ')}, got ${role}`);
      const expires = dateTime('expires', values.expires);
      const name = values.name ?? `${ownerId} ${role.toLowerCase()}`;
      const key = { ownerId, name, role: role.toUpperCase(), agentIds: names(agents), expiresAt: expires };
      await createKey(client, key, output);
    } else throw usageFailure(HELP.keys);
    return undefined;
  },
};

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw usageFailure((error as Error).message);
  }
}

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(HELP, name);
}

function wholeNumber(option: string, given: string | undefined, otherwise: number, maximum: number): number {
  if (given === undefined) return otherwise;
  const number = /^\d{1,6}$/.test(given) ? Number(given) : 0;
  if (number < 1 || number > maximum) throw usageFailure(`--${option}: expected 1 to ${maximum}, got ${given}`);
  return number;
}

function dollars(given: string | undefined): number | null {
  if (given === undefined) return null;
  if (!/^\d{1,6}(\.\d{1,9})?$/.test(given)) throw usageFailure(`--price: expected dollars such as 0.02, got ${given}`);
  return Number(given);
}

/** RFC 3339 with a zone, as the API has it; a date alone is its beginning in UTC. */
function dateTime(option: string, given: string | undefined): string | null {
  if (given === undefined) return null;
  const time = /^\d{4}-\d{2}-\d{2}$/.test(given) ? `${given}T00:00:00Z` : given;
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/i.test(time) || Number.isNaN(Date.parse(time)))
    throw usageFailure(`--${option}: expected a date such as 2030-12-31 or 2030-12-31T23:59:59Z, got ${given}`);
  return time;
}

function names(given: string | undefined): readonly string[] | null {
  if (given === undefined) return null;
  return given
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

function json(given: string | undefined): unknown {
  if (given === undefined) return undefined;
  try {
    return JSON.parse(given);
  } catch {
    throw usageFailure('--filter: expected JSON');
  }
}
