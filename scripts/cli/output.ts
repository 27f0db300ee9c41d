import type { Writable } from 'node:stream';

/** Where a command writes: results to `out`, progress and complaints to `err`. Tests give their own. */
export interface Output {
  out(line: string): void;
  err(line: string): void;
  /** Where bytes go, with back-pressure. */
  readonly stdout: Writable;
  /** Replaces the current line of a terminal; absent where nobody watches one. */
  readonly redraw?: (line: string) => void;
}

/** What a shell sees of a tool that SIGPIPE ended. */
const BROKEN_PIPE = 141;

/** `… | head` has read enough: the process ends as other tools do, and says nothing. */
export function endWithReader(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(BROKEN_PIPE);
      throw error;
    });
}

export function processOutput(): Output {
  const { stdout, stderr } = process;
  return {
    stdout,
    out: (line) => stdout.write(`${line}\n`),
    err: (line) => stderr.write(`${line}\n`),
    ...(stderr.isTTY && { redraw: (line: string) => stderr.write(`\r\u001b[2K${line}`) }),
  };
}
