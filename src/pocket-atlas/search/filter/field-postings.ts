import type { Bitmap } from '../bitmap.js';
import type { FilterKey } from './filter-key.js';
import type { FilterNode, KeyBounds } from './filter-node.js';

/** The values of one filter field over the rows of a segment: each method adds the rows it names to a bitmap. */
export interface FieldPostings {
  addEqual(key: FilterKey, into: Bitmap): void;
  addRange(range: KeyBounds, into: Bitmap): void;
  /** Rows where the field is present, whatever its value. */
  addExisting(into: Bitmap): void;
}

/** The rows that match. A path without postings has no values in any row. */
export function matchingRows(
  node: FilterNode,
  postings: ReadonlyMap<string, FieldPostings>,
  empty: () => Bitmap,
): Bitmap {
  switch (node.op) {
    case 'all':
      return empty().fill();
    case 'and':
      return node.nodes.map((inner) => matchingRows(inner, postings, empty)).reduce((a, b) => a.and(b), empty().fill());
    case 'or':
      return node.nodes.map((inner) => matchingRows(inner, postings, empty)).reduce((a, b) => a.or(b), empty());
    case 'not':
      return matchingRows(node.node, postings, empty).not();
    default: {
      const rows = empty();
      const field = postings.get(node.path);
      if (field === undefined) return rows;
      if (node.op === 'equal') for (const key of node.keys) field.addEqual(key, rows);
      else if (node.op === 'range') field.addRange(node.range, rows);
      else field.addExisting(rows);
      return rows;
    }
  }
}
