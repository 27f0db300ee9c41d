import { TEXT_INDEX, vectorIndexName } from '../search-index-definitions.js';
import type { IndexKind } from './search-store.js';

export function indexName(index: IndexKind): string {
  return index.kind === 'TEXT' ? TEXT_INDEX : vectorIndexName(index.space.id);
}
