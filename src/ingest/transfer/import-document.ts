import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Embedder } from '../../embed/embedder.js';
import { AppError, Refusal } from '../../errors.js';
import { checkGivenAgents, requireWritable } from '../../store/agents.js';
import type { Alongside, AlongsideOption } from '../../store/alongside.js';
import { sameAgents } from '../../store/attributes.js';
import { sameMetadata } from '../../store/check-metadata.js';
import type { ItemOutcome, QueuedOn } from '../../store/jobs/job-records.js';
import type { DocumentRecord, NewChunk, SpaceRecord } from '../../store/records.js';
import type { Scope } from '../../store/scope.js';
import { describeSpace } from '../../store/space-choice.js';
import type { AttributeChanges, Store } from '../../store/store.js';
import { againWhenMoved } from '../again-when-moved.js';
import { withAlongside } from '../attempt.js';
import { type CountedString, countAveraged, embedHash, embedStrings, type VectorCache } from '../embed-strings.js';
import type { KeyedLock } from '../keyed-lock.js';
import { requireNotDeleted } from '../not-deleted.js';
import { requireNothingNewer } from '../nothing-newer.js';
import { embeddedString } from '../reembed/embedded-string.js';
import { sameChunking } from '../resolve-chunking.js';
import type { ExportedSpace } from './line-shapes.js';
import type { ExportedDocument } from './read-document.js';

export type OnSpaceMismatch = 'refuse' | 'reembed';

export interface ImportParts {
  readonly store: Pick<
    Store,
    | 'currentSpaces'
    | 'document'
    | 'isTitleHidden'
    | 'chunkHashes'
    | 'storedEmbedHashes'
    | 'writeVersion'
    | 'writeAttributes'
    | 'clearFailure'
  >;
  readonly embedderOf: (space: SpaceRecord) => Embedder;
  readonly turns: KeyedLock;
}

export interface ImportOptions {
  /** The space of the document's vectors. */
  readonly space: ExportedSpace;
  readonly onSpaceMismatch: OnSpaceMismatch;
  readonly signal?: AbortSignal;
  /** Written with the document, or neither is. */
  readonly alongside?: Alongside;
  /** The document of the title as it was when the import came. */
  readonly queuedOn?: QueuedOn | null;
}

/**
 * Stores a document as its exporter had it: nothing is cut anew, and vectors of the active space's own model are taken as
 * they are. It is keyed on the title like an upsert. Throws `Refusal`, and `AppError` for outages.
 */
export async function importDocument(
  parts: ImportParts,
  scope: Scope,
  document: ExportedDocument,
  options: ImportOptions,
): Promise<{ outcome: ItemOutcome; documentId: string }> {
  const agentIds = checkGivenAgents(scope, document.agentIds, ['agentIds']);
  const caches = new Map<string, VectorCache>();
  return await againWhenMoved(parts.turns, { scope, title: document.title, signal: options.signal }, () =>
    importOnce(parts, scope, { ...document, agentIds }, { ...options, caches }),
  );
}

