import { readFileSync } from 'node:fs';

/** Resident memory of a process in MiB: anonymous (its own) and of mapped files (the system's to take back). Linux only. */
export interface ProcessMemory {
  readonly anonymous: number;
  readonly files: number;
}

export function memoryOf(pid: number): ProcessMemory | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const field = (name: string): number =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? Number.NaN) / 1024;
    return { anonymous: field('RssAnon'), files: field('RssFile') };
  } catch {
    // no such file system here
    return null;
  }
}

/** Process ids of the direct children. */
export function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
  } catch {
    // no such file system here
    return [];
  }
}

export const formatMemory = (memory: ProcessMemory | null): string =>
  memory === null
    ? 'not known on this system'
    : `${memory.anonymous.toFixed(0)} MiB anonymous, ${memory.files.toFixed(0)} MiB of files`;
