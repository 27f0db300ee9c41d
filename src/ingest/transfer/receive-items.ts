import { AppError } from '../../errors.js';
import type { NewJobItem } from '../../store/jobs/job-records.js';
import { LINE_KINDS, LineHash, type LineKind, MAX_LINE_BYTES } from './export-format.js';
import { packItem } from './item-payload.js';
import { BadLine, CHECKSUM, END, type ExportedSpace, fieldsOf, HEADER } from './line-shapes.js';
import { type Line, LineTooLong, readLines } from './read-lines.js';
import { TitleLines } from './title-lines.js';

/** All lines of one document, which are in memory at once: 50 MB of text and 100 000 vectors of 768 dimensions fit. */
export const MAX_DOCUMENT_BYTES = 512 * 1024 * 1024;
export const MAX_DOCUMENTS = 1_000_000;

/** How each gzip stream begins (RFC 1952, 2.3.1). */
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);
const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const UTF16_MARKS = [Buffer.from([0xff, 0xfe]), Buffer.from([0xfe, 0xff])] as const;

export interface ReceivedImport {
  /** The space of the file's vectors. */
  readonly space: ExportedSpace;
  /**
   * One per document, in the order of the file. Those whose lines are damaged come as refused ones that name the line, so
   * that the others arrive. Throws `AppError` BAD_USER_INPUT when the file as a whole is not what was exported: cut, or
   * with documents taken away or put in. Then nothing of it may be kept.
   */
  readonly items: AsyncGenerator<NewJobItem>;
}

/** Reads an export as it arrives. Throws `AppError` BAD_USER_INPUT when its first line is no header. */
export async function receiveImport(
  source: AsyncIterable<Uint8Array>,
  maxDocumentBytes = MAX_DOCUMENT_BYTES,
): Promise<ReceivedImport> {
  const lines = readLines(source, MAX_LINE_BYTES);
  const begin = await next(lines);
  if (begin === null) throw refused('The file is empty');
  const first = { ...begin, bytes: withoutMark(begin.bytes) };
  if (first.bytes.subarray(0, GZIP_MAGIC.length).equals(GZIP_MAGIC))
    throw refused('The file is packed with gzip: send Content-Encoding: gzip with it');
  return { space: spaceOf(first), items: receivedItems(first, lines, maxDocumentBytes) };
}

/** Editors and shells on Windows like to put a mark of the encoding first. */
function withoutMark(bytes: Buffer): Buffer {
  if (UTF16_MARKS.some((mark) => bytes.subarray(0, mark.length).equals(mark)))
    throw refused('The file is UTF-16, into which something has turned it: an export is UTF-8');
  return bytes.subarray(0, UTF8_MARK.length).equals(UTF8_MARK) ? bytes.subarray(UTF8_MARK.length) : bytes;
}

function spaceOf(first: Line): ExportedSpace {
  try {
    const { kind, fields } = parseLine(first);
    if (kind !== 'header') throw new BadLine(first.number, `expected the header of an export, got a line "${kind}"`);
    const { space: id, spaces } = fieldsOf(HEADER, fields, first.number);
    const space = spaces.find((one) => one.id === id);
    if (space === undefined) throw new BadLine(first.number, 'the space of the vectors is not among the spaces');
    return space;
  } catch (error) {
    throw error instanceof BadLine ? refused(error.message) : error;
  }
}

async function* receivedItems(
  header: Line,
  lines: AsyncGenerator<Line>,
  maxDocumentBytes: number,
): AsyncGenerator<NewJobItem> {
  const whole = new LineHash();
  whole.add(header.bytes);
  let current: Gathered | null = null;
  let last: { readonly number: number; readonly isWhole: boolean } = { number: header.number, isWhole: true };
  const titles = new TitleLines();
  let documents = 0;
  let isDamaged = false;
  let twice: string | null = null;
  const finish = (gathered: Gathered): NewJobItem => {
    if (++documents > MAX_DOCUMENTS)
      throw refused(`A file may hold at most ${MAX_DOCUMENTS} documents`, {
        limit: 'importDocuments',
        maximum: MAX_DOCUMENTS,
      });
    isDamaged ||= gathered.problem !== null;
    const again = gathered.problem === null ? gathered.titleAgain(titles) : null;
    if (again !== null) gathered.fail(again);
    twice ??= again;
    return gathered.item();
  };

  for (let line = await next(lines); line !== null; line = await next(lines)) {
    const parsed = tryParse(line);
    last = { number: line.number, isWhole: !(parsed instanceof BadLine) };
    const kind = parsed instanceof BadLine ? null : parsed.kind;
    if (kind === 'checksum') {
      if (current !== null) yield finish(current.fail(`Line ${line.number}: the document before has no end line`));
      checkWhole(line, parsed, { sha256: whole.hex(), documents, isDamaged, twice });
      await requireNothingAfter(lines);
      return;
    }
    whole.add(line.bytes);
    if (kind === 'document') {
      if (current !== null) yield finish(current.fail(`Line ${line.number}: the document before has no end line`));
      current = new Gathered(line.number, maxDocumentBytes);
    }
    if (current === null) {
      // Whatever was damaged here, a document has lost its first line.
      current = new Gathered(line.number, maxDocumentBytes);
      current.fail(
        parsed instanceof BadLine ? parsed.message : `Line ${line.number}: "${kind}" comes without its document line`,
      );
    }
    if (parsed instanceof BadLine) current.fail(parsed.message);
    else if (kind === 'header') current.fail(`Line ${line.number}: another header`);
    else if (kind === 'discard') current = null;
    else if (kind === 'end') {
      yield finish(current.end(line.number, parsed));
      current = null;
    } else current.add(line, parsed);
  }
  throw refused(`The file is incomplete: ${whereCut(last, current !== null)}. Nothing of it was imported`);
}

