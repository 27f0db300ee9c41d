import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMatrixKernel, hasFusedMultiplyAdd, sharedMemory } from '../../../src/embed/bundled/matrix-kernel.js';
import { packPanels } from '../../../src/embed/bundled/weights.js';

test('each supported Node has the fused multiply-add', () => expect(hasFusedMultiplyAdd()).toBe(true));

test.each([
  ['fused', true],
  ['separate', false],
])('multiplies as three loops do, for every shape and remainder of rows: %s multiply and add', (_, isFused) => {
  const memory = sharedMemory(4);
  const floats = new Float32Array(memory.buffer);
  const { product } = createMatrixKernel(memory, { isFused });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 13 }),
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 6 }),
      fc.boolean(),
      fc.integer(),
      (rows, panels, fours, relu, seed) => {
        const [m, n, k] = [rows, panels * 8, fours * 4];
        let state = seed;
        const numbers = (count: number) =>
          Float32Array.from({ length: count }, () => {
            state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
            return state / 2 ** 31;
          });
        const a = numbers(m * k);
        const b = numbers(k * n);
        const bias = numbers(n);
        const [aAt, bAt, biasAt, cAt] = [16, 16 + m * k, 16 + m * k + k * n, 16 + m * k + k * n + n];
        floats.set(a, aAt);
        packPanels(b, 0, n, 1, floats, bAt, k, n);
        floats.set(bias, biasAt);
        floats[cAt + m * n] = 42;
        product(aAt * 4, k, bAt * 4, biasAt * 4, cAt * 4, n, m, n, k, relu ? 1 : 0);
        for (let row = 0; row < m; row++) {
          for (let column = 0; column < n; column++) {
            let expected = bias[column]!;
            for (let at = 0; at < k; at++) expected += a[row * k + at]! * b[at * n + column]!;
            expect(floats[cAt + row * n + column]).toBeCloseTo(relu ? Math.max(0, expected) : expected, 4);
          }
        }
        expect(floats[cAt + m * n], 'nothing is written past the end').toBe(42);
      },
    ),
  );
});
