import type { Doc } from '../../bson/values.js';
import { fieldValues, valuesAt } from '../filter/field-values.js';
import { createPacer } from '../pace.js';
import type { SearchIndexInstance, SearchIndexKind, SearchOutcome } from '../search-index.js';
import {
  isSameVectorDefinition,
  normaliseVectorDefinition,
  readVectorDefinition,
  type VectorField,
  type VectorIndexDefinition,
} from './definition.js';
import { createFlatLane } from './flat-lane.js';
import type { Lane } from './lane.js';
import { checkAgainst } from './vector-checks.js';
import { checkVectorStage, parseVectorQuery, type VectorQuery } from './vector-query.js';
import { isZero, type VectorKind, type VectorValue, vectorOf } from './vector-value.js';

/** Indexes of type `vectorSearch`, and the stage `$vectorSearch` that asks them. */
export function createVectorIndexKind(): SearchIndexKind {
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
    open: async ({ definition }) => new VectorIndex(readVectorDefinition(definition)),
    discard: async () => {},
  };
}

/** One lane per vector path and kind; a document has a row in each lane that its vectors belong to. */
class VectorIndex implements SearchIndexInstance {
  checkpoint = 0;
  readonly #definition: VectorIndexDefinition;
  readonly #filterPaths: readonly (readonly string[])[];
  readonly #lanes = new Map<string, Lane>();

  constructor(definition: VectorIndexDefinition) {
    this.#definition = definition;
    this.#filterPaths = definition.filterPaths.map((path) => path.split('.'));
  }

  get rowCount(): number {
    return Math.max(0, ...[...this.#lanes.values()].map((lane) => lane.rowCount));
  }

  async apply(changes: readonly { readonly recordId: number; readonly doc: Doc | undefined }[]): Promise<void> {
    const pacer = createPacer();
    for (const { recordId, doc } of changes) {
      for (const lane of this.#lanes.values()) lane.remove(recordId);
      if (doc !== undefined) this.#put(recordId, doc);
      await pacer.pause();
    }
  }

  #put(recordId: number, doc: Doc): void {
    for (const field of this.#definition.vectors) {
      const vector = indexableVector(field, doc);
      if (vector === undefined) continue;
      const values = this.#filterPaths.map((path) => fieldValues(doc, path));
      this.#lane(field, vector.kind).put(recordId, vector, values);
    }
  }

  #lane(field: VectorField, kind: VectorKind): Lane {
    const name = laneName(field, kind);
    const lane = this.#lanes.get(name) ?? createFlatLane(field.similarity, this.#definition.filterPaths);
    this.#lanes.set(name, lane);
    return lane;
  }

  async search(query: VectorQuery, checkInterrupted: () => void): Promise<SearchOutcome> {
    const { field, vector } = checkAgainst(query, this.#definition);
    const lane = this.#lanes.get(laneName(field, vector.kind));
    const hits = await lane?.search({
      vector,
      limit: query.limit,
      numCandidates: query.numCandidates,
      filter: { op: 'and', nodes: [query.filter, query.parentFilter] },
      checkInterrupted,
    });
    return {
      hits: hits ?? [],
      metaOf: ({ score }) => ({ score, vectorSearchScore: score }),
    };
  }

  async persist(): Promise<void> {}

  async close(): Promise<void> {}
}

function laneName(field: VectorField, kind: VectorKind): string {
  return `${kind}:${field.path}`;
}

/**
 * The first vector under the path, when the index can hold it. A first one that cannot be held is not replaced by a later
 * one, and nobody is told (ATLAS.md §1.8).
 */
function indexableVector(field: VectorField, doc: Doc): VectorValue | undefined {
  const vector = valuesAt(doc, field.path.split('.'))
    .map(vectorOf)
    .find((candidate) => candidate !== undefined);
  if (vector === undefined || vector.dimensions !== field.numDimensions) return undefined;
  if (vector.kind === 'packedBit') {
    return field.similarity === 'euclidean' && field.quantization === 'none' ? vector : undefined;
  }
  if (vector.kind === 'int8' && field.quantization !== 'none') return undefined;
  return field.similarity === 'cosine' && isZero(vector) ? undefined : vector;
}
