import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { startApp } from '../../src/app.js';
import { loadThrowAwayConfig } from '../../src/config.js';
import type { EvaluationClient } from '../../src/retrieve/evaluate/evaluation-client.js';
import { makeClient } from '../cli/client.js';
import { apiEvaluationClient } from './api-client.js';

/** A whole server on a directory that is removed afterwards; `work` talks to it over HTTP, as any client does. */
export async function withServer<T>(
  settings: { readonly provider: string | undefined; readonly languages: readonly string[] },
  work: (client: EvaluationClient) => Promise<T>,
): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'gazetteer-evaluate-'));
  try {
    const base = loadThrowAwayConfig(join(directory, 'data'));
    const provider = (settings.provider ?? base.embedding.provider) as typeof base.embedding.provider;
    const config = {
      ...base,
      database: { ...base.database, languages: settings.languages },
      embedding: { ...base.embedding, provider, explicit: { ...base.embedding.explicit, provider } },
    };
    const app = await startApp(config, pino({ level: 'silent' }));
    try {
      return await work(apiEvaluationClient(makeClient({ url: app.url, apiKey: null })));
    } finally {
      await app.stop();
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
