import type { DocumentRecord, NewChunk, SpaceRecord } from '../store/records.js';
import { type Attempt, withSignal } from './attempt.js';
import { assembleChunks, type EmbedString } from './cut-text.js';
import { type CountedString, countAveraged, embedStrings, type VectorCache } from './embed-strings.js';
import type { UpsertResult } from './ingest.js';
import { isSearchable } from './is-searchable.js';
import type { Wanted } from './wanted.js';

/** New content, chunking or space: cut, embed what no stored chunk holds, then write it all at once. */
export async function replaceVersion(
  attempt: Attempt,
  stored: DocumentRecord | null,
  wanted: Wanted,
): Promise<UpsertResult> {
  const { parts, scope, given, options } = attempt;
  options.onProgress?.({ phase: 'chunking', done: 0, total: 1 });
  const { chunks, strings } = await cut(attempt, wanted);
  const missing = await missingStrings(attempt, stored, wanted, strings);
  const averaged = Math.max(...missing.map((one) => countAveraged(one.strings.values(), parts.embedderOf(one.space))));
  const plan = {
    outcome: stored === null || stored.version === 0 ? ('CREATED' as const) : ('UPDATED' as const),
    warnings: averaged === 0 ? wanted.warnings : [...wanted.warnings, averagedWarning(averaged, wanted.space)],
  };
  const cost = costOf(missing);
  if (given.dryRun)
    return {
      ...plan,
      document: stored,
      changes: { ...(await countDiff(attempt, stored, chunks)), ...cost },
      searchable: false,
    };

  const vectorsBySpace = await embedMissing(attempt, missing);
  options.signal?.throwIfAborted();
  options.onProgress?.({ phase: 'storing', done: 0, total: chunks.length });
  const { space, otherSpaces, pageStarts: _pages, warnings: _warnings, ...version } = wanted;
  const written = await parts.store.writeVersion(scope, stored, {
    ...version,
    space: space.id,
    chunks,
    vectors: vectorsBySpace.get(space.id) ?? new Map(),
    otherVectors: new Map(otherSpaces.map(({ id }) => [id, vectorsBySpace.get(id) ?? new Map()])),
  });
  options.onProgress?.({ phase: 'storing', done: chunks.length, total: chunks.length });
  const { document, ...counts } = written;
  return {
    ...plan,
    document,
    changes: { ...counts, ...cost },
    // A moment ago it was not there at all, and STORED is for those who will not wait for what an index says.
    searchable: given.waitUntil === 'SEARCHABLE' && (await isSearchable(attempt, document)),
  };
}

async function cut(attempt: Attempt, wanted: Wanted): Promise<ReturnType<typeof assembleChunks>> {
  const { parts, options } = attempt;
  const { title, mediaType, chunking, space, otherSpaces } = wanted;
  const pieces = await parts.cutter.cut(
    wanted.text,
    { title, mediaType, chunking, maxInputTokens: space.maxInputTokens },
    [parts.embedderOf(space), ...otherSpaces.map(parts.embedderOf)],
    options.signal,
  );
  return assembleChunks(wanted, pieces);
}

interface MissingInSpace {
  readonly space: SpaceRecord;
  readonly strings: ReadonlyMap<string, CountedString>;
}

/** Per space, the strings whose vectors the stored document does not hold. */
async function missingStrings(
  { parts, scope }: Attempt,
  stored: DocumentRecord | null,
  wanted: Wanted,
  strings: ReadonlyMap<string, EmbedString>,
): Promise<readonly MissingInSpace[]> {
  const missing: MissingInSpace[] = [];
  for (const [index, space] of [wanted.space, ...wanted.otherSpaces].entries()) {
    const held =
      stored === null
        ? new Set<string>()
        : await parts.store.storedEmbedHashes(scope, stored.id, space.id, [...strings.keys()]);
    const counted = new Map<string, CountedString>();
    for (const [hash, { text, tokens }] of strings)
      if (!held.has(hash)) counted.set(hash, { text, tokens: tokens[index] ?? 0 });
    missing.push({ space, strings: counted });
  }
  return missing;
}

function costOf(missing: readonly MissingInSpace[]): { chunksEmbedded: number; embeddingTokens: number } {
  const embedded = new Set(missing.flatMap(({ strings }) => [...strings.keys()]));
  let embeddingTokens = 0;
  for (const { strings } of missing) for (const { tokens } of strings.values()) embeddingTokens += tokens;
  return { chunksEmbedded: embedded.size, embeddingTokens };
}

async function embedMissing(
  attempt: Attempt,
  missing: readonly MissingInSpace[],
): Promise<ReadonlyMap<string, ReadonlyMap<string, Float32Array>>> {
  const { parts, options, caches } = attempt;
  const { onProgress } = options;
  const vectorsBySpace = new Map<string, ReadonlyMap<string, Float32Array>>();
  for (const { space, strings } of missing) {
    const cache: VectorCache = caches.get(space.id) ?? new Map();
    caches.set(space.id, cache);
    const vectors = await embedStrings(strings, parts.embedderOf(space), {
      cache,
      ...withSignal(attempt),
      ...(onProgress && { onProgress: (done, total) => onProgress({ phase: 'embedding', done, total }) }),
    });
    vectorsBySpace.set(space.id, vectors);
  }
  return vectorsBySpace;
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
