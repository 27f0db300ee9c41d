import { expect, test } from 'vitest';
import type { SpaceRecord } from '../../src/store/records.js';
import { checkInitialSpace, checkSpaceSettings, type SpaceSettings } from '../../src/store/space-choice.js';

const space = (id: string, model: string, state: SpaceRecord['state']): SpaceRecord => ({
  id,
  provider: 'openai',
  model,
  dimensions: 1536,
  similarity: 'cosine',
  maxInputTokens: 8191,
  languages: null,
  state,
  weights: null,
});
const stored = [space('s1', 'small', 'ACTIVE'), space('s2', 'large', 'BUILDING')];
const check = (explicit: SpaceSettings['explicit']): void =>
  checkSpaceSettings(stored, { initial: space('s9', 'bundled', 'ACTIVE'), explicit });

test('unset settings never mismatch, whatever the default would have been', () => {
  expect(() => check({})).not.toThrow();
});

test('explicit settings that name any stored space are fine', () => {
  expect(() => check({ provider: 'openai' })).not.toThrow();
  expect(() => check({ model: 'large' })).not.toThrow();
  expect(() => check({ provider: 'openai', model: 'small', dimensions: 1536 })).not.toThrow();
});

test.each([
  [{ provider: 'hash' }],
  [{ model: 'other' }],
  [{ dimensions: 256 }],
  [{ provider: 'openai', model: 'large', dimensions: 3072 }],
])('%j is a mismatch that names both sides and the way out', (explicit) => {
  expect(() => check(explicit)).toThrow(expect.objectContaining({ code: 'EMBEDDING_SPACE_MISMATCH' }));
  expect(() => check(explicit)).toThrow(
    /openai\/small \(1536 dimensions\).*\nmutation \{ reembed\(input: \{provider: "/,
  );
});

test('a provider without a model is named with its default one, so that the call can be pasted', () => {
  expect(() => check({ provider: 'hash' })).toThrow(/reembed\(input: \{provider: "hash", model: "bundled"\}\)/);
});

test('a model without a provider is named with the one that the settings come to', () => {
  const initial = { ...space('s9', 'x', 'ACTIVE'), provider: 'hash' as const };
  expect(() => checkSpaceSettings(stored, { initial, explicit: { model: 'x' } })).toThrow(
    /reembed\(input: \{provider: "hash", model: "x"\}\)/,
  );
});

test('an empty database takes any settings that its provider has', () => {
  const initial = space('s1', 'x', 'ACTIVE');
  expect(() => checkSpaceSettings([], { initial, explicit: { model: 'x' } })).not.toThrow();
  expect(() => checkInitialSpace({ initial, explicit: { model: 'x', dimensions: 1536 } })).not.toThrow();
  for (const explicit of [{ model: 'y' }, { dimensions: 3 }])
    expect(() => checkInitialSpace({ initial, explicit })).toThrow(
      /^EMBEDDING_(MODEL|DIMENSIONS): expected (x|1536), which is what the provider openai has, got (y|3)$/,
    );
});
