import type { Document, Filter } from 'mongodb';
import type { ChunkRow } from './rows.js';

/**
 * Visibility, the one rule: a chunk row is live when `from_version ≤ version` and (`to_version` is absent or
 * `version < to_version`), `version` being its document's. The three forms of it are held equal by a property test.
 */
export function isLive(row: Pick<ChunkRow, 'from_version' | 'to_version'>, version: number): boolean {
  return row.from_version <= version && (row.to_version === undefined || version < row.to_version);
}

/** As MQL over chunk rows, for a known version. */
export function liveAt(version: number): Filter<ChunkRow> {
  return {
    from_version: { $lte: version },
    $or: [{ to_version: { $exists: false } }, { to_version: { $gt: version } }],
  };
}

/** As an aggregation expression over a chunk row, `version` being an expression such as '$document.version'. */
export function liveExpression(version: string): Document {
  return {
    $and: [
      { $lte: ['$from_version', version] },
      { $gt: [{ $ifNull: ['$to_version', Number.MAX_SAFE_INTEGER] }, version] },
    ],
  };
}
