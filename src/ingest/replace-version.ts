import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { DocumentRecord, NewChunk, SpaceRecord } from '../store/records.js';
import { type Attempt, withAlongside } from './attempt.js';
import { cutVersion } from './cut-version.js';
import { countAveraged } from './embed-strings.js';
import type { UpsertResult } from './ingest.js';
import { isSearchable } from './is-searchable.js';
import { costOf, embedMissing, missingVectors } from './version-vectors.js';
import type { Wanted } from './wanted.js';

const MANY_CHUNKS = 2_000;

/** New content, chunking or space: cut, embed what no stored chunk holds, then write it all at once. */
export async function replaceVersion(
  attempt: Attempt,
  stored: DocumentRecord | null,
  wanted: Wanted,
): Promise<UpsertResult> {
  const { parts, scope, given, options } = attempt;
  options.onProgress?.({ phase: 'chunking', done: 0, total: 1 });
  const { chunks, strings, cuttingTokens, release } = await cutVersion(attempt, stored, wanted);
  // Each step over tens of thousands of chunks takes a tenth of a second: requests of others come in between.
  const breathe = async (): Promise<void> => {
    if (chunks.length > MANY_CHUNKS) await yieldToOthers();
  };
  await breathe();
  const missing = await missingVectors(attempt, stored, wanted, strings);
  await breathe();
  const averaged = Math.max(...missing.map((one) => countAveraged(one.strings.values(), parts.embedderOf(one.space))));
  const plan = {
    outcome: stored === null || stored.version === 0 ? ('CREATED' as const) : ('UPDATED' as const),
    warnings: averaged === 0 ? wanted.warnings : [...wanted.warnings, averagedWarning(averaged, wanted.space)],
  };
  const cost = () => {
    const { chunksEmbedded, embeddingTokens } = costOf(missing);
    return { chunksEmbedded, embeddingTokens: embeddingTokens + cuttingTokens };
  };
  if (given.dryRun)
    return {
      ...plan,
      document: stored,
      changes: { ...(await countDiff(attempt, stored, chunks)), ...cost() },
      searchable: false,
    };

  const vectorsBySpace = await embedMissing(attempt, missing);
  await breathe();
  options.signal?.throwIfAborted();
  options.onProgress?.({ phase: 'storing', done: 0, total: chunks.length });
  const { space, otherSpaces, pageStarts: _pages, warnings: _warnings, ...version } = wanted;
  const whole = {
    ...version,
    space: space.id,
    chunks,
    vectors: vectorsBySpace.get(space.id) ?? new Map(),
    otherVectors: new Map(otherSpaces.map(({ id }) => [id, vectorsBySpace.get(id) ?? new Map()])),
  };
  const written = await parts.store.writeVersion(scope, stored, whole, {
    ...withAlongside(attempt),
    onProgress: (done, total) => options.onProgress?.({ phase: 'storing', done, total }),
  });
  options.onProgress?.({ phase: 'storing', done: chunks.length, total: chunks.length });
  // The version is stored whatever becomes of this, and what stays behind expires.
  await Promise.allSettled([release(), ...missing.map(({ vectors }) => vectors.release())]);
  const { document, ...counts } = written;
  return {
    ...plan,
    document,
    changes: { ...counts, ...cost() },
    // A moment ago it was not there at all, and STORED is for those who will not wait for what an index says.
    searchable: given.waitUntil === 'SEARCHABLE' && (await isSearchable(attempt, document)),
  };
}

/** What the store would do, for a dry run: rows are kept by hash and length there as well. */
async function countDiff(
  { parts, scope }: Attempt,
  stored: DocumentRecord | null,
  chunks: readonly NewChunk[],
): Promise<{ chunksAdded: number; chunksKept: number; chunksRemoved: number }> {
  const free = new Map<string, number>();
  const rows = stored === null ? [] : await parts.store.chunkHashes(scope, stored.id);
  for (const { embedHash, start, end } of rows) {
    const key = `${embedHash} ${end - start}`;
    free.set(key, (free.get(key) ?? 0) + 1);
  }
  let kept = 0;
  for (const chunk of chunks) {
    const key = `${chunk.embedHash} ${chunk.text.length}`;
    const left = free.get(key) ?? 0;
    if (left === 0) continue;
    free.set(key, left - 1);
    kept++;
  }
  return { chunksAdded: chunks.length - kept, chunksKept: kept, chunksRemoved: rows.length - kept };
}

function averagedWarning(count: number, space: SpaceRecord): string {
  return `${count} ${count === 1 ? 'chunk is' : 'chunks are'} longer than the ${space.maxInputTokens} tokens that ${space.model} takes: the vectors of their parts were averaged, which finds them less well`;
}