async function importOnce(
  parts: ImportParts,
  scope: Scope,
  document: ExportedDocument,
  options: ImportOptions & { readonly caches: Map<string, VectorCache> },
): Promise<{ outcome: ItemOutcome; documentId: string }> {
  options.signal?.throwIfAborted();
  const { store } = parts;
  const spaces = await store.currentSpaces();
  const active = spaces.find(({ state }) => state === 'ACTIVE');
  if (active === undefined) throw new AppError('STORE_UNAVAILABLE', 'The database has no active embedding space');
  const placed = placeIn(active, document, options);

  const stored = await store.document(scope, { title: document.title });
  if (stored !== null) requireWritable(scope, stored.agentIds, ['title']);
  else if (await store.isTitleHidden(scope, document.title))
    throw new Refusal('CONFLICT', 'The title belongs to a document that these credentials cannot see', ['title']);
  else await requireNotDeleted(store, scope, options.queuedOn);
  const isKept = stored !== null && (await isStored(parts, scope, stored, document, placed));
  if (stored !== null)
    requireNothingNewer(options.queuedOn, stored, {
      text: !isKept,
      attributes: Object.keys(attributeChanges(stored, document)).length > 0,
    });
  if (isKept) return await keep(parts, scope, stored, document, withAlongside({ options }));

  const vectors = new Map<string, ReadonlyMap<string, Float32Array>>();
  for (const space of spaces) {
    const given = space.id === active.id ? placed.vectors : new Map<string, Float32Array>();
    vectors.set(space.id, await vectorsIn(parts, scope, space, stored, placed.strings, given, options));
  }
  options.signal?.throwIfAborted();
  const version = {
    ...document,
    chunks: placed.chunks,
    space: active.id,
    vectors: vectors.get(active.id) ?? new Map(),
    otherVectors: new Map([...vectors].filter(([id]) => id !== active.id)),
  };
  const written = await store.writeVersion(scope, stored, version, withAlongside({ options }));
  return { outcome: stored === null || stored.version === 0 ? 'CREATED' : 'UPDATED', documentId: written.document.id };
}

/** A document's chunks for the active space. */
interface Placed {
  readonly chunks: readonly NewChunk[];
  /** What the embedder would be given, by the chunks' `embedHash`. */
  readonly strings: ReadonlyMap<string, string>;
  /** Those of the file that the active space can take, by the same. */
  readonly vectors: ReadonlyMap<string, Float32Array>;
}

function placeIn(
  active: SpaceRecord,
  document: ExportedDocument,
  { space, onSpaceMismatch }: Pick<ImportOptions, 'space' | 'onSpaceMismatch'>,
): Placed {
  const matches = isSameSpace(space, active);
  const lacking = document.chunks.filter((chunk) => !document.vectors.has(chunk.embedHash)).length;
  if (onSpaceMismatch === 'refuse') {
    if (!matches) throw spaceMismatch(space, active);
    if (lacking > 0)
      throw new Refusal(
        'INVALID',
        `${lacking} of ${document.chunks.length} chunks come without a vector: import with onSpaceMismatch=reembed`,
      );
  }
  const vectors = new Map<string, Float32Array>();
  const strings = new Map<string, string>();
  const chunks = document.chunks.map((chunk): NewChunk => {
    const given = embeddedString({
      ...chunk,
      embedPrefix: chunk.embedPrefix ?? null,
      document: { title: document.title, contextual: document.chunking.contextual },
    });
    const vector = matches ? document.vectors.get(chunk.embedHash) : undefined;
    // What is embedded here is hashed here.
    const hash = vector === undefined ? embedHash(given) : chunk.embedHash;
    if (vector !== undefined) vectors.set(hash, vector);
    strings.set(hash, given);
    return { ...chunk, embedHash: hash };
  });
  return { chunks, strings, vectors };
}

/** Vectors of one model can be compared whatever number the space has. */
export function isSameSpace(
  a: Pick<ExportedSpace, 'provider' | 'model' | 'dimensions'>,
  b: Pick<ExportedSpace, 'provider' | 'model' | 'dimensions'>,
): boolean {
  return a.provider === b.provider && a.model === b.model && a.dimensions === b.dimensions;
}

export function spaceMismatch(file: ExportedSpace, active: SpaceRecord): AppError {
  return new AppError(
    'EMBEDDING_SPACE_MISMATCH',
    `The file's vectors are of ${describeSpace(file)}, the active embedding space is ${describeSpace(active)}. ` +
      'Import with onSpaceMismatch=reembed to embed every chunk here, or import into a server with the same model',
    { details: { imported: describeSpace(file), active: describeSpace(active) } },
  );
}

