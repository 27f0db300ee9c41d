import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Embedder } from '../embed/embedder.js';
import { AppError, Refusal } from '../errors.js';
import { requireWritable } from '../store/agents.js';
import { sameAgents } from '../store/attributes.js';
import { sameMetadata } from '../store/check-metadata.js';
import type { Chunking, DocumentRecord, NewChunk, SpaceRecord } from '../store/records.js';
import type { Scope } from '../store/scope.js';
import { type AttributeChanges, type Store, VersionMoved } from '../store/store.js';
import { normalizeTitle } from '../store/title.js';
import { canonicalText } from './canonical-text.js';
import type { Chunk } from './chunk/chunker.js';
import { cutText } from './cut-text.js';
import type { DetectLanguage } from './detect-language.js';
import { embedStrings, type VectorCache } from './embed-strings.js';
import type { Extract } from './extract.js';
import type { UpsertInput, UpsertProgress, UpsertResult } from './ingest.js';
import type { KeyedLock } from './keyed-lock.js';
import { fitChunking, resolveChunking, sameChunking } from './resolve-chunking.js';
import { type CheckedInput, checkInput, resolveAttributes, sourceMediaType } from './resolve-upsert.js';

export interface UpsertParts {
  readonly store: Store;
  /** The embedder of a stored space. */
  readonly embedderOf: (space: SpaceRecord) => Embedder;
  readonly chunk: Chunk;
  readonly extract: Extract;
  readonly detectLanguage: DetectLanguage;
  /** Upserts of one title that lost a race take turns. */
  readonly turns: KeyedLock;
}

export interface UpsertOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: UpsertProgress) => void;
}

/** How often an upsert starts again because the document moved; within one process losers take turns, so few are needed. */
const MAX_ATTEMPTS = 12;
/** Between attempts; grows with each, so that a large version staged by another server gets its time. */
const RETRY_PAUSE_MS = 50;
const MAX_RETRY_PAUSE_MS = 5_000;
const SEARCHABLE_WAIT_MS = 10_000;

export async function upsertDocument(
  parts: UpsertParts,
  scope: Scope,
  given: UpsertInput,
  options: UpsertOptions,
): Promise<UpsertResult> {
  const input = checkInput(scope, given);
  const attempt: Attempt = { parts, scope, given, input, options, caches: new Map() };
  try {
    return await upsertOnce(attempt);
  } catch (error) {
    if (!(error instanceof VersionMoved)) throw error;
  }
  return await parts.turns.run(`${scope.owner}\0${normalizeTitle(input.title)}`, () => upsertAgain(attempt));
}

interface Attempt {
  readonly parts: UpsertParts;
  readonly scope: Scope;
  readonly given: UpsertInput;
  readonly input: CheckedInput;
  readonly options: UpsertOptions;
  /** Vectors by space: what an earlier attempt embedded is not embedded again. */
  readonly caches: Map<string, VectorCache>;
}

async function upsertAgain(attempt: Attempt): Promise<UpsertResult> {
  for (let round = 2; round <= MAX_ATTEMPTS; round++) {
    try {
      return await upsertOnce(attempt);
    } catch (error) {
      if (!(error instanceof VersionMoved)) throw error;
    }
    const pause = Math.min(RETRY_PAUSE_MS * 2 ** round * (0.5 + Math.random() / 2), MAX_RETRY_PAUSE_MS);
    await sleep(pause, undefined, attempt.options.signal && { signal: attempt.options.signal });
  }
  throw new Refusal('CONFLICT', 'Other writers kept changing the document; try again', ['input', 'title']);
}

/** One attempt: read, decide, embed what is new, write. Throws `VersionMoved` when the document changed under it. */
async function upsertOnce(attempt: Attempt): Promise<UpsertResult> {
  attempt.options.signal?.throwIfAborted();
  const stored = await readStored(attempt);
  try {
    const wanted = await resolveWanted(attempt, stored);
    if (stored !== null && isSameVersion(stored, wanted)) return await keepVersion(attempt, stored, wanted);
    return await replaceVersion(attempt, stored, wanted);
  } catch (error) {
    if (stored !== null && !attempt.given.dryRun) await rememberFailure(attempt, stored, error);
    throw error;
  }
}

