import { setInterval as every } from 'node:timers';
import { childrenOf, memoryOf } from '../process-memory.js';

const SAMPLE_MS = 50;

/** Anonymous memory in MiB: the process's own, not pages of files that the system can take back. */
export interface TreeMemory {
  /** The API server with its threads. */
  readonly api: number;
  /** Its only child process. */
  readonly engine: number;
}

export function memoryOfTree(pid: number): TreeMemory {
  const anonymous = (one: number): number => memoryOf(one)?.anonymous ?? Number.NaN;
  return { api: anonymous(pid), engine: childrenOf(pid).reduce((sum, child) => sum + anonymous(child), 0) };
}

/** The largest of each until `stop`, and of both at one moment. */
export function watchPeak(pid: number): { stop(): TreeMemory & { readonly both: number } } {
  const peak = { api: 0, engine: 0, both: 0 };
  const sample = (): void => {
    const { api, engine } = memoryOfTree(pid);
    peak.api = Math.max(peak.api, api);
    peak.engine = Math.max(peak.engine, engine);
    peak.both = Math.max(peak.both, api + engine);
  };
  sample();
  const timer = every(sample, SAMPLE_MS);
  return {
    stop() {
      clearInterval(timer);
      sample();
      return peak;
    },
  };
}

export const formatTree = ({ api, engine }: TreeMemory): string =>
  `API ${api.toFixed(0)} MiB, Pocket Atlas ${engine.toFixed(0)} MiB`;
