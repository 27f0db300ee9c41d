import type { Document } from 'mongodb';
import { parseObjectIds } from '../object-id.js';
import type { Scope } from '../scope.js';
import type { Leaf, Predicate } from './predicate.js';
import { NIL, typeName } from './vector-filter.js';

/**
 * The clauses of `compound.filter` that hold a `$search` to the scope and the predicate. They do not score. A negated
 * leaf is a compound of its own with the owner as its positive side, because a compound of `mustNot` alone matches
 * nothing in Lucene. As in the vector filter, what cannot be said exactly becomes wider, never narrower.
 * https://www.mongodb.com/docs/atlas/atlas-search/compound/
 */
export function toTextFilter(scope: Scope, predicate: Predicate): Document[] {
  const clauses: Document[] = [ownerIs(scope)];
  if (scope.agents !== null) clauses.push(isIn('agent_ids', scope.agents));
  const compiled = compile(scope, predicate);
  if (compiled !== null) clauses.push(compiled);
  return clauses;
}

function ownerIs(scope: Scope): Document {
  return { equals: { path: 'owner', value: scope.owner } };
}

function compile(scope: Scope, predicate: Predicate): Document | null {
  if (predicate.kind === 'all') return null;
  if (predicate.kind === 'none') return { compound: { filter: [ownerIs(scope)], mustNot: [ownerIs(scope)] } };
  if (predicate.kind === 'leaf') {
    const { leaf, negated } = predicate;
    const clause = compileLeaf(leaf, negated);
    if (clause === null || !negated) return clause;
    return { compound: { filter: [ownerIs(scope)], mustNot: [clause] } };
  }
  const parts = predicate.of.map((part) => compile(scope, part));
  if (predicate.kind === 'or') {
    return parts.includes(null) ? null : { compound: { should: parts, minimumShouldMatch: 1 } };
  }
  const kept = parts.filter((part) => part !== null);
  return kept.length === 0 ? null : { compound: { filter: kept } };
}

/** null: left to re-validation. */
function compileLeaf(leaf: Leaf, negated: boolean): Document | null {
  switch (leaf.test) {
    case 'documents': {
      const ids = parseObjectIds(leaf.ids);
      return isIn('document_id', ids.length === 0 ? [NIL] : ids);
    }
    case 'agents':
      return isIn('agent_ids', leaf.ids);
    case 'exists':
      return { exists: { path: `metadata.${leaf.key}` } };
    case 'in': {
      // The key is mapped for its declared type only: what asks for another one is left to re-validation.
      const values = leaf.values.filter((value) => typeName(value) === leaf.type);
      if (values.length === 0 || (values.length < leaf.values.length && !negated)) return null;
      return isIn(`metadata.${leaf.key}`, values);
    }
    case 'range':
      return { range: { path: `metadata.${leaf.key}`, ...leaf.bounds } };
  }
}

function isIn(path: string, values: readonly unknown[]): Document {
  return values.length === 1 ? { equals: { path, value: values[0] } } : { in: { path, value: [...values] } };
}
