import { AppError } from '../../errors.js';
import type { WholeDocument } from '../../store/read-whole.js';
import type { Scope } from '../../store/scope.js';
import type { Store } from '../../store/store.js';
import {
  checksumLine,
  chunkLine,
  DISCARD_LINE,
  documentLine,
  endLine,
  headerLine,
  LineHash,
  textLine,
} from './export-format.js';

export type ExportStore = Pick<Store, 'activeSpace' | 'currentSpaces' | 'walkDocuments' | 'openDocument'>;

export interface ExportOptions {
  readonly signal?: AbortSignal;
  readonly now?: () => Date;
  /** For tests of documents that move while they are read. */
  readonly heldBytes?: number;
}

/** Documents per query of the walk, of which only the ids are kept: some 500 KB. */
const WALK_PAGE = 5_000;
/** Up to here a document is held back until it is known not to have moved; beyond, a `discard` line takes it back. */
const HELD_BYTES = 4 * 1024 * 1024;
/** What a block has at least, the last one excepted: single lines would cost more than what they carry. */
const BLOCK_BYTES = 64 * 1024;
/** How often a document that moves under its reader is read anew. */
const MAX_ROUNDS = 20;

/**
 * All that the scope sees, as blocks of whole lines of the export format. Nothing is read before it is asked for, so a slow
 * reader holds up the database and fills no memory: at most a document of `HELD_BYTES`, or a block of a larger one.
 * Throws `AppError` STORE_UNAVAILABLE; what was written then has no checksum line.
 */
export async function* writeExport(
  store: ExportStore,
  scope: Scope,
  options: ExportOptions = {},
): AsyncGenerator<string> {
  const { signal, now = () => new Date(), heldBytes = HELD_BYTES } = options;
  const whole = new LineHash();
  const counts = { documents: 0, chunks: 0 };
  const space = await store.activeSpace();
  const block = new Block(whole);

  block.add(headerLine(space, await store.currentSpaces(), now()));
  for await (const id of documentIds(store, scope)) {
    signal?.throwIfAborted();
    for await (const step of settledDocument(store, scope, id, { space: space.id, heldBytes })) {
      for (const line of step.lines) block.add(line);
      if (step.chunks !== null) {
        counts.documents += 1;
        counts.chunks += step.chunks;
      }
      if (block.isFull) yield block.take();
      signal?.throwIfAborted();
    }
  }
  yield `${block.take()}${checksumLine(counts, whole.hex())}\n`;
}

async function* documentIds(store: ExportStore, scope: Scope): AsyncGenerator<string> {
  for (let page = await store.walkDocuments(scope, null, WALK_PAGE); page.length > 0; ) {
    for (const { id } of page) yield id;
    page = await store.walkDocuments(scope, page[page.length - 1]!, WALK_PAGE);
  }
}

/** Lines of a document; `chunks` with the last of them, when it is whole. */
interface Step {
  readonly lines: readonly string[];
  readonly chunks: number | null;
}

/** A document's lines, all of one version; none when it has gone. */
async function* settledDocument(
  store: ExportStore,
  scope: Scope,
  id: string,
  { space, heldBytes }: { space: string; heldBytes: number },
): AsyncGenerator<Step> {
  for (let round = 1; round <= MAX_ROUNDS; round++) {
    const opened = await store.openDocument(scope, id);
    if (opened === null) return;
    const hash = new LineHash();
    const read = { textLength: 0, chunks: 0 };
    let held: string[] = [];
    let size = 0;
    let hasLeft = false;
    for await (const line of documentLines(opened, space, read)) {
      hash.add(line);
      held.push(line);
      size += line.length;
      // Once lines have left, nothing is gained by holding back more than a block.
      if (size <= (hasLeft ? Math.min(heldBytes, BLOCK_BYTES) : heldBytes)) continue;
      yield { lines: held, chunks: null };
      hasLeft = true;
      held = [];
      size = 0;
    }
    const { textLength, chunkCount } = opened.document;
    if ((await opened.isCurrent()) && read.textLength === textLength && read.chunks === chunkCount) {
      yield { lines: [...held, endLine(hash.hex())], chunks: chunkCount };
      return;
    }
    if (hasLeft) yield { lines: [...held, DISCARD_LINE], chunks: null };
  }
  throw new AppError('STORE_UNAVAILABLE', 'A document kept changing while it was exported; try again');
}

async function* documentLines(
  opened: WholeDocument,
  space: string,
  read: { textLength: number; chunks: number },
): AsyncGenerator<string> {
  yield documentLine(opened.document);
  for await (const text of opened.textParts()) {
    read.textLength += text.length;
    yield textLine(text);
  }
  for await (const chunk of opened.chunks(space)) {
    read.chunks += 1;
    yield chunkLine(chunk);
  }
}

/** Lines gathered until they are worth a write. */
class Block {
  readonly #whole: LineHash;
  #lines: string[] = [];
  #size = 0;

  constructor(whole: LineHash) {
    this.#whole = whole;
  }

  add(line: string): void {
    this.#whole.add(line);
    this.#lines.push(line);
    this.#size += line.length;
  }

  get isFull(): boolean {
    return this.#size >= BLOCK_BYTES;
  }

  take(): string {
    const text = this.#lines.map((line) => `${line}\n`).join('');
    this.#lines = [];
    this.#size = 0;
    return text;
  }
}
