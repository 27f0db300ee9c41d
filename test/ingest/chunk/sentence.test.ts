import { describe, expect, it } from 'vitest';
import { forEachSentenceStart } from '../../../src/embed/sentence-ends.js';
import { chunk } from '../../../src/ingest/chunk/chunk.js';
import { contextOf } from './texts.js';

function sentencesOf(text: string): string[] {
  const starts = [0];
  forEachSentenceStart(text, 0, text.length, (at) => starts.push(at));
  return starts.map((start, index) => text.slice(start, starts[index + 1]).trim());
}

describe('sentences', () => {
  it.each([
    ['One. Two! Three? Four', 4],
    ['यह पहला वाक्य है। यह दूसरा है॥ तीसरा', 3],
    ['これは一つ目です．これは二つ目です｡三つ目。', 3],
    ['ဒါက ပထမ။ ဒါက ဒုတိယ။', 2],
    ['یہ پہلا ہے۔ کیا یہ دوسرا ہے؟ ہاں', 3],
    ['第一句！第二句？第三句。', 3],
    ['他说：“好。”然后走了。', 2],
    ['Pi is 3.14 and e is 2.72. Next', 2],
    ['圆周率是３．１４左右。下一句', 2],
    ['See Fig. 3 and Dr. Smith, e.g. at 5 p.m. today. Next', 2],
    ['J. R. Tolkien wrote it. He did', 2],
    ['He said "Stop!" Then he left.', 2],
    ['Wait... what? Yes', 2],
    ['Version 2.0.1 of node.js is out. Get it at example.org/a.b now', 2],
    ['A heading without a stop\n\nThe next paragraph', 2],
    ['wrapped\nover lines', 1],
    ['first:\n- one\n- two', 3],
    ['The answer is no. Then he left.', 2],
    ['See No. 5 there.', 1],
    ['', 1],
  ])('%j holds %i', (text, expected) => {
    expect(sentencesOf(text), JSON.stringify(sentencesOf(text))).toHaveLength(expected);
  });

  it('are packed whole up to maxTokens, in every script, the text unaltered', async () => {
    const text =
      'यह पहला वाक्य है। यह दूसरा है॥ これは一つ目です．これは二つ目です｡ ဒါက ပထမ။ ဒါက ဒုတိယ။ یہ پہلا ہے۔ کیا یہ دوسرا ہے؟';
    const chunks = await chunk(text, contextOf({ strategy: 'SENTENCE', maxTokens: 12 }));
    expect(chunks.map(({ start, end }) => text.slice(start, end))).toEqual([
      'यह पहला वाक्य है। यह दूसरा है॥',
      'これは一つ目です．',
      'これは二つ目です｡',
      'ဒါက ပထမ။',
      'ဒါက ဒုတိယ။',
      'یہ پہلا ہے۔ کیا یہ دوسرا ہے؟',
    ]);
  });

  it('share whole sentences with the chunk before', async () => {
    const text = 'One one. Two two. Three three. Four four. Five five.';
    const chunks = await chunk(text, contextOf({ strategy: 'SENTENCE', maxTokens: 10, overlap: 5 }));
    expect(chunks.map(({ start, end }) => text.slice(start, end))).toEqual([
      'One one. Two two.',
      'Two two. Three three.',
      'Three three. Four four.',
      'Four four. Five five.',
    ]);
  });

  it('are cut at words only when one alone is too long', async () => {
    const text = `Short one. ${'word '.repeat(20)}end. Short two.`;
    const chunks = await chunk(text, contextOf({ strategy: 'SENTENCE', maxTokens: 10 }));
    expect(chunks.map(({ tokenCount }) => tokenCount).every((tokens) => tokens <= 10)).toBe(true);
    expect(chunks.every(({ start }) => start === 0 || /\s/.test(text[start - 1]!))).toBe(true);
  });

  it('never share a chunk with a part of a longer one', async () => {
    const text = `One two. Long ${'long '.repeat(8)}end. Three. Wide ${'wide '.repeat(8)}end.`;
    const chunks = await chunk(text, contextOf({ strategy: 'SENTENCE', maxTokens: 8, overlap: 3 }));
    expect(chunks.map(({ start, end }) => text.slice(start, end))).toEqual([
      'One two.',
      'Long long long long long long long long',
      'long end.',
      'Three.',
      'Wide wide wide wide wide wide wide wide',
      'wide end.',
    ]);
  });
});
