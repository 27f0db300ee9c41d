import { zipSync } from 'fflate';
import { afterAll, describe, expect, test } from 'vitest';
import { createExtractor, type Source } from '../../../src/ingest/extract.js';

const extractor = createExtractor();
afterAll(() => extractor.close());

function file(name: string, content: string | Uint8Array, mediaType: string | null = null): Source {
  return { kind: 'file', name, bytes: typeof content === 'string' ? Buffer.from(content) : content, mediaType };
}
const extract = (name: string, content: string | Uint8Array, mediaType: string | null = null) =>
  extractor.extract(file(name, content, mediaType));

test('a text is taken as it is, carriage returns and all', async () => {
  const source: Source = { kind: 'text', text: 'a\r\nb', mediaType: 'text/x-own' };
  expect(await extractor.extract(source)).toEqual({
    text: 'a\r\nb',
    mediaType: 'text/x-own',
    pageStarts: null,
    warnings: [],
  });
});

describe('what a file is', () => {
  test.each([
    ['a page without a name to it', 'page', '<!DOCTYPE html><p>Hello', null, 'text/html', 'Hello'],
    ['a page named as text', 'page.txt', '<html><body><p>Hello</p></body></html>', 'text/plain', 'text/html', 'Hello'],
    ['Markdown by its name', 'a.md', '# A', null, 'text/markdown', '# A'],
    ['code by its name, though it begins like Markdown', 'a.py', '# A', 'text/plain', 'text/x-python', '# A'],
    ['what was declared before what the name says', 'a.txt', 'a;b', 'text/csv', 'text/csv', 'a;b'],
    ['a text without any name', 'README', 'Read me', null, 'text/plain', 'Read me'],
  ])('%s', async (_, name, content, declared, mediaType, text) => {
    expect(await extract(name, content, declared)).toMatchObject({ text, mediaType });
  });

  test.each([
    ['a picture named as text', 'a.txt', Buffer.from('\x89PNG\r\n\x1a\n\0\0', 'latin1'), 'a PNG picture'],
    ['a spreadsheet', 'a.xlsx', zipSync({ 'xl/workbook.xml': Buffer.from('<x/>') }), 'save its sheets as CSV'],
    ['an archive', 'a.zip', zipSync({ 'a.txt': Buffer.from('x') }), 'unpack it first'],
  ])('%s is UNSUPPORTED_MEDIA_TYPE, and the message says what it is', async (_, name, bytes, message) => {
    await expect(extract(name, bytes, 'text/plain')).rejects.toMatchObject({
      name: 'Refusal',
      code: 'UNSUPPORTED_MEDIA_TYPE',
      path: ['input', 'file'],
      message: expect.stringContaining(message),
    });
  });

  test('bytes that are no text in any encoding are UNREADABLE', async () => {
    const noise = Uint8Array.from({ length: 2000 }, (_, i) => (i * 7919 + (i >> 3)) % 32);
    await expect(extract('a.txt', noise)).rejects.toMatchObject({ code: 'UNREADABLE', path: ['input', 'file'] });
  });
});

describe('a file that would take the server down', () => {
  test('an archive that unpacks to more than it may is refused by the sizes it declares', async () => {
    const zeros = new Uint8Array(90 * 1024 * 1024);
    const bomb = zipSync({ 'word/document.xml': zeros, 'word/a.xml': zeros, 'word/b.xml': zeros }, { level: 1 });
    await expect(extract('bomb.docx', bomb)).rejects.toMatchObject({
      code: 'UNREADABLE',
      message: expect.stringContaining('unpacks to more than'),
    });
  });

  test('work without end is ended with its thread, and the next file gets a new one', async () => {
    const slow = createExtractor({ timeMs: 1 });
    try {
      const page = `<!doctype html>${'<p>a</p>'.repeat(20_000)}`;
      await expect(slow.extract(file('a.html', page))).rejects.toMatchObject({
        code: 'UNREADABLE',
        message: expect.stringContaining('within 0.001 seconds'),
      });
    } finally {
      await slow.close();
    }
    expect(await extract('a.html', '<!doctype html><p>Still here')).toMatchObject({ text: 'Still here' });
  });

  test('elements nested a hundred thousand deep are refused before a tree is made of them', async () => {
    const deep = `<!doctype html>${'<div>'.repeat(100_000)}bottom`;
    await expect(extract('deep.html', deep)).rejects.toMatchObject({
      code: 'UNREADABLE',
      message: expect.stringContaining('nested too deeply'),
    });
    expect(await extract('flat.html', `<!doctype html>${'<div>'.repeat(100)}bottom`)).toMatchObject({ text: 'bottom' });
  });
});

test('the bytes of a large file that was given away are moved to its reader; others stay where they are', async () => {
  const givenAway = { kind: 'file', name: 'a.txt', mediaType: null, isGivenAway: true } as const;
  const large = Buffer.from('A line about pumps.\n'.repeat(100_000));
  const text = large.toString();
  const kept = await extractor.extract(file('a.txt', large));
  expect(large.byteLength).toBe(2_000_000);
  const moved = await extractor.extract({ ...givenAway, bytes: large });
  expect([kept.text, moved.text]).toEqual([text, text]);
  expect(large.byteLength).toBe(0);
  // A small one may be a view of memory that others use.
  const small = new TextEncoder().encode('A line about pumps.\n'.repeat(10_000));
  await extractor.extract({ ...givenAway, bytes: small });
  expect(small.byteLength).toBe(200_000);
});

test('who leaves is not waited for: the thread ends and the reason is the signal’s', async () => {
  const page = `<!doctype html>${'<p>a</p>'.repeat(50_000)}`;
  const controller = new AbortController();
  const read = extractor.extract(file('a.html', page), controller.signal);
  controller.abort(new Error('left'));
  await expect(read).rejects.toThrow('left');
});
