import { afterAll, expect, test } from 'vitest';
import { createHashEmbedder } from '../../src/embed/hash.js';
import { chunk } from '../../src/ingest/chunk/chunk.js';
import type { Chunk } from '../../src/ingest/chunk/chunker.js';
import { assembleChunks, type CutRequest, cutPieces, MAX_CHUNKS } from '../../src/ingest/cut-text.js';
import { createCutter, WORKER_TEXT_LENGTH } from '../../src/ingest/cutter.js';
import { resolveChunking } from '../../src/ingest/resolve-chunking.js';

const embedder = createHashEmbedder();
const countTokens = (text: string): number => embedder.countTokens(text);
let usedHere = 0;
const cutter = createCutter(((...args: Parameters<Chunk>) => {
  usedHere++;
  return chunk(...args);
}) as Chunk);
afterAll(() => cutter.close());

const request = (input: Parameters<typeof resolveChunking>[0] = null): CutRequest => ({
  title: 'A  title',
  mediaType: 'text/plain',
  chunking: resolveChunking(input, 8_192),
  maxInputTokens: 8_192,
});
const text = (length: number): string =>
  Array.from(
    { length: Math.ceil(length / 60) },
    (_, index) => `Paragraph ${index} tells about number ${index * 7} at length.`,
  ).join('\n\n');

test('a long text is cut in a worker thread, exactly as it would be here', async () => {
  const long = text(2 * WORKER_TEXT_LENGTH);
  for (const input of [null, { strategy: 'SENTENCE', contextual: true }] as const) {
    const there = await cutter.cut(long, request(input), [embedder]);
    expect(there).toEqual(await cutPieces(long, request(input), { chunk, counters: [countTokens] }));
    expect(there.length).toBeGreaterThan(10);
  }
  expect(usedHere).toBe(0);
  await cutter.cut(text(1_000), request(), [embedder]);
  expect(usedHere).toBe(1);
});

test('this thread goes on while a long text is cut', async () => {
  let ticks = 0;
  const timer = setInterval(() => ticks++, 1);
  await cutter.cut(text(20 * WORKER_TEXT_LENGTH), request(), [embedder]);
  clearInterval(timer);
  expect(ticks).toBeGreaterThan(5);
});

test('a refusal comes back from the thread with its code and path', async () => {
  const contextual = request({ strategy: 'RECURSIVE', maxTokens: 2, overlap: 0, contextual: true });
  const refused = cutter.cut(text(2 * WORKER_TEXT_LENGTH), { ...contextual, title: 'a very long title '.repeat(20) }, [
    embedder,
  ]);
  await expect(refused).rejects.toMatchObject({
    name: 'Refusal',
    code: 'INVALID',
    path: ['input', 'chunking', 'contextual'],
  });
});

test('an abort is answered at once', async () => {
  const abort = new AbortController();
  const cutting = cutter.cut(text(20 * WORKER_TEXT_LENGTH), request(), [embedder], abort.signal);
  abort.abort(new Error('enough'));
  await expect(cutting).rejects.toThrow('enough');
});

test('each space counts by its own tokens, and equal chunks share one string', async () => {
  const same = 'The same sentence.';
  const pieces = await cutPieces(
    [same, same].join('\n\n'),
    request({ strategy: 'SENTENCE', maxTokens: 6, overlap: 0, contextual: false }),
    {
      chunk,
      counters: [countTokens, (piece) => piece.length],
    },
  );
  const { chunks, strings } = assembleChunks({ text: `${same}\n\n${same}`, language: 'en', pageStarts: null }, pieces);
  expect(chunks.map((one) => one.text)).toEqual([same, same]);
  expect([...strings.values()]).toEqual([{ text: same, tokens: [countTokens(same), same.length] }]);
});

test('a contextual chunk gives the embedder the folded title before its text', async () => {
  const [piece] = await cutPieces('Body.', request({ strategy: 'RECURSIVE', contextual: true }), {
    chunk,
    counters: [countTokens],
  });
  expect(piece).toMatchObject({ start: 0, end: 5, given: 'A title\n\nBody.', tokenCount: countTokens('Body.') });
  expect(piece?.tokens).toEqual([countTokens('A title\n\nBody.')]);
});

test('windows so small that they would be too many are refused before they are made', async () => {
  const tiny = request({ strategy: 'SLIDING_WINDOW', maxCharacters: 2, overlap: 1, contextual: false });
  const cutting = cutPieces('x'.repeat(MAX_CHUNKS + 1), tiny, { chunk, counters: [countTokens] });
  await expect(cutting).rejects.toMatchObject({ code: 'TOO_LARGE', path: ['input', 'chunking'] });
});

test.each([
  ['RECURSIVE', 900_001],
  ['TOKEN', 1_000_001],
] as const)(
  'a text so dense in tokens that its chunks are too many is refused before it is cut: %s',
  async (strategy, length) => {
    const small = request({ strategy, maxTokens: 10, overlap: 1, contextual: false });
    const parts = {
      chunk: () => {
        throw new Error('it was cut');
      },
      counters: [countTokens],
    } satisfies Parameters<typeof cutPieces>[2];
    const refused = { code: 'TOO_LARGE', path: ['input', 'chunking'] };
    await expect(cutPieces('漢'.repeat(length), small, parts)).rejects.toMatchObject(refused);
    // one that fits is cut
    await expect(cutPieces('漢'.repeat(length - 1), small, parts)).rejects.toThrow('it was cut');
  },
);

test('a chunk has the page that it begins on; an empty page has none', async () => {
  const text = 'One one.\n\nThree.\n\nFour.';
  const piece = (start: number, end: number) => ({
    start,
    end,
    parent: null,
    headings: [],
    tokenCount: 1,
    embedHash: `${start}`,
    given: null,
    tokens: [1],
  });
  const pieces = [piece(0, 8), piece(4, 16), piece(10, 16), piece(18, 23)];
  const pageStarts = [0, 8, 10, 18];
  const pagesOf = (starts: readonly number[] | null) =>
    assembleChunks({ text, language: null, pageStarts: starts }, pieces).chunks.map(({ page }) => page);
  expect(pagesOf(pageStarts)).toEqual([1, 1, 3, 4]);
  expect(pagesOf(null)).toEqual([null, null, null, null]);
});
