import { AppError, Refusal } from '../errors.js';
import { requireWritable } from '../store/agents.js';
import { CalledOff } from '../store/alongside.js';
import type { DocumentRecord } from '../store/records.js';
import type { Scope } from '../store/scope.js';
import { VersionMoved } from '../store/store.js';
import { againWhenMoved } from './again-when-moved.js';
import type { Attempt, UpsertOptions, UpsertParts } from './attempt.js';
import type { UpsertInput, UpsertResult } from './ingest.js';
import { keepVersion } from './keep-version.js';
import { requireNotDeleted } from './not-deleted.js';
import { requireNothingNewer } from './nothing-newer.js';
import { replaceVersion } from './replace-version.js';
import { checkInput } from './resolve-upsert.js';
import { attributeChanges, isStoredVersion, resolveWanted } from './wanted.js';

/** Creates or replaces the document of a title, atomically with its chunks. See `Ingest`. */
export async function upsertDocument(
  parts: UpsertParts,
  scope: Scope,
  given: UpsertInput,
  options: UpsertOptions,
): Promise<UpsertResult> {
  const input = checkInput(scope, given);
  const attempt: Attempt = {
    parts,
    scope,
    given,
    input,
    options,
    vectors: new Map(),
    lines: new Map(),
    extracted: null,
  };
  let { found } = options;
  return await againWhenMoved(parts.turns, { scope, title: input.title, signal: options.signal }, async () => {
    const known = found;
    // Whoever starts again reads it himself.
    found = undefined;
    return await upsertOnce(attempt, known === undefined ? await readStored(attempt) : requireUsable(attempt, known));
  });
}

/** One attempt on the document as it was read: decide, embed what is new, write. Throws `VersionMoved` when the document changed under it. */
async function upsertOnce(attempt: Attempt, stored: DocumentRecord | null): Promise<UpsertResult> {
  attempt.options.signal?.throwIfAborted();
  try {
    if (stored === null) await requireNotDeleted(attempt.parts.store, attempt.scope, attempt.options.queuedOn);
    const wanted = await resolveWanted(attempt, stored);
    const isKept = stored !== null && isStoredVersion(stored, wanted);
    if (stored !== null)
      requireNothingNewer(attempt.options.queuedOn, stored, {
        text: !isKept,
        attributes: Object.keys(attributeChanges(stored, wanted)).length > 0,
      });
    return isKept ? await keepVersion(attempt, stored, wanted) : await replaceVersion(attempt, stored, wanted);
  } catch (error) {
    if (stored !== null && !attempt.given.dryRun) await rememberFailure(attempt, stored, error);
    throw error;
  }
}

async function readStored(attempt: Attempt): Promise<DocumentRecord | null> {
  const { parts, scope, input } = attempt;
  const stored = await parts.store.document(scope, { title: input.title });
  if (stored === null && (await parts.store.isTitleHidden(scope, input.title)))
    throw new Refusal('CONFLICT', 'The title belongs to a document that these credentials cannot see', [
      'input',
      'title',
    ]);
  return requireUsable(attempt, stored);
}

/** Whether it may be written at all: before anything is spent. The store looks again when it writes. */
function requireUsable({ scope, input }: Attempt, stored: DocumentRecord | null): DocumentRecord | null {
  if (stored !== null) requireWritable(scope, stored.agentIds, ['input', 'title']);
  const version = stored?.version ?? 0;
  if (input.expectedVersion !== null && input.expectedVersion !== version)
    throw new Refusal('CONFLICT', `The document is at version ${version}, expected ${input.expectedVersion}`, [
      'input',
      'expectedVersion',
    ]);
  return stored;
}

/** On the document, where a provider or the machine failed. A refusal is answered, a race tried again, an abort wanted. */
async function rememberFailure(
  { parts, scope, options }: Attempt,
  stored: DocumentRecord,
  error: unknown,
): Promise<void> {
  if (
    error instanceof Refusal ||
    error instanceof VersionMoved ||
    error instanceof CalledOff ||
    options.signal?.aborted
  )
    return;
  // Where the database is away, noting that would only make the caller wait longer.
  if (error instanceof AppError && error.code === 'STORE_UNAVAILABLE') return;
  try {
    await parts.store.recordFailure(scope, stored.id, error instanceof AppError ? error.message : 'Internal error');
  } catch {
    // The database may be what failed; the caller needs the first error.
  }
}
