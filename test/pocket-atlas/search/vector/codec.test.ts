import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pseudoRandom } from '../../../../bench/vector-search/subject-vectors.js';
import { CodeMemory } from '../../../../src/pocket-atlas/search/vector/code-memory.js';
import { CodeStore } from '../../../../src/pocket-atlas/search/vector/code-store.js';
import { type Codec, createCodec } from '../../../../src/pocket-atlas/search/vector/codec.js';
import { SIMILARITIES, type Similarity } from '../../../../src/pocket-atlas/search/vector/definition.js';
import type { VectorValue } from '../../../../src/pocket-atlas/search/vector/vector-value.js';

/** Codes, kernel and bounds together, against sums in plain JavaScript. */
const memory = new CodeMemory();

function compare(codec: Codec, query: VectorValue['data'], vectors: readonly VectorValue['data'][]) {
  const store = new CodeStore(memory, codec.slotBytes);
  const encoded = vectors.map((vector) => codec.encode(vector));
  const addresses = Uint32Array.from(encoded, ({ code }) => store.put(code));
  const scalars = Float64Array.from(encoded.flatMap(({ scalars: numbers }) => [...numbers]));
  const prepared = codec.prepare(query);
  const sums = memory.compare(codec.comparison, addresses, prepared.bytes, codec.slotBytes);
  const estimates = new Float64Array(vectors.length);
  const errors = new Float64Array(vectors.length);
  prepared.estimate(sums, Uint32Array.from(vectors.keys()), scalars, estimates, errors);
  store.close();
  return { estimates, errors };
}

function trueSimilarity(similarity: Similarity, a: ArrayLike<number>, b: ArrayLike<number>): number {
  const pairs = Array.from(a, (value, i) => [value, b[i] as number] as const);
  const sum = (of: (x: number, y: number) => number) => pairs.reduce((total, [x, y]) => total + of(x, y), 0);
  if (similarity === 'euclidean') return -sum((x, y) => (x - y) ** 2);
  const dot = sum((x, y) => x * y);
  return similarity === 'dotProduct' ? dot : dot / Math.sqrt(sum((x) => x * x) * sum((_, y) => y * y));
}

const similarity = fc.constantFrom(...SIMILARITIES);
const isNotZero = (vector: ArrayLike<number>) => Array.from(vector).some((value) => value !== 0);
const element = fc.oneof(
  fc.double({ min: -1, max: 1, noNaN: true }),
  fc.double({ min: -1e6, max: 1e6, noNaN: true }),
  fc.constantFrom(0, 1, -1, 1e-8),
);

function sameLength<T>(make: (length: number) => fc.Arbitrary<T>, lengths: fc.Arbitrary<number>) {
  return lengths.chain((length) => fc.tuple(make(length), fc.array(make(length), { minLength: 1, maxLength: 9 })));
}

describe('codes', () => {
  it('of float32 vectors bound how near a vector can be', () => {
    const vector = (length: number) =>
      fc
        .array(element, { minLength: length, maxLength: length })
        .map((values) => Float32Array.from(values))
        .filter(isNotZero);
    fc.assert(
      fc.property(similarity, sameLength(vector, fc.integer({ min: 1, max: 70 })), (kind, [query, vectors]) => {
        const { estimates, errors } = compare(createCodec('float32', query.length, kind, 'none'), query, vectors);
        for (const [i, one] of vectors.entries()) {
          const distance = Math.abs(estimates[i]! - trueSimilarity(kind, query, one));
          expect(distance).toBeLessThanOrEqual(errors[i]!);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('of float32 vectors are near enough to be of use', () => {
    const random = pseudoRandom(1);
    const [query, ...vectors] = Array.from({ length: 50 }, () =>
      Float32Array.from({ length: 512 }, () => random() - 0.5),
    );
    const { errors } = compare(createCodec('float32', 512, 'cosine', 'none'), query!, vectors);
    expect(Math.max(...errors)).toBeLessThan(0.01);
  });

  it('of int8 vectors say it exactly', () => {
    const vector = (length: number) => fc.int8Array({ minLength: length, maxLength: length }).filter(isNotZero);
    fc.assert(
      fc.property(similarity, sameLength(vector, fc.integer({ min: 1, max: 70 })), (kind, [query, vectors]) => {
        const { estimates } = compare(createCodec('int8', query.length, kind, 'none'), query, vectors);
        for (const [i, one] of vectors.entries())
          expect(estimates[i]).toBeCloseTo(trueSimilarity(kind, query, one), 10);
      }),
      { numRuns: 200 },
    );
  });

  it('of the longest vectors do not overflow', () => {
    const int8 = new Int8Array(8192).fill(-128);
    expect(compare(createCodec('int8', 8192, 'dotProduct', 'none'), int8, [int8]).estimates[0]).toBe(8192 * 128 * 128);
    const float = new Float32Array(8192).fill(1);
    const { estimates, errors } = compare(createCodec('float32', 8192, 'dotProduct', 'none'), float, [float]);
    expect(Math.abs(estimates[0]! - 8192)).toBeLessThanOrEqual(errors[0]!);
  });

  it('of bits, and of the signs of floats, count those that differ', () => {
    const vector = (bytes: number) => fc.uint8Array({ minLength: bytes, maxLength: bytes });
    fc.assert(
      fc.property(sameLength(vector, fc.integer({ min: 1, max: 40 })), ([query, vectors]) => {
        const bits = (bytes: Uint8Array) => [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
        const signs = (bytes: Uint8Array) => Float32Array.from(bits(bytes), (bit) => (bit === '1' ? 0.5 : -0.5));
        const packed = compare(createCodec('packedBit', query.length * 8, 'euclidean', 'none'), query, vectors);
        const binary = createCodec('float32', query.length * 8, 'cosine', 'binary');
        const quantized = compare(binary, signs(query), vectors.map(signs));
        for (const [i, one] of vectors.entries()) {
          const differing = [...bits(query)].filter((bit, position) => bit !== bits(one)[position]).length;
          expect(packed.estimates[i]).toBe(-differing);
          expect(quantized.estimates[i]).toBe(-differing);
        }
      }),
      { numRuns: 200 },
    );
  });
});
