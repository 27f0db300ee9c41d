import type { DocumentRecord } from '../store/records.js';
import { type Attempt, withAlongside } from './attempt.js';
import type { UpsertResult } from './ingest.js';
import { isSearchable } from './is-searchable.js';
import { attributeChanges, type Wanted } from './wanted.js';

/** The content stays: nothing is cut or embedded, at most attributes are set. */
export async function keepVersion(attempt: Attempt, stored: DocumentRecord, wanted: Wanted): Promise<UpsertResult> {
  const { parts, scope, given } = attempt;
  const changes = attributeChanges(stored, wanted);
  const isUnchanged = Object.keys(changes).length === 0;
  const write = (): Promise<DocumentRecord> =>
    isUnchanged
      ? noteSuccess(attempt, stored)
      : parts.store.writeAttributes(scope, stored, changes, withAlongside(attempt));
  const document = given.dryRun ? stored : await write();
  return {
    document,
    outcome: isUnchanged ? 'UNCHANGED' : 'UPDATED',
    changes: {
      chunksAdded: 0,
      chunksKept: stored.chunkCount,
      chunksRemoved: 0,
      chunksEmbedded: 0,
      embeddingTokens: 0,
    },
    searchable: !given.dryRun && (await isSearchable(attempt, document)),
    warnings: wanted.warnings,
  };
}

/** Nothing was to be done, and that is a success too. */
async function noteSuccess({ parts, scope }: Attempt, stored: DocumentRecord): Promise<DocumentRecord> {
  if (stored.lastError === null) return stored;
  await parts.store.clearFailure(scope, stored.id);
  return { ...stored, lastError: null };
}
