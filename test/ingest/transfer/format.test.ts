import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_LINE_BYTES } from '../../../src/ingest/transfer/export-format.js';
import { unpackItem } from '../../../src/ingest/transfer/item-payload.js';
import { type ExportedDocument, readDocument } from '../../../src/ingest/transfer/read-document.js';
import { receiveImport } from '../../../src/ingest/transfer/receive-items.js';
import { writeExport } from '../../../src/ingest/transfer/write-export.js';
import type { NewJobItem } from '../../../src/store/jobs/job-records.js';
import { exported, type MadeDocument, madeDocument, SCOPE, SPACE, storeOf } from './exported.js';

/** In pieces, as a socket brings them. */
async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function received(
  file: string | Uint8Array,
  options: { piece?: number; maxBytes?: number } = {},
): Promise<NewJobItem[]> {
  const { items } = await receiveImport(inPieces(Buffer.from(file), options.piece ?? 1_000), options.maxBytes);
  const all: NewJobItem[] = [];
  for await (const item of items) all.push(item);
  return all;
}

async function read(item: NewJobItem): Promise<ExportedDocument> {
  const { head, lines } = unpackItem(Buffer.from(item.payload));
  if ('refused' in head) throw new Error(head.refused.message);
  return await readDocument(lines, { firstLine: head.firstLine, space: SPACE });
}

/** What must come out of what went in. */
function expectSame(got: ExportedDocument, { record, parts, chunks }: MadeDocument): void {
  const { title, mediaType, language, languageGiven, sourceUri, agentIds, metadata, chunking, contentHash } = record;
  const text = parts.join('');
  const { chunks: gotChunks, vectors, ...attributes } = got;
  expect(attributes).toEqual({
    title,
    mediaType,
    language,
    languageGiven,
    sourceUri,
    agentIds,
    metadata,
    chunking,
    contentHash,
    text,
  });
  expect(gotChunks).toEqual(
    chunks.map(({ vector: _vector, ...chunk }) => ({ ...chunk, language, text: text.slice(chunk.start, chunk.end) })),
  );
  expect(vectors).toEqual(new Map(chunks.map(({ embedHash, vector }) => [embedHash, vector])));
}

const TWO = [madeDocument('one', 'The first text.'), madeDocument('two', 'The second, "quoted"\nand ünïcode 🌍.')];
const FILE = await exported(storeOf(TWO));
const LINES = FILE.trimEnd().split('\n');

const texts = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 60 })
  .map((text) => text.replaceAll('\r', '').replaceAll('\0', '').replaceAll('\ufeff', ''))
  .filter((text) => /[a-z]/i.test(text));

describe('what is exported comes back the same', () => {
  test('whatever the texts and titles are, and in whatever pieces it arrives', async () => {
    const documents = fc.uniqueArray(
      fc.record({
        title: texts,
        text: texts,
        metadata: fc.dictionary(
          fc.stringMatching(/^[a-z]+$/),
          fc.oneof(
            fc.double({ noNaN: true, min: -1e9, max: 1e9 }).map((x) => x + 0),
            fc.boolean(),
            fc.constant(null),
          ),
        ),
      }),
      {
        selector: ({ title }) => title,
        maxLength: 4,
      },
    );
    await fc.assert(
      fc.asyncProperty(documents, fc.integer({ min: 1, max: 300 }), async (given, piece) => {
        const made = given.map(({ title, text, metadata }) => madeDocument(title, text, { metadata }));
        const items = await received(await exported(storeOf(made)), { piece });
        expect(items.map(({ refused }) => refused)).toEqual(made.map(() => undefined));
        for (const [index, item] of items.entries()) expectSame(await read(item), made[index]!);
      }),
      { numRuns: 60 },
    );
  });

  test('without the last line feed, with carriage returns, and with an empty line at the end', async () => {
    for (const file of [FILE.trimEnd(), FILE.replaceAll('\n', '\r\n'), `${FILE}\n`])
      expect((await received(file)).map(({ name, refused }) => [name, refused])).toEqual([
        ['one', undefined],
        ['two', undefined],
      ]);
  });

  test('with the mark that Windows puts first; what was turned into UTF-16 is refused for that', async () => {
    const items = await received(`\ufeff${FILE}`);
    expect(items.map(({ name, refused }) => [name, refused])).toEqual([
      ['one', undefined],
      ['two', undefined],
    ]);
    await expect(received(Buffer.from(`\ufeff${FILE}`, 'utf16le'))).rejects.toThrow('The file is UTF-16');
  });

  test('with the keys of a line in another order, and with fields of a later server: as far as the checksum allows', async () => {
    const { kind, ...rest } = JSON.parse(LINES[0]!);
    const header = JSON.stringify({ ...rest, kind, later: 1 });
    await expect(received([header, ...LINES.slice(1)].join('\n'))).rejects.toThrow('its checksum is another one');
  });

  test('an export of nothing is a file of two lines', async () => {
    const file = await exported(storeOf([]));
    expect(file.split('\n')).toHaveLength(3);
    expect(await received(file)).toEqual([]);
  });
});

