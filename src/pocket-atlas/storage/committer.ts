import type { CommitState } from './commit-state.js';
import type { Environment } from './environment.js';

/** One atomic change of the file, waiting for its turn. */
export interface Job {
  /** Adds its operations to the group's state. May run more than once: what it changes of itself, it must set anew. */
  prepare(state: CommitState): void;
  /** Runs when the group is on disk, before any waiter goes on. */
  done?(): void;
}

interface Waiting {
  readonly job: Job;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Operations that one flush takes: more would keep the event loop busy for too long. One job may exceed it. */
const GROUP_OPERATIONS_MAX = 4000;

/**
 * Group commit: while one group is being flushed, others gather; the next flush takes them all. Parallel writers thus
 * share the cost of the disk. A failed group is tried again one job at a time, so that only the culprit fails.
 */
export class Committer {
  private readonly queue: Waiting[] = [];
  private running: Promise<void> | undefined;

  constructor(
    private readonly environment: Environment,
    private readonly newState: () => CommitState,
    private readonly adopt: (state: CommitState) => void,
  ) {}

  /** Resolves once the job is on disk. */
  submit(job: Job): Promise<void> {
    return new Promise((resolve, reject) => {
      this.queue.push({ job, resolve, reject });
      // One turn later, so that all writers of this turn share the first flush.
      this.running ??= new Promise<void>((go) => setImmediate(go)).then(() => this.run());
    });
  }

  /** Resolves when nothing is waiting any more. */
  async drained(): Promise<void> {
    while (this.running !== undefined) await this.running;
  }

  private async run(): Promise<void> {
    while (this.queue.length > 0) {
      const { group, state } = this.nextGroup();
      if (group.length === 0) continue;
      try {
        await this.environment.apply(state.operations);
        this.finish(group, state);
      } catch (error) {
        if (group.length === 1) group[0]!.reject(error);
        else await this.runSingly(group);
      }
    }
    this.running = undefined;
  }

  /** Prepares as many jobs as one flush takes. A job that cannot be prepared fails alone. */
  private nextGroup(): { group: Waiting[]; state: CommitState } {
    const group: Waiting[] = [];
    let state = this.newState();
    while (this.queue.length > 0 && state.operations.length < GROUP_OPERATIONS_MAX) {
      const waiting = this.queue.shift()!;
      try {
        waiting.job.prepare(state);
        group.push(waiting);
      } catch (error) {
        waiting.reject(error);
        // It may have left something behind: begin again with those before it.
        this.queue.unshift(...group.splice(0));
        state = this.newState();
      }
    }
    state.finish();
    return { group, state };
  }

  private async runSingly(group: readonly Waiting[]): Promise<void> {
    for (const waiting of group) {
      const state = this.newState();
      try {
        waiting.job.prepare(state);
        state.finish();
        await this.environment.apply(state.operations);
        this.finish([waiting], state);
      } catch (error) {
        waiting.reject(error);
      }
    }
  }

  private finish(group: readonly Waiting[], state: CommitState): void {
    this.adopt(state);
    for (const { job, resolve } of group) {
      job.done?.();
      resolve();
    }
  }
}
