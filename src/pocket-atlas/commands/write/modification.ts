import { compareBytes, equals } from '../../bson/compare.js';
import { checkDocumentSize, encode } from '../../bson/encode.js';
import type { BsonValue, Doc } from '../../bson/values.js';
import { CommandError } from '../../errors.js';
import type { QueryVariables } from '../../query/query.js';
import { compileUpdate, upsertDocument } from '../../query/update.js';
import type { CollectionInfo, Transaction } from '../../storage/engine.js';
import { RunAgain } from '../context.js';
import { compileMatching, firstMatch, type MatchedRecord, type Matching } from '../read/matching.js';

/** One update of documents: what `update`, `findAndModify` and `bulkWrite` have in common. */
export interface Modification {
  readonly filter: Doc;
  readonly update: Doc | readonly Doc[];
  readonly arrayFilters: readonly Doc[] | undefined;
  readonly sort: Doc | undefined;
  readonly hint: BsonValue;
  readonly upsert: boolean;
  readonly multi: boolean;
  readonly variables: QueryVariables;
}

export interface Modified {
  readonly before: Doc | undefined;
  /** As stored now; undefined when nothing matched and nothing was inserted. */
  readonly after: Doc | undefined;
  readonly changed: boolean;
  readonly upsertedId: BsonValue;
}

const NOTHING: Modified = { before: undefined, after: undefined, changed: false, upsertedId: undefined };

/** Compiles it once; each `apply` may run again after a conflict. */
export function compileModification(modification: Modification): CompiledModification {
  return new CompiledModification(modification);
}

export class CompiledModification {
  readonly given: Modification;
  readonly #apply: ReturnType<typeof compileUpdate>;
  #races = 0;

  constructor(given: Modification) {
    this.given = given;
    this.#apply = compileUpdate(given.update as Doc | Doc[], {
      filter: given.filter,
      arrayFilters: given.arrayFilters,
      variables: given.variables,
      multi: given.multi,
    });
  }

  matching(collection: CollectionInfo): Matching {
    return compileMatching(collection, this.given);
  }

  /** Updates the first match, or inserts when there is none and it is an upsert. */
  applyToFirst(
    transaction: Transaction,
    collection: CollectionInfo | undefined,
    makeCollection: () => CollectionInfo,
    options: { readonly racesAllowed: boolean },
  ): Modified {
    const match =
      collection === undefined
        ? undefined
        : firstMatch(transaction, collection, this.matching(collection), this.given.sort);
    if (match !== undefined) return this.applyTo(transaction, collection!, match);
    if (!this.given.upsert) return NOTHING;
    return this.insert(transaction, collection ?? makeCollection(), options);
  }

  applyTo(transaction: Transaction, collection: CollectionInfo, match: MatchedRecord): Modified {
    const after = this.#apply(match.doc);
    const bytes = encode(after);
    const changed = compareBytes(bytes, match.bytes) !== 0;
    if (changed) {
      checkDocumentSize(bytes);
      transaction.replace(collection, match.recordId, bytes);
    }
    return { before: match.doc, after, changed, upsertedId: undefined };
  }

  insert(transaction: Transaction, collection: CollectionInfo, options: { readonly racesAllowed: boolean }): Modified {
    const { filter, update, arrayFilters, variables } = this.given;
    const after = upsertDocument(filter, update as Doc | Doc[], { filter, arrayFilters, variables });
    const bytes = encode(after);
    checkDocumentSize(bytes);
    try {
      transaction.insert(collection, bytes);
    } catch (error) {
      throw options.racesAllowed && this.#lostRace(error)
        ? new RunAgain('lost an upsert race', { cause: error })
        : error;
    }
    return { before: undefined, after, changed: true, upsertedId: after._id };
  }

  /**
   * Another upsert of the same key was faster: this one runs again and finds the other's document, when its filter is an
   * equality on exactly the unique key, as servers do (SERVER-37124).
   */
  #lostRace(error: unknown): boolean {
    if (!(error instanceof CommandError) || error.code !== 11000 || this.#races >= RACES_MAX) return false;
    const { keyPattern, keyValue } = error.fields as { keyPattern?: Doc; keyValue?: Doc };
    if (keyPattern === undefined || keyValue === undefined) return false;
    const equalities = equalitiesOf(this.given.filter);
    const paths = Object.keys(keyPattern);
    const exact =
      equalities.size === paths.length &&
      paths.every((path) => equalities.has(path) && equals(equalities.get(path), keyValue[path]));
    if (exact) this.#races += 1;
    return exact;
  }
}

const RACES_MAX = 10;

/** path → value of the equalities that a filter consists of. */
function equalitiesOf(filter: Doc): Map<string, BsonValue> {
  const found = new Map<string, BsonValue>();
  for (const [path, condition] of Object.entries(filter)) {
    if (path === '$and' && Array.isArray(condition)) {
      for (const part of condition) for (const [name, value] of equalitiesOf(part as Doc)) found.set(name, value);
    } else if (isOperators(condition)) {
      // Any other operator makes the filter more than equalities: such a path has no place in a unique key.
      const operators = Object.keys(condition);
      found.set(operators.length === 1 && operators[0] === '$eq' ? path : `$${path}`, condition.$eq);
    } else {
      found.set(path, condition);
    }
  }
  return found;
}

function isOperators(condition: BsonValue): condition is Doc {
  if (typeof condition !== 'object' || condition === null || Array.isArray(condition)) return false;
  const names = Object.keys(condition);
  return Object.getPrototypeOf(condition) === Object.prototype && names.length > 0 && names[0]!.startsWith('$');
}
