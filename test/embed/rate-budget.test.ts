import { setMaxListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { createRateBudget, type RateLimits, UNLIMITED } from '../../src/embed/rate-budget.js';
import type { Clock } from '../../src/embed/retry.js';

/** Time moves when somebody sleeps: to the end of the shortest sleep. */
function fakeClock(): Clock & { sleeping: number } {
  let now = 0;
  const sleepers: { until: number; wake: () => void }[] = [];
  const clock = {
    sleeping: 0,
    now: () => now,
    async sleep(ms: number, signal: AbortSignal) {
      signal.throwIfAborted();
      clock.sleeping++;
      await new Promise<void>((wake, reject) => {
        sleepers.push({ until: now + ms, wake });
        signal.addEventListener('abort', () => reject(signal.reason));
        setImmediate(() => {
          const [next] = sleepers.sort((a, b) => a.until - b.until).splice(0, 1);
          if (next === undefined) return;
          now = Math.max(now, next.until);
          next.wake();
        });
      });
      clock.sleeping--;
    },
    random: () => 0.5,
  };
  return clock;
}

const { signal } = new AbortController();
setMaxListeners(0, signal);
const DOCUMENT = { kind: 'document', signal, deadline: null } as const;
const QUERY = { kind: 'query', signal, deadline: null } as const;

/** The most that was sent in any minute. */
function busiestMinute(sent: readonly { at: number; tokens: number }[]): { requests: number; tokens: number } {
  const minutes = sent.map(({ at }) => sent.filter((other) => other.at >= at && other.at < at + 60_000));
  return {
    requests: Math.max(...minutes.map((minute) => minute.length)),
    tokens: Math.max(...minutes.map((minute) => minute.reduce((sum, { tokens }) => sum + tokens, 0))),
  };
}

describe('a budget per minute', () => {
  test.each<RateLimits>([
    { requestsPerMinute: 10, tokensPerMinute: null },
    { requestsPerMinute: null, tokensPerMinute: 1_000 },
    { requestsPerMinute: 10, tokensPerMinute: 1_000 },
    { requestsPerMinute: 1, tokensPerMinute: null },
  ])('%j is not passed in any minute, and is used', async (limits) => {
    const clock = fakeClock();
    const budget = createRateBudget(limits, clock);
    const sent: { at: number; tokens: number }[] = [];
    const costs = Array.from({ length: 60 }, (_, at) => 20 + ((at * 37) % 160));
    await Promise.all(
      costs.map(async (tokens, at) => {
        await budget.take(tokens, at % 7 === 0 ? QUERY : DOCUMENT);
        sent.push({ at: clock.now(), tokens });
      }),
    );
    const most = busiestMinute(sent);
    expect(sent).toHaveLength(60);
    expect(most.requests).toBeLessThanOrEqual(limits.requestsPerMinute ?? Infinity);
    expect(most.tokens).toBeLessThanOrEqual(limits.tokensPerMinute ?? Infinity);
    const minutes = Math.max(
      60 / (limits.requestsPerMinute ?? Infinity),
      costs.reduce((sum, cost) => sum + cost) / (limits.tokensPerMinute ?? Infinity),
    );
    // a tenth is left to queries, and requests do not fill a minute to the brim
    expect(clock.now() / 60_000).toBeLessThan(minutes * 1.4 + 1);
  });

  test('documents leave a tenth of the minute to queries', async () => {
    const clock = fakeClock();
    const budget = createRateBudget({ requestsPerMinute: 10, tokensPerMinute: null }, clock);
    for (let sent = 0; sent < 9; sent++) await budget.take(1, DOCUMENT);
    const next = budget.take(1, DOCUMENT).then(() => clock.now());
    await budget.take(1, QUERY);
    expect(clock.now()).toBe(0);
    expect(await next).toBe(60_000);
  });

  test('a query that waits goes before a document that waited longer', async () => {
    const clock = fakeClock();
    const budget = createRateBudget({ requestsPerMinute: 1, tokensPerMinute: null }, clock);
    await budget.take(1, DOCUMENT);
    const served: string[] = [];
    await Promise.all([
      budget.take(1, DOCUMENT).then(() => served.push('document')),
      budget.take(1, QUERY).then(() => served.push('query')),
    ]);
    expect(served).toEqual(['query', 'document']);
  });

  test('a wait that would pass the deadline is not begun', async () => {
    const clock = fakeClock();
    const budget = createRateBudget({ requestsPerMinute: 1, tokensPerMinute: null }, clock);
    await budget.take(1, QUERY);
    await expect(budget.take(1, { ...QUERY, deadline: 20_000 })).rejects.toMatchObject({
      code: 'PROVIDER_UNAVAILABLE',
      message: 'The budget of 1 requests per minute is used up: try again later',
      details: { reason: 'RATE_LIMITED', retryable: true, retryAfterSeconds: 60 },
    });
    await budget.take(1, { ...QUERY, deadline: 60_001 });
  });

  test('who stops waiting gives its place up', async () => {
    const clock = fakeClock();
    const budget = createRateBudget({ requestsPerMinute: 1, tokensPerMinute: null }, clock);
    await budget.take(1, DOCUMENT);
    const stop = new AbortController();
    const first = budget.take(1, { ...DOCUMENT, signal: stop.signal });
    const second = budget.take(1, { ...DOCUMENT, signal: stop.signal });
    const third = budget.take(1, DOCUMENT);
    stop.abort(new Error('enough'));
    await expect(first).rejects.toThrow('enough');
    await expect(second).rejects.toThrow('enough');
    await third;
  });

  test('a request above a minute’s share has a minute for itself', async () => {
    const clock = fakeClock();
    const budget = createRateBudget({ requestsPerMinute: null, tokensPerMinute: 100 }, clock);
    expect(budget.tokensPerRequest).toBe(90);
    await budget.take(5_000, DOCUMENT);
    await budget.take(5_000, DOCUMENT);
    expect(clock.now()).toBe(60_000);
  });

  test('no limits: nobody waits', async () => {
    expect(createRateBudget({ requestsPerMinute: null, tokensPerMinute: null }, fakeClock())).toBe(UNLIMITED);
  });
});
