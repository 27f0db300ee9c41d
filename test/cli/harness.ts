import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { runCommand } from '../../scripts/cli/run.js';

/** A folder and what commands print that run in it. */
export class CommandLine {
  readonly folder = mkdtempSync(join(tmpdir(), 'gazetteer-cli-'));
  out: string[] = [];
  err: string[] = [];
  stdout = new PassThrough();

  /** Runs a command line against the server at `url`; what was printed before is forgotten. */
  async run(
    args: string,
    options: { url: string; apiKey?: string; signal?: AbortSignal; stdin?: Readable },
  ): Promise<number> {
    this.out = [];
    this.err = [];
    this.stdout = new PassThrough();
    return await runCommand(args.match(/'[^']*'|\S+/g)?.map((part) => part.replace(/^'|'$/g, '')) ?? [], {
      config: () => ({ url: options.url, apiKey: options.apiKey ?? null, stateDir: join(this.folder, '.state') }),
      output: {
        out: (line) => this.out.push(line),
        err: (line) => this.err.push(line),
        stdout: this.stdout,
      },
      cwd: this.folder,
      stdin: options.stdin ?? Readable.from([]),
      ...(options.signal && { signal: options.signal }),
    });
  }

  write(files: Record<string, string | Uint8Array>): void {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.folder, name)), { recursive: true });
      writeFileSync(join(this.folder, name), text);
    }
  }

  remove(name: string): void {
    rmSync(join(this.folder, name), { recursive: true });
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  dispose(): void {
    rmSync(this.folder, { recursive: true });
  }
}
