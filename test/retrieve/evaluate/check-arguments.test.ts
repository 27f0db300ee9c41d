import { expect, it } from 'vitest';
import { argumentsProblem } from '../../../scripts/evaluate/check-arguments.js';

const fine = { dataset: '.', configurations: ['TEXT', 'HYBRID@0.2:1+rerank'], provider: 'hash', queries: '20' };

it('lets a command line through that can be done', async () => {
  expect(await argumentsProblem(fine)).toBeNull();
  expect(await argumentsProblem({ ...fine, provider: undefined, queries: undefined })).toBeNull();
});

it.each([
  [{ queries: '0' }, '--queries'],
  [{ queries: 'many' }, '--queries'],
  [{ provider: 'foo' }, '--provider'],
  [{ configurations: ['TEXT', 'HYBRID@x:1'] }, 'HYBRID@x:1'],
  [{ configurations: ['TEXT', ''] }, 'Expected VECTOR'],
  [{ dataset: './nowhere' }, '--dataset'],
])('names what is wrong with %j before anything is ingested', async (wrong, named) => {
  expect(await argumentsProblem({ ...fine, ...wrong })).toContain(named);
});
