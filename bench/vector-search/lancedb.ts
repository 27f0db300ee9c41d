import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Workload } from './workload.js';

export interface LanceDbResult {
  readonly buildMs: number;
  readonly results: readonly {
    /** null: without a filter. */
    readonly field: string | null;
    readonly share: number;
    readonly times: readonly number[];
    readonly found: readonly (readonly number[])[];
  }[];
}

/** From `dist/bench/vector-search` to the sources, where the peer has its own package.json. */
const FOLDER = fileURLToPath(new URL('../../../bench/lancedb/', import.meta.url));
export const INSTALL_HINT = 'npm install --prefix bench/lancedb';

/** undefined when the peer is not installed. */
export async function runLanceDb(workload: Workload, rounds: number): Promise<LanceDbResult | undefined> {
  if (!existsSync(join(FOLDER, 'node_modules', '@lancedb', 'lancedb'))) return undefined;
  const directory = await mkdtemp(join(tmpdir(), 'gazetteer-lancedb-work-'));
  try {
    const { vectors, ...rest } = workload;
    const work = {
      ...rest,
      rounds,
      vectors: join(directory, 'vectors'),
      queries: Array.from({ length: workload.queryCount }, (_, query) => workload.rows + query),
    };
    await writeFile(work.vectors, new Uint8Array(vectors.buffer));
    await writeFile(join(directory, 'work.json'), JSON.stringify(work));
    const script = [join(FOLDER, 'run.mjs'), join(directory, 'work.json')];
    // It warns of every query otherwise.
    const env = { ...process.env, RUST_LOG: 'error' };
    const child = spawn(process.execPath, script, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
    const [code] = (await once(child, 'close')) as [number];
    if (code !== 0) throw new Error(`LanceDB ended with ${code}`);
    return JSON.parse(output) as LanceDbResult;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
