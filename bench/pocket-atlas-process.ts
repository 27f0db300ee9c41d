import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { LoopDelay } from './loop-delay.js';

/** Pocket Atlas alone, in a process of its own, as `npm run pocket-atlas` starts it, with its event loop watched. */
export interface PocketAtlasProcess {
  readonly uri: string;
  readonly pid: number;
  /** Of its event loop, since it was asked last. */
  loopDelay(): Promise<LoopDelay>;
  stop(): Promise<void>;
}

const MAIN = fileURLToPath(new URL('../src/pocket-atlas/main.js', import.meta.url));
const WATCH = new URL('./loop-delay.js', import.meta.url).href;
const READY = /Pocket Atlas ready at (\S+)/;

export async function startPocketAtlas(dataDir: string): Promise<PocketAtlasProcess> {
  const child = spawn(process.execPath, ['--import', WATCH, MAIN, '--data-dir', dataDir], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const uri = await readyUri(child);
  return {
    uri,
    pid: child.pid as number,
    async loopDelay() {
      const answer = once(child, 'message');
      child.send('loop delay');
      return (await answer)[0] as LoopDelay;
    },
    async stop() {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}

function readyUri(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
      const uri = READY.exec(output)?.[1];
      if (uri !== undefined) resolve(uri);
    });
    child.once('exit', (code) => reject(new Error(`Pocket Atlas ended with ${code} before it was ready`)));
  });
}
