import { Long } from 'bson';
import { typeName } from '../../bson/type.js';
import type { BsonValue, Doc } from '../../bson/values.js';
import { CommandError } from '../../errors.js';
import type { SearchIndexKind, SearchStage } from '../search-index.js';
import { isDocument } from '../spec-reader.js';
import {
  type AutocompleteMapping,
  DEFAULT_ANALYZER,
  isSameTextDefinition,
  normaliseTextDefinition,
} from './definition.js';
import type { QueryContext } from './query/paths.js';
import { indexOfStage, parseSearchStage } from './query/search-stage.js';
import { SegmentStore } from './segment-store.js';
import { TextIndex } from './text-index.js';

/** Indexes of type `search`, and the stages `$search` and `$searchMeta` that ask them. */
export function createTextIndexKind(): SearchIndexKind {
  return {
    type: 'search',
    validate: (_name, definition) => normaliseTextDefinition(definition),
    isEquivalent: isSameTextDefinition,
    stages: { $search: searchStage, $searchMeta: searchMetaStage },
    open: ({ engine, buildId, definition }) => TextIndex.open(definition, new SegmentStore(engine, buildId)),
    discard: ({ engine, buildId }) => new SegmentStore(engine, buildId).clear(),
  };
}

const searchStage: SearchStage = (value) => {
  const spec = stageDocument('$search', value);
  return {
    parse: () => ({
      index: parsedIndex(spec),
      whenMissing: { documents: [] },
      run: async (instance, context) =>
        (await (instance as TextIndex).search(spec, () => context.checkInterrupted())).outcome,
    }),
  };
};

const searchMetaStage: SearchStage = (value) => {
  const spec = stageDocument('$searchMeta', value);
  return {
    parse: () => ({
      index: parsedIndex(spec),
      whenMissing: { documents: [{ count: { lowerBound: Long.ZERO } }] },
      run: async (instance, context) => {
        const { outcome, meta } = await (instance as TextIndex).search(spec, () => context.checkInterrupted());
        outcome.done();
        return { documents: [meta] };
      },
    }),
  };
};

/** The shape is checked although no index may have the name: Atlas parses before it looks for one (ATLAS.md §1.1). */
function parsedIndex(spec: Doc): string {
  parseSearchStage(spec, SYNTAX_ONLY);
  return indexOfStage(spec);
}

const ANY_AUTOCOMPLETE: AutocompleteMapping = {
  type: 'autocomplete',
  analyzer: DEFAULT_ANALYZER,
  minGrams: 2,
  maxGrams: 15,
  foldDiacritics: true,
  tokenization: 'edgeGram',
};

const SYNTAX_ONLY: QueryContext = {
  mapping: {
    addDocument: () => {},
    string: () => undefined,
    autocomplete: () => ANY_AUTOCOMPLETE,
    token: () => undefined,
  },
  indexedPaths: () => [],
};

function stageDocument(stage: string, value: BsonValue): Doc {
  if (isDocument(value)) return value;
  throw new CommandError(9, `${stage} value must be an object. Found: ${typeName(value)}`);
}