describe('a document that moves while it is read', () => {
  test('is read again, and nothing of the first reading leaves while it is small', async () => {
    expect(await exported(storeOf(TWO, { moves: 2 }))).toBe(FILE);
  });

  test('is taken back by a line where a part of it has left already', async () => {
    const file = await exported(storeOf(TWO, { moves: 2 }), 1);
    expect(file.match(/"kind":"discard"/g)).toHaveLength(4);
    const items = await received(file);
    expect(items).toHaveLength(2);
    for (const [index, item] of items.entries()) expectSame(await read(item), TWO[index]!);
  });

  test('and never rests ends the export without its checksum', async () => {
    await expect(exported(storeOf(TWO, { moves: 1_000 }))).rejects.toThrow(
      expect.objectContaining({ code: 'STORE_UNAVAILABLE' }),
    );
  });
});

test('nothing is read before it is asked for, so a slow reader fills no memory', async () => {
  let opened = 0;
  const large = Array.from({ length: 50 }, (_, index) => madeDocument(`d${index}`, `text ${index} `.repeat(20_000)));
  const blocks = writeExport(
    storeOf(large, {
      onOpen: () => {
        opened += 1;
      },
    }),
    SCOPE,
    {},
  );
  let taken = 0;
  let longest = 0;
  for await (const block of blocks) {
    taken += 1;
    longest = Math.max(longest, block.length);
    // A block has 64 KiB at least, a document 170 KB: never more than the one document at hand.
    expect(opened).toBeLessThanOrEqual(taken + 1);
  }
  expect(opened).toBe(50);
  expect(longest).toBeLessThan(512 * 1024);
});

describe('a cut file is named as incomplete', () => {
  test('wherever it is cut', async () => {
    const bytes = Buffer.from(FILE);
    const last = bytes.length - LINES.at(-1)!.length - 1;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: LINES[0]!.length + 1, max: last }), async (length) => {
        await expect(received(bytes.subarray(0, length))).rejects.toThrow(
          /The file is incomplete: it (ends after line \d+|is cut in its last line)/,
        );
      }),
      { numRuns: 60 },
    );
    // inside of the last line
    for (const length of [last + 5, bytes.length - 2])
      await expect(received(bytes.subarray(0, length))).rejects.toThrow(
        `The file is incomplete: it is cut in its last line (${LINES.length}). Nothing of it was imported`,
      );
  });

  test('after a whole line of a document as inside of it', async () => {
    await expect(received(`${LINES.slice(0, 3).join('\n')}\n`)).rejects.toThrow(
      'it ends after line 3 without its checksum line, inside a document.',
    );
  });

  test('also before its first line has ended, and where there is nothing', async () => {
    await expect(received(Buffer.from(FILE).subarray(0, 20))).rejects.toThrow('Line 1: not JSON');
    await expect(received('')).rejects.toThrow('The file is empty');
  });
});

