/** Tells those in this process who watch a job that something of it changed. */
export class JobChanges {
  readonly #watchers = new Map<string, Set<() => void>>();

  changed(jobId: string): void {
    for (const wake of this.#watchers.get(jobId) ?? []) wake();
  }

  /** Resolves with the job's next change, after `timeoutMs`, or when the signal fires. */
  next(jobId: string, timeoutMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const watchers = this.#watchers.get(jobId) ?? new Set();
      this.#watchers.set(jobId, watchers);
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        watchers.delete(end);
        if (watchers.size === 0 && this.#watchers.get(jobId) === watchers) this.#watchers.delete(jobId);
        resolve();
      };
      const timer = setTimeout(end, timeoutMs);
      watchers.add(end);
      signal.addEventListener('abort', end, { once: true });
      if (signal.aborted) end();
    });
  }
}
