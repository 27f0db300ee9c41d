import type { DocumentRecord } from '../../store/records.js';
import type { Store } from '../../store/store.js';
import { normalizeTitle } from '../../store/title.js';
import type { Ingest, UpsertInput } from '../ingest.js';
import { decodeIngest } from './ingest-payload.js';
import type { JobKindWork } from './job-kinds.js';
import { SearchableLine } from './searchable-line.js';

/** An item is an upsert: run again, it finds what is stored and changes nothing. */
export function ingestKind(ingest: Ingest, store: Pick<Store, 'waitUntilSearchable'>): JobKindWork {
  const line = new SearchableLine(store);
  const waits = ({ waitUntil }: UpsertInput): boolean => waitUntil === 'SEARCHABLE';
  return {
    kind: 'INGEST',
    async runItem(
      { payload, document, queuedOn = null, wasInterrupted = false },
      { scope, signal, alongside, onProgress },
    ) {
      const input = decodeIngest(payload);
      // It waits in the line: what runs has others behind it.
      const { outcome, document: stored } = await ingest.upsertDocument(
        scope,
        { ...input, waitUntil: 'STORED' },
        {
          signal,
          wasInterrupted,
          alongside,
          queuedOn,
          ...(onProgress && { onProgress }),
          ...(isFirst(input, document) && { found: document }),
        },
      );
      if (stored === null) return { outcome, documentId: null };
      return {
        outcome,
        documentId: stored.id,
        ...(waits(input) && outcome !== 'UNCHANGED' && { settled: line.wait(scope, stored.id, stored.version) }),
      };
    },
    async settle({ payload }, { documentId, version }, scope) {
      if (waits(decodeIngest(payload))) await line.wait(scope, documentId, version);
    },
  };
}

/**
 * What was read with the batch is good enough to write a first version on, which is guarded; anything later is read anew,
 * so that nothing is called unchanged by what it was a while ago.
 */
function isFirst({ title }: UpsertInput, document: DocumentRecord | null | undefined): document is DocumentRecord {
  return document?.version === 0 && normalizeTitle(document.title) === normalizeTitle(title);
}
