import type { BsonValue, Doc } from '../bson/values.js';
import { CommandError } from '../errors.js';
import { SearchFailure } from './search-failure.js';
import { isDocument, readSpec } from './spec-reader.js';

/** The bodies of the search index commands (ATLAS.md §2.2). Source: MongoDB manual, "createSearchIndexes" and its siblings. */
export interface Namespace {
  readonly db: string;
  readonly collection: string;
}

export interface Selector {
  readonly name?: string;
  readonly id?: string;
}

export interface WantedIndex {
  readonly name: string;
  readonly type: 'search' | 'vectorSearch';
  readonly definition: Doc;
}

const TYPES = ['search', 'vectorSearch'] as const;

export function parseCreate(command: Doc): WantedIndex[] {
  return asParseErrors(() => {
    const spec = readSpec(command);
    const indexes = spec.optionalArray('indexes') ?? spec.fail('indexes', 'is required');
    if (indexes.length === 0) spec.fail('indexes', 'cannot be empty');
    return indexes.map((value, position) => parseWanted(value, `indexes[${position}]`));
  });
}

export function parseUpdate(command: Doc): {
  selector: Selector;
  type: WantedIndex['type'] | undefined;
  definition: Doc;
} {
  return asParseErrors(() => {
    const spec = readSpec(command);
    return {
      selector: parseSelector(command),
      type: spec.optionalOneOf('type', TYPES),
      definition: spec.optionalDocument('definition')?.doc ?? spec.fail('definition', 'is required'),
    };
  });
}

export function parseDrop(command: Doc): Selector {
  return asParseErrors(() => parseSelector(command));
}

function parseWanted(value: BsonValue, path: string): WantedIndex {
  if (!isDocument(value)) throw new SearchFailure(`"${path}" must be a document`);
  const spec = readSpec(value, path);
  spec.only('name', 'type', 'definition');
  const name = spec.optionalString('name') ?? 'default';
  if (name === '') spec.fail('name', 'cannot be empty');
  const type = spec.optionalOneOf('type', TYPES) ?? 'search';
  const definition = spec.optionalDocument('definition')?.doc ?? spec.fail('definition', 'is required');
  return { name, type, definition };
}

function parseSelector(command: Doc): Selector {
  const spec = readSpec(command);
  const name = spec.optionalString('name');
  const id = spec.optionalString('id');
  if (name === undefined && id === undefined) throw new SearchFailure('one of [id, name] must be present');
  if (name !== undefined && id !== undefined) throw new SearchFailure('only one of [id, name] may be present');
  return name === undefined ? { id: id as string } : { name };
}

function asParseErrors<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof SearchFailure)) throw error;
    throw new CommandError(9, error.message, { cause: error });
  }
}
