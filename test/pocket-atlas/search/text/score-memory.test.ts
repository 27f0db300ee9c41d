import { describe, expect, it } from 'vitest';
import { ScoreMemory } from '../../../../src/pocket-atlas/search/text/query/score-memory.js';
import { indexOf } from './text-index-support.js';

describe('memory for scores', () => {
  it('is lent to one query at a time, and comes back as zeros', () => {
    const [first, second, third] = [new ScoreMemory(), new ScoreMemory(), new ScoreMemory()];
    const scores = first.take(1_000).fill(1);
    const others = second.take(1_000);
    expect(others.buffer).not.toBe(scores.buffer);
    first.release();
    const again = third.take(900);
    expect(again.buffer).toBe(scores.buffer);
    expect(again).toHaveLength(900);
    expect(again.every((score) => score === 0)).toBe(true);
    third.release();
    second.release();
  });

  it('is not taken from hits that are still read, and what others left there changes no score', async () => {
    const texts = Array.from({ length: 200 }, (_, i) => `common ${'rare '.repeat(i % 5)}${i}`);
    const index = await indexOf(
      { dynamic: true },
      texts.map((text) => ({ text })),
    );
    const ask = async (query: string) => {
      const { outcome } = await index.search({ text: { query, path: 'text' } });
      if (!('hits' in outcome)) throw new Error('The search gave documents, not hits');
      return outcome;
    };
    const rare = await ask('rare');
    const first = rare.hits.slice(0, 200);
    const common = await ask('common rare 7');
    expect(rare.hits.slice(0, 200)).toEqual(first);
    common.done();
    rare.done();
    const again = await ask('rare');
    expect(again.hits.slice(0, 200)).toEqual(first);
    again.done();
  });
});
