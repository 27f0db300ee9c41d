import { createHash } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { chunk } from '../../../src/ingest/chunk/chunk.js';
import { createTextWorkers, INLINE_LIMIT } from '../../../src/ingest/chunk/chunk-pool.js';
import { contextualPrefix } from '../../../src/ingest/chunk/embedded-text.js';
import { contextOf } from './texts.js';

const workers = createTextWorkers();
afterAll(() => workers.close());
const LONG = Array.from({ length: 4_000 }, (_, at) => `Paragraph number ${at} says something else.\n\n`).join('');
const space = { provider: 'hash', model: 'feature-hashing-v1' } as const;
const portable = { space, title: 'A title' };

describe('text workers', () => {
  it.each(['RECURSIVE', 'TOKEN', 'SENTENCE', 'SLIDING_WINDOW', 'NONE'] as const)(
    'cut a long text as the calling thread would (%s)',
    async (strategy) => {
      const context = contextOf(
        { strategy, maxTokens: 100, overlap: 10, contextual: true },
        { portable, prefix: contextualPrefix(portable.title) },
      );
      expect(LONG.length).toBeGreaterThan(INLINE_LIMIT);
      expect(await workers.chunk(LONG, context)).toEqual(await chunk(LONG, context));
    },
  );

  it('pass a refusal on as it was', async () => {
    const context = contextOf({ maxTokens: 10, overlap: 10 }, { portable });
    const refusal = await chunk(LONG, context).catch((error: unknown) => error);
    expect(await workers.chunk(LONG, context).catch((error: unknown) => error)).toEqual(refusal);
  });

  it('hash long and short texts alike', async () => {
    for (const text of ['short', `${LONG}é👍`]) {
      expect(await workers.hash(text)).toBe(createHash('sha256').update(text).digest('hex'));
    }
  });

  it('answer an abort at once and go on', async () => {
    const stop = new AbortController();
    const context = contextOf({ maxTokens: 100 }, { portable, signal: stop.signal });
    const cut = workers.chunk(LONG.repeat(20), context);
    stop.abort(new Error('enough'));
    await expect(cut).rejects.toThrow('enough');
    expect((await workers.chunk(LONG, contextOf({ maxTokens: 100 }, { portable }))).length).toBeGreaterThan(100);
  });

  it('reject what waits when they are closed', async () => {
    const closing = createTextWorkers({ size: 1 });
    const cuts = [1, 2, 3].map(() => closing.chunk(LONG, contextOf({ maxTokens: 100 }, { portable })));
    const outcomes = Promise.allSettled(cuts);
    await closing.close();
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    await expect(closing.hash(LONG)).rejects.toThrow('closed');
  });
});
