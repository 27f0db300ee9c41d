import { Refusal } from '../../errors.js';
import type { JobSpec } from '../../store/jobs/job-records.js';
import type { JobKindWork } from '../jobs/job-kinds.js';
import { KeyedLock } from '../keyed-lock.js';
import { type ImportParts, importDocument, type OnSpaceMismatch } from './import-document.js';
import { unpackItem } from './item-payload.js';
import type { ExportedSpace } from './line-shapes.js';
import { readDocument } from './read-document.js';

/** What the items of an IMPORT job share. */
export function importSpec(space: ExportedSpace, onSpaceMismatch: OnSpaceMismatch): JobSpec {
  const { id, provider, model, dimensions, similarity } = space;
  return { onSpaceMismatch, space: id, provider, model, dimensions, similarity };
}

/** Runs the items of IMPORT jobs, each a document of an export. Running one again changes nothing. */
export function importWork({ store, embedderOf }: Omit<ImportParts, 'turns'>): JobKindWork {
  const parts: ImportParts = { store, embedderOf, turns: new KeyedLock() };
  return {
    kind: 'IMPORT',
    async runItem({ payload, spec, queuedOn = null }, { scope, signal, alongside }) {
      const { head, lines } = unpackItem(payload);
      if ('refused' in head) throw new Refusal(head.refused.code, head.refused.message);
      const { space, onSpaceMismatch } = readSpec(spec);
      const document = await readDocument(lines, { firstLine: head.firstLine, space });
      return await importDocument(parts, scope, document, { space, onSpaceMismatch, signal, alongside, queuedOn });
    },
  };
}

function readSpec(spec: JobSpec): { space: ExportedSpace; onSpaceMismatch: OnSpaceMismatch } {
  const space = {
    id: String(spec.space),
    provider: String(spec.provider),
    model: String(spec.model),
    dimensions: Number(spec.dimensions),
    similarity: spec.similarity as ExportedSpace['similarity'],
  };
  return { space, onSpaceMismatch: spec.onSpaceMismatch === 'reembed' ? 'reembed' : 'refuse' };
}
