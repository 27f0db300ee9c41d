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
  return {
    kind: 'INGEST',
    async runItem({ payload, document, wasInterrupted = false }, { scope, signal, alongside }) {
      const input = decodeIngest(payload);
      // It waits in the line: what runs has others behind it.
      const { outcome, document: stored } = await ingest.upsertDocument(
        scope,
        { ...input, waitUntil: 'STORED' },
        { signal, wasInterrupted, alongside, ...(isFirst(input, document) && { found: document }) },
      );
      if (stored === null) return { outcome, documentId: null };
      const waits = input.waitUntil === 'SEARCHABLE' && outcome !== 'UNCHANGED';
      return {
        outcome,
        documentId: stored.id,
        ...(waits && { settled: line.wait(scope, stored.id, stored.version) }),
      };
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
