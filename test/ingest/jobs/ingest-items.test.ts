import { expect, test } from 'vitest';
import type { UpsertInput } from '../../../src/ingest/ingest.js';
import { ingestItem } from '../../../src/ingest/jobs/ingest-items.js';
import { makeScope } from '../../../src/store/scope.js';
import { SPACE } from '../transfer/exported.js';

const given = { title: 't', text: 'A text.', dryRun: false, waitUntil: 'STORED' } as const;
const refusedFor = (input: Partial<UpsertInput>) =>
  ingestItem(makeScope('ada', null), SPACE, { ...given, ...input }).refused;

test('what is wrong with an item is said with the field, where that lies within another one', () => {
  const chunking = { strategy: 'TOKEN', maxTokens: -3, contextual: false } as const;
  expect(refusedFor({ chunking })).toEqual({
    code: 'INVALID',
    message: expect.stringMatching(/^chunking\.maxTokens: Expected a whole number .*got -3$/),
  });
  expect(refusedFor({ title: ' ' })).toEqual({ code: 'INVALID', message: 'The title is blank' });
  expect(refusedFor({})).toBeUndefined();
});
