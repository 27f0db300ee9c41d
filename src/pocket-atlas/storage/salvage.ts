import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { compiledUrl } from '../compiled-url.js';
import { makeDirectory } from '../make-directory.js';
import { lockDirectory } from './directory-lock.js';
import type { RecordId } from './engine.js';
import { STORE_FILE } from './environment.js';
import type { SalvageMessage, SalvageTask } from './salvage/protocol.js';

export interface SalvageReport {
  readonly collections: number;
  /** Copied records: each one's checksum was right. */
  readonly records: number;
  /** Records that were read but did not match their checksum. */
  readonly damaged: number;
  /** Places that could not be read at all; each may have held any number of records. */
  readonly unreadable: number;
  /** Indexes that could not be made again, each with the reason. */
  readonly indexesLeftOut: readonly string[];
  /** Whether everything that the store names was copied. */
  readonly complete: boolean;
}

/** Processes that may die of the damage before it is given up. */
const ATTEMPTS_MAX = 200;
/** A process that says nothing for so long is caught in a damaged page. */
const SILENCE_MS = 60_000;

/**
 * Copies collections, their records whose checksum is right, and their indexes from a damaged directory into a new one.
 * The reading is done in processes of its own, since a damaged LMDB file can end a process; where one dies, the next goes
 * on behind that place, skipping ever more until it gets through. Search indexes are not copied: create them again.
 *
 * @throws Error when `from` holds no store or is in use, when `to` is not empty or cannot be a directory, or when nothing more
 *   can be read.
 */
export async function salvage({ from, to }: { from: string; to: string }): Promise<SalvageReport> {
  if (!existsSync(join(from, STORE_FILE))) throw new Error(`${from} holds no ${STORE_FILE}`);
  // LMDB would make it in a way that never ends below /proc.
  await makeDirectory(to);
  if (readdirSync(to).length > 0) throw new Error(`${to} is not empty: give a new directory`);
  const lock = await lockDirectory(from);
  try {
    const progress = new Progress();
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      await runProcess(progress.task(from, to), progress);
      if (progress.report !== undefined) return progress.report;
      if (!progress.skipDeadEnd()) break;
    }
    throw new Error(`${from} cannot be read any further; what was copied is in ${to}`);
  } finally {
    lock.release();
  }
}

/** What is known over all processes so far. */
class Progress {
  report: SalvageReport | undefined;
  private readonly doneUpTo: Record<number, RecordId> = {};
  private readonly holes: Record<number, [RecordId, RecordId][]> = {};
  private damaged = 0;
  private unreadable = 0;
  private careful = false;
  private reading: { collectionId: number; after: RecordId } | undefined;

  task(from: string, to: string): SalvageTask {
    this.reading = undefined;
    return { from, to, doneUpTo: this.doneUpTo, careful: this.careful, holes: this.holes };
  }

  note(message: SalvageMessage): void {
    if (message.type === 'reading') this.reading = message;
    else if (message.type === 'copied') {
      this.doneUpTo[message.collectionId] = message.upTo;
      this.damaged += message.damaged;
      this.unreadable += message.gaps;
    } else {
      const { collections, records, indexesLeftOut } = message;
      const { damaged, unreadable } = this;
      const complete = damaged === 0 && unreadable === 0 && indexesLeftOut.length === 0;
      this.report = { collections, records, damaged, unreadable, indexesLeftOut, complete };
    }
  }

  /** After a process died: the next one reads carefully, and leaves out twice as much at the same place as the last. */
  skipDeadEnd(): boolean {
    if (!this.careful) {
      this.careful = true;
      return true;
    }
    // It died before the first record: of the catalogue, or of the new directory.
    if (this.reading === undefined) return false;
    const { collectionId, after } = this.reading;
    this.holes[collectionId] ??= [];
    const holes = this.holes[collectionId];
    const last = holes[holes.length - 1];
    if (last !== undefined && last[1] === after + 1) {
      last[1] += last[1] - last[0];
      return last[1] < Number.MAX_SAFE_INTEGER;
    }
    holes.push([after + 1, after + 2]);
    this.unreadable++;
    return true;
  }
}

async function runProcess(task: SalvageTask, progress: Progress): Promise<void> {
  const program = compiledUrl('./salvage/salvage-process.js', import.meta.url);
  const child: ChildProcess = spawn(process.execPath, [program.pathname], { stdio: ['pipe', 'pipe', 'ignore'] });
  let silence = setTimeout(() => child.kill('SIGKILL'), SILENCE_MS);
  const lines = createInterface({ input: child.stdout! });
  lines.on('line', (line) => {
    clearTimeout(silence);
    silence = setTimeout(() => child.kill('SIGKILL'), SILENCE_MS);
    progress.note(JSON.parse(line) as SalvageMessage);
  });
  const ended = Promise.all([once(child, 'exit'), once(lines, 'close')]);
  child.stdin!.on('error', () => {});
  child.stdin!.end(JSON.stringify(task));
  await ended;
  clearTimeout(silence);
}