describe('a damaged line', () => {
  test('refuses its document by its number, and no other one', async () => {
    for (let at = 1; at < LINES.length - 1; at++) {
      const damaged = LINES.with(at, LINES[at]!.slice(0, -1)).join('\n');
      const items = await received(damaged);
      const refused = items.filter((item) => item.refused);
      expect(refused.map((item) => item.refused!.message)).toEqual([
        expect.stringMatching(`^Line ${at + 1}: not JSON`),
      ]);
      const good = items.filter((item) => !item.refused);
      expect(good.map(({ name }) => name)).toEqual([
        at < LINES.findIndex((line) => line.includes('"two"')) ? 'two' : 'one',
      ]);
    }
  });

  test('and any flipped byte is never taken for what was exported', async () => {
    const bytes = Buffer.from(FILE);
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 2), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
        const damaged = Buffer.from(bytes);
        damaged[at]! ^= flip;
        let items: NewJobItem[];
        try {
          items = await received(damaged);
        } catch {
          return;
        }
        for (const item of items) {
          if (item.refused) continue;
          const document = await read(item);
          expectSame(document, TWO.find(({ record }) => record.title === document.title)!);
        }
        // A carriage return before a line feed says nothing; everything else is seen.
        if (damaged[at] !== 0x0d) expect(items.some(({ refused }) => refused) || items.length === 0).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    [
      'a document taken away',
      (lines: string[]) => [...lines.slice(0, 1), ...lines.slice(lines.findIndex((line) => line.includes('"two"')))],
      'its checksum is another one',
    ],
    [
      'a document twice',
      (lines: string[]) => [...lines.slice(0, -1), ...lines.slice(1)],
      'its checksum is another one',
    ],
    ['lines after the last', (lines: string[]) => [...lines, lines[1]!], 'comes after the checksum line'],
    ['no header', (lines: string[]) => lines.slice(1), 'Line 1: expected the header'],
    [
      'another format',
      (lines: string[]) => [lines[0]!.replace('"version":1', '"version":2'), ...lines.slice(1)],
      'Line 1: version: expected version 1',
    ],
  ])('%s is refused', async (_, change, message) => {
    await expect(received(change([...LINES]).join('\n'))).rejects.toThrow(message);
  });
});

test('a title twice in a file is refused where it comes again, by both lines, and the first one is read', async () => {
  const again = [...TWO, madeDocument(' one', 'Another text.'), madeDocument('three', 'The third text.')];
  const items = await received(await exported(storeOf(again)));
  const line = 1 + (await exported(storeOf(again))).split('\n').findIndex((text) => text.includes('" one"'));
  expect(items.map(({ name, refused }) => [name, refused?.message ?? null])).toEqual([
    ['one', null],
    ['two', null],
    [' one', `Line ${line}: the document has the same title as the one on line 2, and an import stores a title once`],
    ['three', null],
  ]);
});

test('a title twice is named too where the file was put together by hand, and is refused for that', async () => {
  const lines = LINES.toSpliced(
    -1,
    0,
    ...LINES.slice(
      1,
      LINES.findIndex((line) => line.includes('"two"')),
    ),
  );
  await expect(received(lines.join('\n'))).rejects.toThrow(
    `Line ${LINES.length}: the document has the same title as the one on line 2`,
  );
});

test('a title that came in a damaged document may come again', async () => {
  const lines = (await exported(storeOf([...TWO, madeDocument('one', 'Another text.')]))).split('\n');
  const items = await received(lines.with(2, lines[2]!.slice(0, -1)).join('\n'));
  expect(items.map(({ name, refused }) => [name, refused === undefined])).toEqual([
    ['one', false],
    ['two', true],
    ['one', true],
  ]);
});

test('a second header in between refuses what it stands for, and no document', async () => {
  const items = await received([LINES[0], ...LINES].join('\n'));
  expect(items.map(({ name, refused }) => [name, refused?.message])).toEqual([
    ['line 2', 'Line 2: "header" comes without its document line'],
    ['one', undefined],
    ['two', undefined],
  ]);
});

