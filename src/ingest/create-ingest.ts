import type { Embedder } from '../embed/embedder.js';
import type { SpaceRecord } from '../store/records.js';
import type { Store } from '../store/store.js';
import type { UpsertParts } from './attempt.js';
import { chunk as chunkText } from './chunk/chunk.js';
import type { Chunk } from './chunk/chunker.js';
import type { ContextWriter } from './context/context-writer.js';
import { createCutter } from './cutter.js';
import { type DetectLanguage, detectLanguage } from './detect-language.js';
import { createExtractor, type Extract } from './extract.js';
import type { Ingest } from './ingest.js';
import { KeyedLock } from './keyed-lock.js';
import { RecentVectors } from './recent-vectors.js';
import { upsertDocument } from './upsert-document.js';

export interface IngestOptions {
  readonly store: Store;
  /** The embedder of a stored space. Called often: it should return the same one for the same space. */
  readonly embedderOf: (space: SpaceRecord) => Embedder;
  readonly contextWriter?: ContextWriter | null;
  readonly chunk?: Chunk;
  readonly extract?: Extract;
  readonly detectLanguage?: DetectLanguage;
}

export function createIngest(options: IngestOptions): Ingest {
  const cutter = createCutter(options.chunk ?? chunkText);
  const extractor = createExtractor();
  const parts: UpsertParts = {
    store: options.store,
    embedderOf: options.embedderOf,
    cutter,
    extract: options.extract ?? extractor.extract,
    detectLanguage: options.detectLanguage ?? detectLanguage,
    recentVectors: new RecentVectors(),
    contextWriter: options.contextWriter ?? null,
    turns: new KeyedLock(),
  };
  return {
    upsertDocument: (scope, input, upsertOptions) => upsertDocument(parts, scope, input, upsertOptions),
    close: async () => {
      await Promise.all([cutter.close(), extractor.close()]);
    },
  };
}
