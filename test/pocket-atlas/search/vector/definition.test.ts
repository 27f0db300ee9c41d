import { describe, expect, it } from 'vitest';
import type { Doc } from '../../../../src/pocket-atlas/bson/values.js';
import {
  isSameVectorDefinition,
  normaliseVectorDefinition,
} from '../../../../src/pocket-atlas/search/vector/definition.js';

const vector = { type: 'vector', path: 'v', numDimensions: 8, similarity: 'cosine' };
const filter = { type: 'filter', path: 'owner' };

describe('a vectorSearch definition', () => {
  it.each<[Doc, string]>([
    [{}, '"definition.fields" is required'],
    [{ fields: {} }, '"definition.fields" must be an array'],
    [{ fields: [] }, '"definition.fields" cannot be empty'],
    [{ fields: [1] }, '"definition.fields[0]" must be a document'],
    [{ fields: [filter] }, '"definition.fields" must contain at least one vector field'],
    [{ fields: [vector], mappings: {} }, '"definition" unrecognized field "mappings"'],
    [{ fields: [vector], a: 1, b: 1 }, '"definition" unrecognized fields ["a", "b"]'],
    [
      { fields: [{ ...vector, type: 'knn' }] },
      '"definition.fields[0].type" must be one of [vector, filter, autoEmbed, text]',
    ],
    [{ fields: [{ path: 'v' }] }, '"definition.fields[0].type" is required'],
    [{ fields: [vector, { type: 'filter' }] }, '"definition.fields[1].path" is required'],
    [
      { fields: [{ ...vector, numDimensions: 0 }] },
      '"definition.fields[0].numDimensions" must be within bounds [1..8192]',
    ],
    [
      { fields: [{ ...vector, numDimensions: 8193 }] },
      '"definition.fields[0].numDimensions" must be within bounds [1..8192]',
    ],
    [{ fields: [{ ...vector, numDimensions: 1.5 }] }, '"definition.fields[0].numDimensions" must be an integer'],
    [{ fields: [{ ...vector, numDimensions: '8' }] }, '"definition.fields[0].numDimensions" must be a number'],
    [
      { fields: [{ ...vector, similarity: 'cos' }] },
      '"definition.fields[0].similarity" must be one of [euclidean, cosine, dotProduct]',
    ],
    [
      { fields: [{ ...vector, quantization: 'int4' }] },
      '"definition.fields[0].quantization" must be one of [none, scalar, binary]',
    ],
    [
      { fields: [{ ...vector, numDimensions: 9, quantization: 'binary' }] },
      'numDimensions 9 must be a multiple of 8 for binary quantization',
    ],
    [
      { fields: [{ ...vector, indexingMethod: 'flat', hnswOptions: {} }] },
      'hnswOptions is only supported with "indexingMethod: hnsw".',
    ],
    [
      { fields: [{ ...vector, hnswOptions: { maxEdges: 15 } }] },
      '"definition.fields[0].hnswOptions.maxEdges" must be within bounds [16..64]',
    ],
    [
      { fields: [{ ...vector, hnswOptions: { numEdgeCandidates: 99 } }] },
      '"definition.fields[0].hnswOptions.numEdgeCandidates" must be within bounds [100..3200]',
    ],
    [{ fields: [vector, { ...filter, path: 'v' }] }, 'Vector and filter fields should have distinct paths'],
    [{ fields: [vector], numPartitions: 3 }, '"definition.numPartitions" must be one of [1, 2, 4, 8, 16, 32, 64]'],
    [{ fields: [vector], storedSource: true }, 'storedSource true not allowed for vector indexes'],
    [{ fields: [vector], storedSource: { include: ['a'] } }, 'storedSource is not supported by this server'],
    [
      { fields: [vector], nestedRoot: 'sections' },
      'nestedRoot "sections" does not match any vector field path in the index definition',
    ],
    [
      { fields: [{ ...vector, path: 'sections.v' }], nestedRoot: 'sections' },
      'nestedRoot is not supported by this server',
    ],
    [
      { fields: [{ type: 'autoEmbed', path: 't', modality: 'text', model: 'voyage-4' }] },
      'is not supported by this server',
    ],
  ])('%j is refused', (definition, message) => {
    expect(() => normaliseVectorDefinition(definition)).toThrow(message);
  });

  it('keeps what was given, in its order', () => {
    const definition = {
      fields: [filter, { ...vector, quantization: 'scalar' }],
      numPartitions: 2,
      storedSource: false,
    };
    expect(normaliseVectorDefinition(definition)).toEqual({
      fields: [filter, { ...vector, quantization: 'scalar' }],
      numPartitions: 2,
    });
  });

  it.each<[boolean, Doc, Doc]>([
    [true, { fields: [vector, filter] }, { fields: [filter, vector] }],
    [
      true,
      { fields: [vector] },
      { fields: [{ ...vector, quantization: 'none', indexingMethod: 'hnsw' }], numPartitions: 1 },
    ],
    [false, { fields: [vector] }, { fields: [vector, filter] }],
    [false, { fields: [vector] }, { fields: [{ ...vector, similarity: 'euclidean' }] }],
    [false, { fields: [vector] }, { fields: [vector], numPartitions: 2 }],
  ])('is the same as another: %s', (same, a, b) => {
    expect(isSameVectorDefinition(normaliseVectorDefinition(a), normaliseVectorDefinition(b))).toBe(same);
  });
});