function whereCut({ number, isWhole }: { number: number; isWhole: boolean }, inDocument: boolean): string {
  if (!isWhole) return `it is cut in its last line (${number})`;
  return `it ends after line ${number} without its checksum line${inDocument ? ', inside a document' : ''}`;
}

interface ParsedLine {
  readonly kind: LineKind;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The lines of a document until its end, or what is wrong with them. */
class Gathered {
  readonly #firstLine: number;
  readonly #maxBytes: number;
  readonly #hash = new LineHash();
  #lines: Buffer[] = [];
  #bytes = 0;
  #title: string | null = null;
  problem: NewJobItem['refused'] | null = null;

  constructor(firstLine: number, maxBytes: number) {
    this.#firstLine = firstLine;
    this.#maxBytes = maxBytes;
  }

  add({ bytes, number }: Line, { kind, fields }: ParsedLine): void {
    if (kind === 'document' && typeof fields.title === 'string') this.#title = fields.title;
    if (this.problem !== null) return;
    this.#hash.add(bytes);
    this.#lines.push(bytes);
    this.#bytes += bytes.length + 1;
    if (this.#bytes > this.#maxBytes)
      this.fail(`Line ${number}: the document's lines have more than ${this.#maxBytes} bytes`, 'TOO_LARGE');
  }

  end(number: number, { fields }: ParsedLine): this {
    if (this.problem !== null) return this;
    try {
      if (fieldsOf(END, fields, number).sha256 === this.#hash.hex()) return this;
      const lines = `${this.#firstLine} to ${number - 1}`;
      return this.fail(`Lines ${lines} are not those that were exported: their checksum is another one`);
    } catch (error) {
      if (!(error instanceof BadLine)) throw error;
      return this.fail(error.message);
    }
  }

  /** The first problem counts: others follow from it. */
  fail(message: string, code: 'INVALID' | 'TOO_LARGE' = 'INVALID'): this {
    this.problem ??= { code, message };
    this.#lines = [];
    return this;
  }

  /** What is wrong when a document before has the title: they are stored in no order, so either might be the one that stays. */
  titleAgain(titles: TitleLines): string | null {
    const first = this.#title === null ? null : titles.note(this.#title, this.#firstLine);
    if (first === null) return null;
    return `Line ${this.#firstLine}: the document has the same title as the one on line ${first}, and an import stores a title once`;
  }

  item(): NewJobItem {
    const name = this.#title ?? `line ${this.#firstLine}`;
    if (this.problem) return { name, payload: packItem({ refused: this.problem }, []), refused: this.problem };
    const payload = packItem({ firstLine: this.#firstLine }, this.#lines);
    return { name, payload, ...(this.#title !== null && { title: this.#title }) };
  }
}

function tryParse(line: Line): ParsedLine | BadLine {
  try {
    return parseLine(line);
  } catch (error) {
    if (error instanceof BadLine) return error;
    throw error;
  }
}

const STRICT_UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Throws `BadLine`. The parser's own message is not passed on: it quotes the text. */
export function parseLine({ bytes, number }: Line): ParsedLine {
  let fields: unknown;
  try {
    fields = JSON.parse(STRICT_UTF8.decode(bytes));
  } catch {
    throw new BadLine(number, 'not JSON in UTF-8, so the line is cut or damaged');
  }
  const kind = typeof fields === 'object' && fields !== null && 'kind' in fields ? fields.kind : undefined;
  if (!LINE_KINDS.includes(kind as LineKind)) throw new BadLine(number, 'no kind of line that an export has');
  return { kind: kind as LineKind, fields: fields as Readonly<Record<string, unknown>> };
}

function checkWhole(
  { number }: Line,
  parsed: ParsedLine | BadLine,
  found: { sha256: string; documents: number; isDamaged: boolean; twice: string | null },
): void {
  if (parsed instanceof BadLine) throw refused(parsed.message);
  let stated: { sha256: string; documents: number };
  try {
    stated = fieldsOf(CHECKSUM, parsed.fields, number);
  } catch (error) {
    throw error instanceof BadLine ? refused(error.message) : error;
  }
  // A damaged line changes the checksum of the file too, and is reported for what it is.
  if (found.isDamaged || stated.sha256 === found.sha256) return;
  throw refused(
    `Line ${number}: the file is not what was exported (its checksum is another one; ${stated.documents} documents were exported, ${found.documents} are there). ${found.twice === null ? '' : `${found.twice}. `}Nothing of it was imported`,
  );
}

/** Editors like to leave an empty line. */
async function requireNothingAfter(lines: AsyncGenerator<Line>): Promise<void> {
  for (let line = await next(lines); line !== null; line = await next(lines))
    if (line.bytes.length > 0)
      throw refused(`Line ${line.number} comes after the checksum line, which must be the last. Nothing was imported`);
}

async function next(lines: AsyncGenerator<Line>): Promise<Line | null> {
  try {
    const { done, value } = await lines.next();
    return done ? null : value;
  } catch (error) {
    throw error instanceof LineTooLong
      ? refused(`${error.message}: no export has such a line`, { limit: 'importLineBytes', maximum: MAX_LINE_BYTES })
      : error;
  }
}

function refused(message: string, details: Record<string, unknown> = {}): AppError {
  return new AppError('BAD_USER_INPUT', message, { details });
}
