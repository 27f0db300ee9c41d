import type { TokenCounter } from '../../embed/token-counter.js';
import type { KeptWork } from '../../store/kept-work.js';
import type { Scope } from '../../store/scope.js';
import type { Store } from '../../store/store.js';
import { type CutPiece, stringOf } from '../cut-text.js';
import { embedHash } from '../embed-strings.js';
import { KeepAsTheyArrive } from '../keep-as-they-arrive.js';
import { type ContextWriter, passageAt } from './context-writer.js';

/** Room in each chunk for its line; a longer one loses its end. */
const LINE_TOKENS = 64;
/** The line takes at most this part of a small chunk. */
const LINE_SHARE = 1 / 4;
const AFTER_LINE = '\n\n';
/** Lines of one document that are asked for at the same time; the writer has its own limit for all. */
const LINES_AT_ONCE = 4;

export interface Situation {
  readonly writer: ContextWriter;
  readonly store: KeptWork & Pick<Store, 'chunkPrefixes'>;
  readonly scope: Scope;
  /** What stored chunks have lines already; null: none. */
  readonly documentId: string | null;
  readonly document: { readonly title: string; readonly text: string };
  /** Of the spaces, in the order of a piece's `tokens`. */
  readonly counters: readonly TokenCounter[];
  /** See `roomForLine`. */
  readonly lineTokens: number;
  /** What an earlier attempt was told, by the hash of what the embedder would be given without it; filled. */
  readonly lines: Map<string, string>;
  /** Ask nobody: a chunk whose line is not known is counted with the room that one may take. */
  readonly dryRun: boolean;
  readonly signal?: AbortSignal;
}

/**
 * Puts a line in front of each piece that says where in its document it stands. A line is written once for the string it
 * stands before and stays with the chunk, so what did not change is neither asked nor embedded again, even though a model
 * never says the same twice. Throws what the writer throws: chunks with and without a line in one version would be
 * found unequally well, and nobody would see why. Lines that came before a failure are kept for the next attempt.
 */
export async function situateChunks(pieces: readonly CutPiece[], situation: Situation): Promise<CutPiece[]> {
  const { writer, store, scope, documentId, lines } = situation;
  const keys = new Set(pieces.map(({ embedHash: key }) => key).filter((key) => !lines.has(key)));
  const note = (found: ReadonlyMap<string, string>): void => {
    for (const [key, line] of found) if (keys.delete(key)) lines.set(key, line);
  };
  if (documentId !== null && keys.size > 0) note(storedLines(await store.chunkPrefixes(scope, documentId)));
  if (keys.size > 0) note(await store.keptLines(scope, writer.model, [...keys]));
  if (!situation.dryRun) {
    const wanted = pieces.filter(({ embedHash: key }) => keys.delete(key));
    await writeLines(wanted, situation);
  }
  return pieces.map((piece) => {
    const line = lines.get(piece.embedHash);
    return line === undefined ? unsituated(piece, situation) : situated(piece, line, situation);
  });
}

/** Tokens to leave free for a line in chunks of at most `limit`. */
export function roomForLine(limit: number): number {
  return Math.min(LINE_TOKENS, Math.floor(limit * LINE_SHARE));
}

/** The version is stored, and the lines with it. */
export async function releaseLines(situation: Situation): Promise<void> {
  await situation.store.dropKeptLines(situation.scope, situation.writer.model, [...situation.lines.keys()]);
}

async function writeLines(wanted: readonly CutPiece[], situation: Situation): Promise<void> {
  const { writer, store, scope, document, lines, signal } = situation;
  if (wanted.length === 0) return;
  const keeper = new KeepAsTheyArrive<string>((arrived) => store.keepLines(scope, writer.model, arrived));
  let next = 0;
  let hasFailed = false;
  const lane = async (): Promise<void> => {
    while (next < wanted.length && !hasFailed) {
      const piece = wanted[next++]!;
      try {
        const line = await writer.write(passageAt(document, piece), signal);
        lines.set(piece.embedHash, line);
        keeper.add(piece.embedHash, line);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  const lanes = await Promise.allSettled(Array.from({ length: LINES_AT_ONCE }, lane));
  // The version is far from stored: embedding comes next, and may fail.
  await keeper.keepAll();
  for (const end of lanes) if (end.status === 'rejected') throw end.reason;
}

function situated(piece: CutPiece, line: string, { document, counters, lineTokens }: Situation): CutPiece {
  const kept = cutToTokens(line, lineTokens, counters);
  const given = kept + AFTER_LINE + stringOf(document.text, piece);
  return {
    ...piece,
    given,
    embedHash: embedHash(given),
    tokens: counters.map((count) => count(given)),
  };
}

/**
 * The lines that stored chunks have, by what stands after them. They are what comes before the first blank line, for a
 * line holds none; of a chunk without one that is its title and headings, whose rest is no contextual chunk's string.
 */
function storedLines(chunks: readonly { embedPrefix: string; text: string }[]): ReadonlyMap<string, string> {
  const lines = new Map<string, string>();
  for (const { embedPrefix, text } of chunks) {
    const end = embedPrefix.indexOf(AFTER_LINE);
    const rest = embedPrefix.slice(end + AFTER_LINE.length) + text;
    if (end > 0) lines.set(embedHash(rest), embedPrefix.slice(0, end));
  }
  return lines;
}

/** For a dry run: its string is not known, so that no stored chunk is the same. */
function unsituated(piece: CutPiece, { lineTokens }: Situation): CutPiece {
  return {
    ...piece,
    embedHash: embedHash(`unsituated ${piece.embedHash}`),
    tokens: piece.tokens.map((tokens) => tokens + lineTokens),
  };
}

/** As many of the words as every space counts at most `limit` tokens of, the line break after them included. */
function cutToTokens(line: string, limit: number, counters: readonly TokenCounter[]): string {
  const fits = (words: string): boolean => counters.every((count) => count(words + AFTER_LINE) <= limit);
  // no vocabulary makes fewer tokens than one of sixteen units, so what is longer is cut before it is counted
  let words = line.slice(0, 16 * limit).toWellFormed();
  while (words !== '' && !fits(words)) {
    const end = words.lastIndexOf(' ');
    words = words.slice(0, end > words.length / 2 ? end : Math.floor(words.length / 2)).toWellFormed();
  }
  return words;
}
