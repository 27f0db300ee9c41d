import type { Database } from './database.js';
import { parseObjectIds } from './object-id.js';
import { readConsistently } from './read-consistently.js';
import type { TextRow } from './rows.js';
import type { Store } from './store.js';

export type TextReads = Pick<Store, 'texts'>;

export function textReads(database: Database): TextReads {
  return {
    async texts(scope, documentIds) {
      return await readConsistently(database, scope, parseObjectIds(documentIds), async (versions) => {
        const stored = [...versions.values()].filter(({ version }) => version > 0);
        const parts = new Map<string, string[]>();
        if (stored.length > 0) {
          const rows = database.texts
            .find({ $or: stored.map(({ _id, version }) => ({ document_id: _id, version })) })
            .sort({ document_id: 1, version: 1, part: 1 });
          for await (const row of rows as AsyncIterable<TextRow>) {
            const id = row.document_id.toHexString();
            const known = parts.get(id);
            if (known === undefined) parts.set(id, [row.text]);
            else known.push(row.text);
          }
        }
        return documentIds.map((id) =>
          versions.has(id.toLowerCase()) ? (parts.get(id.toLowerCase()) ?? []).join('') : null,
        );
      });
    },
  };
}