/** On the document, where a provider or the machine failed. A refusal is answered, a race tried again, an abort wanted. */
async function rememberFailure(
  { parts, scope, options }: Attempt,
  stored: DocumentRecord,
  error: unknown,
): Promise<void> {
  if (error instanceof Refusal || error instanceof VersionMoved || options.signal?.aborted) return;
  try {
    await parts.store.recordFailure(scope, stored.id, error instanceof AppError ? error.message : 'Internal error');
  } catch {
    // The database may be what failed; the caller needs the first error.
  }
}

async function readStored({ parts, scope, input }: Attempt): Promise<DocumentRecord | null> {
  const stored = await parts.store.document(scope, { title: input.title });
  // Before anything is spent, and again by the store when it writes.
  if (stored !== null) requireWritable(scope, stored.agentIds, ['input', 'title']);
  else if (await parts.store.isTitleHidden(scope, input.title))
    throw new Refusal('CONFLICT', 'The title belongs to a document that these credentials cannot see', [
      'input',
      'title',
    ]);
  const version = stored?.version ?? 0;
  if (input.expectedVersion !== null && input.expectedVersion !== version)
    throw new Refusal('CONFLICT', `The document is at version ${version}, expected ${input.expectedVersion}`, [
      'input',
      'expectedVersion',
    ]);
  return stored;
}

/** The document as the caller wants it, before it is cut and embedded. */
interface Wanted {
  readonly title: string;
  readonly text: string;
  readonly contentHash: string;
  readonly mediaType: string;
  readonly language: string | null;
  readonly languageGiven: boolean;
  readonly sourceUri: string | null;
  readonly agentIds: readonly string[];
  readonly metadata: DocumentRecord['metadata'];
  readonly chunking: Chunking;
  readonly space: SpaceRecord;
  readonly otherSpaces: readonly SpaceRecord[];
  readonly warnings: readonly string[];
}

async function resolveWanted(attempt: Attempt, stored: DocumentRecord | null): Promise<Wanted> {
  const { parts, scope, given, input, options } = attempt;
  const spaces = await parts.store.currentSpaces();
  const space = spaces.find(({ state }) => state === 'ACTIVE') ?? (await parts.store.activeSpace());
  const limit = space.maxInputTokens;
  const chunking =
    given.chunking === undefined && stored !== null
      ? fitChunking(stored.chunking, limit)
      : resolveChunking(given.chunking ?? null, limit);

  options.onProgress?.({ phase: 'extracting', done: 0, total: 1 });
  const extracted = await parts.extract(sourceMediaType(input, stored));
  const text = canonicalText(extracted.text, ['input', input.source.kind]);
  const contentHash = await hashText(text);
  return {
    title: input.title,
    text,
    contentHash,
    mediaType: extracted.mediaType,
    ...(await resolveLanguage(attempt, stored, text, contentHash)),
    ...resolveAttributes(scope, input, stored),
    chunking,
    space,
    otherSpaces: spaces.filter(({ id }) => id !== space.id),
    warnings: extracted.warnings,
  };
}

async function resolveLanguage(
  { parts, input }: Attempt,
  stored: DocumentRecord | null,
  text: string,
  contentHash: string,
): Promise<{ language: string | null; languageGiven: boolean }> {
  if (input.language != null) return { language: input.language, languageGiven: true };
  const keepsStored = input.language === undefined && stored !== null;
  if (keepsStored && (stored.languageGiven || stored.contentHash === contentHash))
    return { language: stored.language, languageGiven: stored.languageGiven };
  return { language: await parts.detectLanguage(text), languageGiven: false };
}

function isSameVersion(stored: DocumentRecord, wanted: Wanted): boolean {
  return (
    stored.contentHash === wanted.contentHash &&
    sameChunking(stored.chunking, wanted.chunking) &&
    stored.space === wanted.space.id &&
    // Where the media type says how to cut, another one is another cut.
    (wanted.chunking.strategy !== 'STRUCTURE' || stored.mediaType === wanted.mediaType)
  );
}

