import type { GraphQLResolveInfo } from 'graphql';
import { expect, test } from 'vitest';
import type { RequestContext } from '../../../src/graphql/context.js';
import { resolvers } from '../../../src/graphql/resolvers/index.js';
import type { ItemProgress } from '../../../src/store/jobs/job-records.js';

const PHASES: Readonly<Record<ItemProgress['phase'], string>> = {
  extracting: 'EXTRACTING',
  chunking: 'CHUNKING',
  embedding: 'EMBEDDING',
  storing: 'STORING',
  indexing: 'INDEXING',
};

test.each(Object.entries(PHASES))('a phase is answered as the schema names it: %s', (phase, name) => {
  const resolve = resolvers.JobProgress?.phase;
  if (typeof resolve !== 'function') throw new TypeError('The phase has no resolver');
  const source = { item: 'a', phase: phase as ItemProgress['phase'], done: 0, total: 1, at: new Date(0) };
  expect(resolve(source, {}, {} as RequestContext, {} as GraphQLResolveInfo)).toBe(name);
});
