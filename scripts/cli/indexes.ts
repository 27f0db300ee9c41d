import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from './client.js';
import { CliFailure } from './failure.js';
import type { Output } from './output.js';

interface Index {
  readonly name: string;
  readonly kind: string;
  readonly status: string;
  readonly queryable: boolean;
  readonly problems: readonly string[];
}

const FIELDS = 'name kind status queryable problems';
const LIST = `query Indexes { admin { searchIndexes { ${FIELDS} } } }`;
const ENSURE = `mutation EnsureIndexes {
  ensureSearchIndexes { searchIndexes { ${FIELDS} } userErrors { code message } }
}`;

const POLL_MS = 500;
/** An index over a large collection takes its time; then it is not waited for any longer. */
const MAX_WAIT_MS = 600_000;

export async function listIndexes(client: Client, output: Output): Promise<void> {
  print(await currentIndexes(client), output);
}

/** Creates or updates what the configuration needs; with `wait` until all can be searched. */
export async function ensureIndexes(client: Client, options: { wait: boolean }, output: Output): Promise<void> {
  type Ensured = { ensureSearchIndexes: { searchIndexes: Index[]; userErrors: { code: string; message: string }[] } };
  const { ensureSearchIndexes } = await client.run<Ensured>(ENSURE);
  const [refusal] = ensureSearchIndexes.userErrors;
  if (refusal) throw new CliFailure(`${refusal.message} (${refusal.code})`);
  let indexes: readonly Index[] = ensureSearchIndexes.searchIndexes;
  const until = Date.now() + MAX_WAIT_MS;
  while (options.wait && indexes.some((index) => !index.queryable)) {
    if (Date.now() > until) throw new CliFailure(`Not all indexes could be searched after ${MAX_WAIT_MS / 1000} s`);
    await delay(POLL_MS);
    indexes = await currentIndexes(client);
  }
  print(indexes, output);
}

async function currentIndexes(client: Client): Promise<readonly Index[]> {
  const { admin } = await client.run<{ admin: { searchIndexes: Index[] } | null }>(LIST);
  if (admin === null) throw new CliFailure("This needs an administrator's credentials: see --api-key");
  return admin.searchIndexes;
}

function print(indexes: readonly Index[], output: Output): void {
  for (const { name, kind, status, queryable, problems } of indexes) {
    output.out(`${name}  ${kind}  ${status}${queryable ? '' : ', not searchable'}`);
    for (const problem of problems) output.out(`  problem: ${problem}`);
  }
}