/** The content stays: nothing is cut or embedded, at most attributes are set. */
async function keepVersion(attempt: Attempt, stored: DocumentRecord, wanted: Wanted): Promise<UpsertResult> {
  const { parts, scope, given } = attempt;
  const changes = attributeChanges(stored, wanted);
  const outcome = Object.keys(changes).length === 0 ? 'UNCHANGED' : 'UPDATED';
  const document = given.dryRun
    ? stored
    : outcome === 'UPDATED'
      ? await parts.store.writeAttributes(scope, stored, changes)
      : await succeeded(attempt, stored);
  return {
    document,
    outcome,
    changes: {
      chunksAdded: 0,
      chunksKept: stored.chunkCount,
      chunksRemoved: 0,
      chunksEmbedded: 0,
      embeddingTokens: 0,
    },
    searchable: await isSearchable(attempt, document),
    warnings: wanted.warnings,
  };
}

/** Nothing was to be done, and that is a success too. */
async function succeeded({ parts, scope }: Attempt, stored: DocumentRecord): Promise<DocumentRecord> {
  if (stored.lastError === null) return stored;
  await parts.store.clearFailure(scope, stored.id);
  return { ...stored, lastError: null };
}

function attributeChanges(stored: DocumentRecord, wanted: Wanted): AttributeChanges {
  return {
    ...(wanted.title !== stored.title && { title: wanted.title }),
    ...(wanted.mediaType !== stored.mediaType && { mediaType: wanted.mediaType }),
    ...(wanted.language !== stored.language && { language: wanted.language }),
    ...(wanted.languageGiven !== stored.languageGiven && { languageGiven: wanted.languageGiven }),
    ...(wanted.sourceUri !== stored.sourceUri && { sourceUri: wanted.sourceUri }),
    ...(!sameAgents(wanted.agentIds, stored.agentIds) && { agentIds: wanted.agentIds }),
    ...(!sameMetadata(wanted.metadata, stored.metadata) && { metadata: wanted.metadata }),
  };
}

/** New content, chunking or space: cut, embed what no stored chunk holds, then write it all at once. */
async function replaceVersion(attempt: Attempt, stored: DocumentRecord | null, wanted: Wanted): Promise<UpsertResult> {
  const { parts, scope, given, options } = attempt;
  options.onProgress?.({ phase: 'chunking', done: 0, total: 1 });
  const { chunks, strings } = await cutText(wanted.text, {
    ...wanted,
    embedder: parts.embedderOf(wanted.space),
    chunk: parts.chunk,
    ...(options.signal && { signal: options.signal }),
  });
  const outcome = stored === null || stored.version === 0 ? 'CREATED' : 'UPDATED';
  const missing = await missingStrings(attempt, stored, wanted, strings);
  const cost = costOf(missing, parts);
  if (given.dryRun)
    return {
      document: stored,
      outcome,
      changes: { ...(await countDiff(attempt, stored, chunks)), ...cost },
      searchable: false,
      warnings: wanted.warnings,
    };

  const { vectorsBySpace, averaged } = await embedMissing(attempt, missing);
  options.signal?.throwIfAborted();
  options.onProgress?.({ phase: 'storing', done: 0, total: chunks.length });
  const { space, otherSpaces, warnings, ...version } = wanted;
  const written = await parts.store.writeVersion(scope, stored, {
    ...version,
    space: space.id,
    chunks,
    vectors: vectorsBySpace.get(space.id) ?? new Map(),
    otherVectors: new Map(otherSpaces.map(({ id }) => [id, vectorsBySpace.get(id) ?? new Map()])),
  });
  options.onProgress?.({ phase: 'storing', done: chunks.length, total: chunks.length });
  return {
    document: written.document,
    outcome,
    changes: {
      chunksAdded: written.chunksAdded,
      chunksKept: written.chunksKept,
      chunksRemoved: written.chunksRemoved,
      ...cost,
    },
    // A moment ago it was not there at all, and STORED is for those who will not wait for what an index says.
    searchable: given.waitUntil === 'SEARCHABLE' && (await isSearchable(attempt, written.document)),
    warnings: averaged === 0 ? warnings : [...warnings, averagedWarning(averaged, space)],
  };
}