/** Text and chunks are those stored, and so have vectors in the active space: at most attributes differ. */
async function isStored(
  { store }: ImportParts,
  scope: Scope,
  stored: DocumentRecord,
  document: ExportedDocument,
  { chunks }: Placed,
): Promise<boolean> {
  if (
    stored.contentHash !== document.contentHash ||
    stored.chunkCount !== chunks.length ||
    !sameChunking(stored.chunking, document.chunking)
  )
    return false;
  const rows = await store.chunkHashes(scope, stored.id);
  return (
    rows.length === chunks.length &&
    rows.every((row, index) => {
      const chunk = chunks[index]!;
      return row.embedHash === chunk.embedHash && row.start === chunk.start && row.end === chunk.end;
    })
  );
}

async function keep(
  { store }: ImportParts,
  scope: Scope,
  stored: DocumentRecord,
  document: ExportedDocument,
  alongside: AlongsideOption,
): Promise<{ outcome: ItemOutcome; documentId: string }> {
  const changes = attributeChanges(stored, document);
  if (Object.keys(changes).length > 0) {
    const { id } = await store.writeAttributes(scope, stored, changes, alongside);
    return { outcome: 'UPDATED', documentId: id };
  }
  if (stored.lastError !== null) await store.clearFailure(scope, stored.id);
  return { outcome: 'UNCHANGED', documentId: stored.id };
}

function attributeChanges(stored: DocumentRecord, document: ExportedDocument): AttributeChanges {
  const plain = ['title', 'mediaType', 'language', 'languageGiven', 'sourceUri'] as const;
  return {
    ...Object.fromEntries(plain.filter((key) => stored[key] !== document[key]).map((key) => [key, document[key]])),
    ...(!sameAgents(stored.agentIds, document.agentIds) && { agentIds: document.agentIds }),
    ...(!sameMetadata(stored.metadata, document.metadata) && { metadata: document.metadata }),
  };
}

/** The vectors of one space that the stored document does not hold: the file's, the rest embedded. */
async function vectorsIn(
  { store, embedderOf }: ImportParts,
  scope: Scope,
  space: SpaceRecord,
  stored: DocumentRecord | null,
  strings: ReadonlyMap<string, string>,
  given: ReadonlyMap<string, Float32Array>,
  { caches, signal }: { readonly caches: Map<string, VectorCache>; readonly signal?: AbortSignal },
): Promise<ReadonlyMap<string, Float32Array>> {
  const unknown = [...strings].filter(([hash]) => !given.has(hash));
  if (unknown.length === 0) return given;
  const held = stored
    ? await store.storedEmbedHashes(
        scope,
        stored.id,
        space.id,
        unknown.map(([hash]) => hash),
      )
    : new Set<string>();
  const embedder = embedderOf(space);
  const missing = await counted(
    unknown.filter(([hash]) => !held.has(hash)),
    embedder,
  );
  countAveraged(missing.values(), embedder);
  const cache: VectorCache = caches.get(space.id) ?? new Map();
  caches.set(space.id, cache);
  const embedded = await embedStrings(missing, embedder, { cache, ...(signal && { signal }) });
  return new Map([...given, ...embedded]);
}

/** Strings counted before others get their turn: tokenising blocks. */
const COUNTED_AT_ONCE = 64;

async function counted(
  strings: readonly (readonly [hash: string, text: string])[],
  embedder: Embedder,
): Promise<ReadonlyMap<string, CountedString>> {
  const result = new Map<string, CountedString>();
  for (const [index, [hash, text]] of strings.entries()) {
    // A token has a byte at least, so most strings fit without being counted.
    const bytes = Buffer.byteLength(text);
    const fits = bytes <= embedder.space.maxInputTokens;
    result.set(hash, { text, tokens: fits ? bytes : embedder.countTokens(text) });
    if (index % COUNTED_AT_ONCE === COUNTED_AT_ONCE - 1) await yieldToOthers();
  }
  return result;
}
