#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pino from 'pino';
import { startApp } from '../src/app.js';
import { loadThrowAwayConfig } from '../src/config.js';
import { type Client, makeClient } from './cli/client.js';
import { ingest } from './cli/ingest.js';
import { type Output, processOutput } from './cli/output.js';
import { hitText, searchFor } from './cli/search.js';

/** A throw-away server, the sample documents, a few questions. Leaves nothing behind. */
async function demo(output: Output): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'gazetteer-demo-'));
  try {
    const app = await startApp(loadThrowAwayConfig(join(directory, 'data')), pino({ level: 'silent' }));
    try {
      output.out(`A server for the demo is at ${app.url}\n\nIngesting demo/documents …`);
      const client = makeClient({ url: app.url, apiKey: null });
      const cwd = documents();
      await ingest(
        client,
        { paths: ['.'], hidden: false, concurrency: 4, agentIds: null, cwd, stateDir: null },
        output,
      );
      for (const question of QUESTIONS) await ask(client, question, output);
      output.out('\nStart a server of your own with `npm start`.');
    } finally {
      await app.stop();
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

interface Question {
  readonly query: string;
  readonly mode: string | null;
  readonly filter?: unknown;
  readonly about: string;
}

const HITS = 3;
const QUESTIONS: readonly Question[] = [
  { query: 'When was the high reservoir built?', mode: null, about: 'the default: meaning and words together' },
  { query: 'MS-14-K', mode: 'TEXT', about: 'words only: a part number' },
  { query: 'the battery was empty and nobody was warned', mode: 'VECTOR', about: 'meaning only' },
  { query: 'Who decided on the sand trap for the transfer line?', mode: null, about: 'a decision in the minutes' },
  { query: 'chlorine alarm on 30 September 2023', mode: null, about: 'a date' },
  {
    query: 'How slowly is a valve closed?',
    mode: null,
    filter: { titles: ['manuals/gv-80-gate-valve.md', 'procedures/valve-exercise.txt'] },
    about: 'within two documents only',
  },
];

async function ask(client: Client, { query, mode, filter, about }: Question, output: Output): Promise<void> {
  const found = await searchFor(client, { query, mode, first: HITS, filter });
  output.out(`\n“${query}”  (${about}; ${found.diagnostics.mode}, ${Math.round(found.diagnostics.tookMs)} ms)`);
  for (const hit of found.edges) output.out(hitText(hit));
}

function documents(): string {
  // beside scripts/, and beside dist/scripts/
  const candidates = ['../demo/documents', '../../demo/documents'].map((up) =>
    fileURLToPath(new URL(up, import.meta.url)),
  );
  return candidates.find((path) => existsSync(path)) ?? candidates[0]!;
}

await demo(processOutput());
