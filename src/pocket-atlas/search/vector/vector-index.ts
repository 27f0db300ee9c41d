import type { SearchIndexKind } from '../search-index.js';
import { type CodeMemory, codeMemory } from './code-memory.js';
import { isSameVectorDefinition, normaliseVectorDefinition, readVectorDefinition } from './definition.js';
import type { LaneLimits } from './lane-limits.js';
import { discardVectorIndex, VectorIndex } from './vector-index-instance.js';
import { checkVectorStage, parseVectorQuery } from './vector-query.js';

/** Indexes of type `vectorSearch`, and the stage `$vectorSearch` that asks them. */
export function createVectorIndexKind({
  memory = codeMemory(),
  limits,
}: {
  memory?: CodeMemory;
  limits?: LaneLimits;
} = {}): SearchIndexKind {
  return {
    type: 'vectorSearch',
    validate: (_name, definition) => normaliseVectorDefinition(definition),
    isEquivalent: isSameVectorDefinition,
    stages: {
      $vectorSearch(spec) {
        const checked = checkVectorStage(spec);
        return {
          parse() {
            const query = parseVectorQuery(checked);
            return {
              index: query.index,
              whenMissing: { documents: [] },
              run: (instance, context) => (instance as VectorIndex).search(query, () => context.checkInterrupted()),
            };
          },
        };
      },
    },
    open: ({ engine, buildId, definition, onLost }) =>
      VectorIndex.open({
        engine,
        buildId,
        memory,
        definition: readVectorDefinition(definition),
        onLost,
        ...(limits && { limits }),
      }),
    discard: ({ engine, buildId }) => discardVectorIndex(engine, buildId),
  };
}
