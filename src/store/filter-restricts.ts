import { Refusal } from '../errors.js';
import type { DocumentFilter, MetadataCondition } from './filter.js';

/**
 * Refuses a filter that must not delete: one without a condition outside `not`, or with a part that restricts nothing
 * although it looks as if it did, such as `or: [{ids: […]}, {and: []}]`. Throws `Refusal` INVALID.
 */
export function requireDeletingFilter(filter: DocumentFilter): void {
  if (!holdsCondition(filter) || !restricts(filter))
    throw new Refusal(
      'INVALID',
      'A filter that deletes must hold a condition outside `not`, and every branch of `or` must hold one; to delete all that an owner has, call eraseOwner',
      ['input', 'filter'],
    );
}

/** A condition outside `not`, anywhere. */
function holdsCondition(filter: DocumentFilter): boolean {
  return hasFieldCondition(filter) || (filter.and ?? []).some(holdsCondition) || (filter.or ?? []).some(holdsCondition);
}

/** The filter can exclude something. An `or` does when each of its branches does; `or: []` matches nothing at all. */
function restricts(filter: DocumentFilter): boolean {
  return (
    hasFieldCondition(filter) ||
    (filter.and ?? []).some(restricts) ||
    (filter.or?.every(restricts) ?? false) ||
    filter.not !== undefined
  );
}

function hasFieldCondition(filter: DocumentFilter): boolean {
  return (
    filter.ids !== undefined ||
    filter.titles !== undefined ||
    filter.agentIds !== undefined ||
    filter.statuses !== undefined ||
    filter.hasLastError !== undefined ||
    (filter.metadata ?? []).some(restrictsKey)
  );
}

/** `nin: []` alone excludes nothing. */
function restrictsKey({ key: _key, nin, ...others }: MetadataCondition): boolean {
  return Object.keys(others).length > 0 || (nin !== undefined && nin.length > 0);
}
