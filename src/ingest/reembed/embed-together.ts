import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Embedder } from '../../embed/embedder.js';
import type { DocumentChunk, LackingChunk } from '../../store/store.js';
import { type CountedString, embedStrings } from '../embed-strings.js';
import { groupForLateChunking } from '../late-chunking.js';
import type { ArrivingVectors } from './arriving-vectors.js';
import { embeddedString } from './embedded-string.js';

/** Chunks counted before others get their turn: tokenising blocks. */
const COUNTED_AT_ONCE = 64;

/**
 * Embeds the chunks of a document that lack a vector in view of those around them, in the groups that an upsert would make,
 * and hands vectors on as they arrive. Returns the lacking chunks that stand alone: they are embedded like any text.
 */
export async function embedTogether(
  chunks: readonly DocumentChunk[],
  embedder: Embedder,
  arriving: ArrivingVectors,
  signal: AbortSignal,
): Promise<LackingChunk[]> {
  const pieces = groupForLateChunking(
    await counted(chunks, embedder),
    ({ text }) => text,
    embedder.lateChunking?.maxTokens ?? 0,
  );
  const wanted = new Set(pieces.flatMap(({ chunk, group }) => (chunk.lacks && group !== undefined ? [group] : [])));
  const members = pieces.filter(({ group }) => group !== undefined && wanted.has(group));
  const chunkOf = new Map(members.map(({ embedHash, chunk }) => [embedHash, chunk]));
  const strings = new Map(
    members.map(({ embedHash, text, tokens, group }): [string, CountedString] => [
      embedHash,
      { text, tokens: tokens[0]!, ...(group !== undefined && { group }) },
    ]),
  );
  await embedStrings(strings, embedder, {
    cache: new Map(),
    signal,
    onVector: (hash, vector) => {
      const { id, embedHash, lacks } = chunkOf.get(hash)!;
      if (lacks) arriving.add({ id, embedHash, vector });
    },
  });
  return pieces.flatMap(({ chunk, group }) => (chunk.lacks && group === undefined ? [chunk] : []));
}

interface CountedChunk {
  readonly chunk: DocumentChunk;
  readonly text: string;
  readonly tokens: readonly number[];
  readonly embedHash: string;
}

async function counted(chunks: readonly DocumentChunk[], embedder: Embedder): Promise<CountedChunk[]> {
  const pieces: CountedChunk[] = [];
  for (const chunk of chunks) {
    const text = embeddedString(chunk);
    pieces.push({ chunk, text, tokens: [embedder.countTokens(text)], embedHash: chunk.embedHash });
    if (pieces.length % COUNTED_AT_ONCE === 0) await yieldToOthers();
  }
  return pieces;
}