describe('limits', () => {
  test('a line without an end is refused before it is in memory', async () => {
    let sent = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        sent += 65_536;
        yield Buffer.alloc(65_536, 'x');
      }
    }
    await expect(receiveImport(endless())).rejects.toThrow(
      expect.objectContaining({
        code: 'BAD_USER_INPUT',
        details: { limit: 'importLineBytes', maximum: MAX_LINE_BYTES },
      }),
    );
    expect(sent).toBeLessThanOrEqual(MAX_LINE_BYTES + 65_536);
  });

  test('a document with too many bytes is refused, the others arrive', async () => {
    const made = [...TWO, madeDocument('large', 'word '.repeat(2_000))];
    const items = await received(await exported(storeOf(made)), { maxBytes: 5_000 });
    expect(items.map(({ name, refused }) => [name, refused?.code])).toEqual([
      ['one', undefined],
      ['two', undefined],
      ['large', 'TOO_LARGE'],
    ]);
  });
});

describe('what the lines of a document hold is checked', () => {
  const change = (find: string | RegExp, replace: string) => async () => {
    const [item] = await received(FILE);
    const { lines } = unpackItem(Buffer.from(item!.payload));
    const changed = lines.toString().replace(find, replace);
    expect(changed).not.toBe(lines.toString());
    return await readDocument(Buffer.from(changed), { firstLine: 2, space: SPACE });
  };
  const vector = (...values: number[]) => Buffer.from(Float32Array.from(values).buffer).toString('base64');

  test.each([
    ['a blank title', '"title":"one"', '"title":" "', 'Line 2: The title is blank'],
    ['nested metadata', '"metadata":{}', '"metadata":{"a":{"b":1}}', 'Line 2: Metadata values are'],
    ['a media type', '"text/plain"', '"text"', 'Line 2: Expected a media type'],
    ['a strategy', '"RECURSIVE"', '"MAGIC"', 'Line 2: chunking.strategy'],
    ['half a chunking', '"maxTokens":100', '"maxTokens":null', 'Line 2: the chunking is not a complete one'],
    ['a changed text', 'The fi', 'The ti', 'Line 2: the text is not the one of its contentHash'],
    ['a text with CR', 'The fi', 'The\\rfi', 'Line 2: the text is not in the form'],
    ['fewer chunks', '"chunks":2', '"chunks":3', 'Line 2: the document had 3 chunks, 2 follow'],
    ['a span beyond the text', /"end":15/, '"end":16', 'Line 6: the span'],
    ['an empty span', '"start":8,"end":15', '"start":15,"end":15', 'Line 6: the span'],
    ['a span backwards', '"start":0,"end":8', '"start":8,"end":0', 'Line 5: the span'],
    ['half a parent', '"parentEnd":15', '"parentEnd":null', 'Line 6: half a parent span'],
    [
      'a parent without its chunk',
      '"parentStart":0,"parentEnd":15',
      '"parentStart":9,"parentEnd":15',
      'Line 6: the parent span',
    ],
    ['a page 0', '"page":1', '"page":0', 'Line 5: page'],
    ['wrong dimensions', /"vector":"[^"]+"/, `"vector":"${vector(1, 2, 3)}"`, 'Line 5: expected a vector of 4 float32'],
    ['NaN', /"vector":"[^"]+"/, `"vector":"${vector(1, Number.NaN, 0, 0)}"`, 'Line 5: the vector holds NaN'],
    [
      'infinity',
      /"vector":"[^"]+"/,
      `"vector":"${vector(1, Infinity, 0, 0)}"`,
      'Line 5: the vector holds NaN or infinity',
    ],
    ['zeros', /"vector":"[^"]+"/, `"vector":"${vector(0, 0, 0, 0)}"`, 'Line 5: the vector is all zeros'],
    ['no base64', /"vector":"[^"]+"/, `"vector":"${'*'.repeat(24)}"`, 'Line 5: expected a vector'],
    ['an embed hash', /"embedHash":"./, '"embedHash":"X', 'Line 5: embedHash'],
  ])('%s', async (_, find, replace, message) => {
    await expect(change(find, replace)()).rejects.toThrow(
      expect.objectContaining({ name: 'Refusal', message: expect.stringContaining(message) }),
    );
  });

  test('and the messages quote nothing of it', async () => {
    await expect(change('"text":"The firs', '"text":SECRET"The firs')()).rejects.toThrow(
      expect.objectContaining({ message: 'Line 3: not JSON in UTF-8, so the line is cut or damaged' }),
    );
  });
});