interface MissingInSpace {
  readonly space: SpaceRecord;
  readonly strings: ReadonlyMap<string, string>;
}

/** Per space, the strings whose vectors the stored document does not hold. */
async function missingStrings(
  { parts, scope }: Attempt,
  stored: DocumentRecord | null,
  wanted: Wanted,
  strings: ReadonlyMap<string, string>,
): Promise<readonly MissingInSpace[]> {
  const missing: MissingInSpace[] = [];
  for (const space of [wanted.space, ...wanted.otherSpaces]) {
    const held =
      stored === null
        ? new Set<string>()
        : await parts.store.storedEmbedHashes(scope, stored.id, space.id, [...strings.keys()]);
    missing.push({ space, strings: new Map([...strings].filter(([hash]) => !held.has(hash))) });
  }
  return missing;
}

function costOf(
  missing: readonly MissingInSpace[],
  parts: UpsertParts,
): { chunksEmbedded: number; embeddingTokens: number } {
  const embedded = new Set(missing.flatMap(({ strings }) => [...strings.keys()]));
  let embeddingTokens = 0;
  for (const { space, strings } of missing) {
    const embedder = parts.embedderOf(space);
    for (const text of strings.values()) embeddingTokens += embedder.countTokens(text);
  }
  return { chunksEmbedded: embedded.size, embeddingTokens };
}

async function embedMissing(
  { parts, options, caches }: Attempt,
  missing: readonly MissingInSpace[],
): Promise<{ vectorsBySpace: Map<string, ReadonlyMap<string, Float32Array>>; averaged: number }> {
  const vectorsBySpace = new Map<string, ReadonlyMap<string, Float32Array>>();
  let averaged = 0;
  for (const { space, strings } of missing) {
    const cache: VectorCache = caches.get(space.id) ?? new Map();
    caches.set(space.id, cache);
    const { onProgress, signal } = options;
    const embedded = await embedStrings(strings, parts.embedderOf(space), {
      chunk: parts.chunk,
      cache,
      ...(signal && { signal }),
      ...(onProgress && { onProgress: (done, total) => onProgress({ phase: 'embedding', done, total }) }),
    });
    vectorsBySpace.set(space.id, embedded.vectors);
    averaged = Math.max(averaged, embedded.averaged);
  }
  return { vectorsBySpace, averaged };
}

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

/** With SEARCHABLE once both indexes return the version, or the time is up; with STORED what they say now. */
async function isSearchable({ parts, scope, given, options }: Attempt, document: DocumentRecord): Promise<boolean> {
  const { id, version } = document;
  const ask = (timeoutMs: number): Promise<boolean> =>
    parts.store.waitUntilSearchable(scope, id, version, {
      timeoutMs,
      ...(options.signal && { signal: options.signal }),
    });
  if (given.dryRun) return false;
  if (given.waitUntil === 'STORED') return await ask(0);
  options.onProgress?.({ phase: 'indexing', done: 0, total: 1 });
  const searchable = await ask(SEARCHABLE_WAIT_MS);
  options.onProgress?.({ phase: 'indexing', done: 1, total: 1 });
  return searchable;
}

/** Off the main thread: 50 MB take a tenth of a second. */
async function hashText(text: string): Promise<string> {
  const bytes = Buffer.from(text);
  if (bytes.length < 64 * 1024) return createHash('sha256').update(bytes).digest('hex');
  return Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('hex');
}

function averagedWarning(count: number, space: SpaceRecord): string {
  return `${count} ${count === 1 ? 'chunk is' : 'chunks are'} longer than the ${space.maxInputTokens} tokens that ${space.model} takes: the vectors of their parts were averaged, which finds them less well`;
}
