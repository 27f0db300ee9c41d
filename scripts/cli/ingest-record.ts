import { createHash } from 'node:crypto';
import { appendFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** What a file was when it was sent, and the document that it became. */
export interface SentFile {
  readonly sizeBytes: number;
  readonly modifiedMs: number;
  /** As given by --agents; null: not given. */
  readonly agentIds: readonly string[] | null;
  readonly documentId: string;
  readonly version: number;
}

/**
 * Which files of a folder were sent to a server, by title: what makes a second run cheap, and tells the documents that are
 * ours to delete from those that others made. A line is appended per file, so a run that was cut goes on where it ended.
 */
export class IngestRecord {
  readonly #path: string | null;
  readonly #files: Map<string, SentFile>;

  private constructor(path: string | null, files: Map<string, SentFile>) {
    this.#path = path;
    this.#files = files;
  }

  /** `stateDir` null: nothing is remembered. */
  static async open(
    stateDir: string | null,
    place: { url: string; ownerId: string; root: string },
  ): Promise<IngestRecord> {
    if (stateDir === null) return new IngestRecord(null, new Map());
    const name = createHash('sha256')
      .update(JSON.stringify([place.url, place.ownerId, place.root]))
      .digest('hex');
    const path = join(stateDir, 'ingest', `${name.slice(0, 32)}.ndjson`);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const { files, lines } = await read(path);
    if (lines > 2 * files.size + 100) await rewrite(path, files);
    return new IngestRecord(path, files);
  }

  get(title: string): SentFile | undefined {
    return this.#files.get(title);
  }

  entries(): readonly (readonly [title: string, file: SentFile])[] {
    return [...this.#files];
  }

  async note(title: string, file: SentFile): Promise<void> {
    this.#files.set(title, file);
    await this.#append({ title, ...file });
  }

  async forget(title: string): Promise<void> {
    this.#files.delete(title);
    await this.#append({ title, gone: true });
  }

  async #append(line: object): Promise<void> {
    if (this.#path !== null) await appendFile(this.#path, `${JSON.stringify(line)}\n`, { mode: 0o600 });
  }
}

async function read(path: string): Promise<{ files: Map<string, SentFile>; lines: number }> {
  const files = new Map<string, SentFile>();
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch {
    return { files, lines: 0 };
  }
  const lines = text.split('\n').filter((line) => line !== '');
  for (const line of lines) {
    const entry = parsed(line);
    if (entry === null) continue;
    const { title, gone, ...file } = entry;
    if (gone) files.delete(title);
    else files.set(title, file);
  }
  return { files, lines: lines.length };
}

type Line = SentFile & { readonly title: string; readonly gone?: boolean };

/** The last line of a run that was killed may be half of one. */
function parsed(line: string): Line | null {
  try {
    const entry = JSON.parse(line) as Line;
    return typeof entry.title === 'string' ? entry : null;
  } catch {
    return null;
  }
}

async function rewrite(path: string, files: ReadonlyMap<string, SentFile>): Promise<void> {
  const text = [...files].map(([title, file]) => `${JSON.stringify({ title, ...file })}\n`).join('');
  await writeFile(`${path}.new`, text, { mode: 0o600 });
  await rename(`${path}.new`, path);
}
