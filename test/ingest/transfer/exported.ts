import { createHash } from 'node:crypto';
import type { ExportStore } from '../../../src/ingest/transfer/write-export.js';
import { writeExport } from '../../../src/ingest/transfer/write-export.js';
import type { WholeChunk } from '../../../src/store/read-whole.js';
import type { DocumentRecord, SpaceRecord } from '../../../src/store/records.js';
import type { Scope } from '../../../src/store/scope.js';

export const SPACE: SpaceRecord = {
  id: 's1',
  provider: 'hash',
  model: 'feature-hash',
  dimensions: 4,
  similarity: 'cosine',
  maxInputTokens: 100,
  languages: null,
  state: 'ACTIVE',
  weights: null,
};

/** What an export reads of a store, in memory. */
export interface MadeDocument {
  readonly record: DocumentRecord;
  readonly parts: readonly string[];
  readonly chunks: readonly WholeChunk[];
}

export function madeDocument(
  title: string,
  text: string,
  changes: Partial<DocumentRecord> = {},
  dimensions = 4,
): MadeDocument {
  const middle = /[\udc00-\udfff]/.test(text[Math.ceil(text.length / 2)] ?? '') ? 0 : Math.ceil(text.length / 2);
  const spans = [
    [0, middle],
    [middle, text.length],
  ].filter(([start, end]) => start! < end!) as [number, number][];
  const chunks = spans.map(([start, end], index): WholeChunk => {
    const embedPrefix = index === 1 ? 'Heading\n' : undefined;
    return {
      start,
      end,
      parentStart: index === 1 ? 0 : null,
      parentEnd: index === 1 ? text.length : null,
      page: index + 1,
      headings: ['Heading', `${index}`],
      tokenCount: end - start,
      ...(embedPrefix !== undefined && { embedPrefix }),
      embedHash: createHash('sha256')
        .update(`${embedPrefix ?? ''}${text.slice(start, end)}`)
        .digest('hex'),
      vector: Float32Array.from({ length: dimensions }, (_, axis) => [start + 1, end, 0.1, -1e-30][axis] ?? 0),
    };
  });
  const record: DocumentRecord = {
    id: '0'.repeat(24),
    owner: 'ada',
    title,
    mediaType: 'text/plain',
    language: 'en',
    languageGiven: false,
    sourceUri: null,
    agentIds: [],
    metadata: {},
    contentHash: createHash('sha256').update(text).digest('hex'),
    textLength: text.length,
    version: 1,
    revision: 1,
    status: 'READY',
    lastError: null,
    chunking: {
      strategy: 'RECURSIVE',
      maxTokens: 100,
      maxCharacters: null,
      overlap: 10,
      parentMaxTokens: null,
      contextual: false,
    },
    chunkCount: chunks.length,
    space: 's1',
    createdAt: new Date(0),
    updatedAt: new Date(0),
    ...changes,
  };
  return { record, parts: [text.slice(0, middle), text.slice(middle)].filter((part) => part !== ''), chunks };
}

/** `moves`: how often each document has moved when it is asked whether it is current. */
export function storeOf(
  documents: readonly MadeDocument[],
  options: { moves?: number; onOpen?: () => void } = {},
): ExportStore {
  const movesLeft = documents.map(() => options.moves ?? 0);
  return {
    activeSpace: async () => SPACE,
    currentSpaces: async () => [SPACE],
    walkDocuments: async (_scope, after) =>
      after === null ? documents.map((_, index) => ({ id: String(index), createdAt: new Date(0) })) : [],
    openDocument: async (_scope, id) => {
      options.onOpen?.();
      const { record, parts, chunks } = documents[Number(id)]!;
      return {
        document: record,
        async *textParts() {
          yield* parts;
        },
        async *chunks() {
          yield* chunks;
        },
        isCurrent: async () => movesLeft[Number(id)]!-- <= 0,
      };
    },
  };
}

export const SCOPE = { owner: 'ada', agents: null } as unknown as Scope;

export async function exported(store: ExportStore, heldBytes?: number): Promise<string> {
  let text = '';
  const options = { now: () => new Date(0), ...(heldBytes !== undefined && { heldBytes }) };
  for await (const block of writeExport(store, SCOPE, options)) text += block;
  return text;
}
