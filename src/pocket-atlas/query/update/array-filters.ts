import type { BsonValue, Doc } from '../../bson/values.js';
import { badValue, failedToParse } from '../errors.js';
import { compileFilter } from '../filter.js';
import { isDocument } from '../path.js';
import type { QueryVariables } from '../query.js';
import type { ElementFilters } from './node.js';

/** A field that stands for the element itself while its filter is tried. */
type Wrapped = Doc;

/**
 * Compiles `arrayFilters`: each is about one identifier, which begins all its paths (`{ "x.a": 1 }`, also inside
 * `$and` and `$or`).
 */
export function compileArrayFilters(filters: readonly Doc[], variables: QueryVariables): ElementFilters {
  const compiled = new Map<string, (element: BsonValue) => boolean>();
  for (const filter of filters) {
    const identifiers = new Set(identifiersOf(filter));
    const [identifier] = identifiers;
    if (identifier === undefined) {
      throw failedToParse('Cannot use an expression without a top-level field name in arrayFilters');
    }
    if (identifiers.size > 1) {
      const [first, second] = identifiers;
      throw failedToParse(
        `Error parsing array filter :: caused by :: Expected a single top-level field name, found '${first}' and '${second}'`,
      );
    }
    if (!/^[a-z][a-zA-Z0-9]*$/.test(identifier)) {
      throw badValue(
        `Error parsing array filter :: caused by :: The top-level field name must be an alphanumeric string beginning with a lowercase letter, found '${identifier}'`,
      );
    }
    if (compiled.has(identifier)) {
      throw failedToParse(`Found multiple array filters with the same top-level field name ${identifier}`);
    }
    const matches = compileFilter(filter, variables);
    compiled.set(identifier, (element) => {
      const wrapped: Wrapped = { [identifier]: element };
      return matches(wrapped);
    });
  }
  return compiled;
}

function identifiersOf(filter: Doc): string[] {
  return Object.entries(filter).flatMap(([key, value]) => {
    if (!key.startsWith('$')) return [key.split('.')[0]!];
    return Array.isArray(value) ? value.flatMap((clause) => (isDocument(clause) ? identifiersOf(clause) : [])) : [];
  });
}
