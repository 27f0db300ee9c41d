import type { Store } from '../../store/store.js';
import type { Ingest } from '../ingest.js';
import { decodeIngest } from './ingest-payload.js';
import type { JobKindWork } from './job-kinds.js';
import { SearchableLine } from './searchable-line.js';

/** An item is an upsert: run again, it finds what is stored and changes nothing. */
export function ingestKind(ingest: Ingest, store: Pick<Store, 'waitUntilSearchable'>): JobKindWork {
  const line = new SearchableLine(store);
  return {
    kind: 'INGEST',
    async runItem({ payload }, { scope, signal }) {
      const input = decodeIngest(payload);
      // It waits in the line: what runs has others behind it.
      const { outcome, document } = await ingest.upsertDocument(scope, { ...input, waitUntil: 'STORED' }, { signal });
      if (document === null) return { outcome, documentId: null };
      const waits = input.waitUntil === 'SEARCHABLE' && outcome !== 'UNCHANGED';
      return {
        outcome,
        documentId: document.id,
        ...(waits && { settled: line.wait(scope, document.id, document.version) }),
      };
    },
  };
}
