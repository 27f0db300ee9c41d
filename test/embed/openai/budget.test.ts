import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createOpenaiEmbedder } from '../../../src/embed/openai/openai.js';
import { createRateBudget } from '../../../src/embed/rate-budget.js';
import type { Clock } from '../../../src/embed/retry.js';
import { type FakeOpenai, startFakeOpenai } from '../../support/fake-openai.js';

let fake: FakeOpenai;
beforeAll(async () => {
  fake = await startFakeOpenai();
});
afterAll(() => fake.close());
beforeEach(() => {
  fake.requests.length = 0;
  fake.answerWith('ok');
});

/** Sleeps take no time and are remembered. */
function fakeClock(): Clock & { waited: number } {
  const clock = {
    waited: 0,
    now: () => clock.waited,
    async sleep(ms: number, signal: AbortSignal) {
      signal.throwIfAborted();
      clock.waited += ms;
    },
    random: () => 1,
  };
  return clock;
}

const embedderWith = (limits: { requests?: number; tokens?: number }) => {
  const clock = fakeClock();
  const budget = createRateBudget(
    { requestsPerMinute: limits.requests ?? null, tokensPerMinute: limits.tokens ?? null },
    clock,
  );
  return {
    clock,
    embedder: createOpenaiEmbedder({ apiKey: 'sk-x', baseUrl: fake.baseUrl, dimensions: 8, clock, budget }),
  };
};
const texts = (count: number) => Array.from({ length: count }, (_, at) => `text number ${at} of the pile`);

test('requests wait for their minute', async () => {
  const { clock, embedder } = embedderWith({ requests: 2 });
  await embedder.embed(texts(128), { kind: 'document' });
  expect(fake.requests).toHaveLength(4);
  // one of two is left to queries
  expect(clock.waited).toBe(180_000);
});

test('a batch is never larger than what a minute allows', async () => {
  const { clock, embedder } = embedderWith({ tokens: 200 });
  const all = texts(90);
  const total = all.reduce((sum, text) => sum + embedder.countTokens(text), 0);
  const vectors = await embedder.embed(all, { kind: 'document' });
  expect(vectors.every((vector) => vector?.length === 8)).toBe(true);
  const sizes = fake.requests.map(({ inputs }) => inputs.reduce((sum, text) => sum + embedder.countTokens(text), 0));
  expect(Math.max(...sizes)).toBeLessThanOrEqual(180);
  expect(sizes.reduce((sum, size) => sum + size)).toBe(total);
  expect(clock.waited).toBe((fake.requests.length - 1) * 60_000);
});

test('an attempt that the provider refused counts too', async () => {
  const { clock, embedder } = embedderWith({ requests: 1 });
  fake.answerWith('broken', 'ok');
  await embedder.embed(['text'], { kind: 'document' });
  // half a second of back-off is part of the minute
  expect(clock.waited).toBe(60_000);
});

test('a query says at once that its budget is used up', async () => {
  const { embedder } = embedderWith({ requests: 1 });
  await embedder.embed(['text'], { kind: 'query' });
  await expect(embedder.embed(['another'], { kind: 'query' })).rejects.toMatchObject({
    code: 'PROVIDER_UNAVAILABLE',
    details: { reason: 'RATE_LIMITED', retryAfterSeconds: 60 },
  });
  expect(fake.requests).toHaveLength(1);
});
