import { needsIndexedPath } from '../filter/filter-language.js';
import type { FilterNode } from '../filter/filter-node.js';
import { SearchFailure } from '../search-failure.js';
import type { VectorField, VectorIndexDefinition } from './definition.js';
import type { VectorQuery } from './vector-query.js';
import { isZero, type VectorValue } from './vector-value.js';

/**
 * What the index has to say about a query, in the order of ATLAS.md §1.4: nested root, path, dimensions, filter,
 * parentFilter, zero vector, bits, explain. Returns the field to search and the vector to search with.
 * @throws SearchFailure
 */
export function checkAgainst(
  query: VectorQuery,
  definition: VectorIndexDefinition,
): { field: VectorField; vector: VectorValue } {
  const { path, vector } = query;
  if (query.asksForStoredSource) throw new SearchFailure('storedSource is not configured for this index.');
  if (query.asksForNested) throw new SearchFailure(outsideNestedRoot(path));
  if (vector === undefined) throw new SearchFailure('queryVector must be present');
  const field = definition.vectors.find((candidate) => candidate.path === path);
  if (field === undefined) throw new SearchFailure(`${path} is not indexed as vector`);
  if (field.numDimensions !== vector.dimensions) {
    throw new SearchFailure(
      `vector field is indexed with ${field.numDimensions} dimensions but queried with ${vector.dimensions}`,
    );
  }
  checkFilterPaths(query.filter, definition);
  checkFilterPaths(query.parentFilter, definition);
  if (field.similarity === 'cosine' && vector.kind !== 'packedBit' && isZero(vector)) {
    throw new SearchFailure('Cosine similarity cannot be calculated against a zero vector.');
  }
  if (vector.kind === 'packedBit' && field.similarity !== 'euclidean') {
    const indexed = field.similarity === 'cosine' ? 'COSINE' : 'DOT_PRODUCT';
    throw new SearchFailure(
      `Binary vectors can only be used with fields indexed with Euclidean similarity but indexed similarity is ${indexed}`,
    );
  }
  if (query.asksForExplain) {
    throw new SearchFailure("Query must be run in explain mode, because 'explainOptions' are present.");
  }
  return { field, vector };
}

function checkFilterPaths(node: FilterNode, definition: VectorIndexDefinition): void {
  if ('nodes' in node) for (const inner of node.nodes) checkFilterPaths(inner, definition);
  else if ('node' in node) checkFilterPaths(node.node, definition);
  else if ('path' in node && needsIndexedPath(node) && !definition.filterPaths.includes(node.path)) {
    throw new SearchFailure(`Path '${node.path}' needs to be indexed as filter`);
  }
}

function outsideNestedRoot(path: string): string {
  return (
    `"nestedOptions" requires a vector path within the index's nested root, but '${path}' is outside it. Specify a path ` +
    `under the index's "nestedRoot" field, or remove "nestedOptions" to query '${path}' as a standard vector field.`
  );
}
