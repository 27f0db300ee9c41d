import { Bitmap } from '../bitmap.js';
import type { FilterKey } from './filter-key.js';
import type { FilterNode, KeyBounds } from './filter-node.js';

/** The values of one filter field over the rows of a segment: each method adds the rows it names to a bitmap. */
export interface FieldPostings {
  addEqual(key: FilterKey, into: Bitmap): void;
  addRange(range: KeyBounds, into: Bitmap): void;
  /** Rows where the field is present, whatever its value. */
  addExisting(into: Bitmap): void;
}

/** Keys looked up between two looks at the clock: `$in` may have hundreds of thousands. */
const KEYS_PER_LOOK = 500;

/** The rows that match, of `size` rows. A path without postings has no values in any row. */
export async function matchingRows(
  node: FilterNode,
  postings: ReadonlyMap<string, FieldPostings>,
  size: number,
  pause: () => Promise<void>,
): Promise<Bitmap> {
  const match = async (inner: FilterNode): Promise<Bitmap> => {
    await pause();
    switch (inner.op) {
      case 'all':
        return new Bitmap(size).fill();
      case 'and': {
        const rows = new Bitmap(size).fill();
        for (const part of inner.nodes) rows.and(await match(part));
        return rows;
      }
      case 'or': {
        const rows = new Bitmap(size);
        for (const part of inner.nodes) rows.or(await match(part));
        return rows;
      }
      case 'not':
        return (await match(inner.node)).not();
      default:
        return matchField(inner, postings.get(inner.path), new Bitmap(size), pause);
    }
  };
  return match(node);
}

async function matchField(
  node: Extract<FilterNode, { path: string }>,
  field: FieldPostings | undefined,
  rows: Bitmap,
  pause: () => Promise<void>,
): Promise<Bitmap> {
  if (field === undefined) return rows;
  if (node.op === 'range') field.addRange(node.range, rows);
  else if (node.op === 'exists') field.addExisting(rows);
  else {
    for (const [position, key] of node.keys.entries()) {
      field.addEqual(key, rows);
      if (position % KEYS_PER_LOOK === KEYS_PER_LOOK - 1) await pause();
    }
  }
  return rows;
}
