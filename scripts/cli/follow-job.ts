import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from './client.js';
import { CliFailure } from './failure.js';

const JOB = `query Job($id: ID!) {
  node(id: $id) { ... on Job { state total done failed } }
}`;
const ITEMS = `query JobItems($id: ID!, $states: [JobItemState!], $first: Int!, $after: String) {
  node(id: $id) {
    ... on Job {
      items(states: $states, first: $first, after: $after) {
        nodes { name outcome error { code message } document { id version chunkCount } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
}`;

export type JobState = 'QUEUED' | 'RUNNING' | 'SUCCEEDED' | 'PARTIAL' | 'FAILED' | 'CANCELLED';

export interface JobProgress {
  readonly state: JobState;
  readonly total: number;
  readonly done: number;
  readonly failed: number;
}

export interface JobItem {
  readonly name: string;
  readonly outcome: 'CREATED' | 'UPDATED' | 'UNCHANGED' | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly document: { readonly id: string; readonly version: number; readonly chunkCount: number } | null;
}

const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 1_000;

/** Waits until the job has ended, telling how far it is. A job that the caller cannot see (any more) is a `CliFailure`. */
export async function followJob(
  client: Client,
  jobId: string,
  onProgress: (progress: JobProgress) => void = () => {},
): Promise<JobProgress> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
    const { node } = await client.run<{ node: JobProgress | null }>(JOB, { id: jobId });
    if (node === null) throw new CliFailure(`The job ${jobId} is gone`);
    onProgress(node);
    if (node.state !== 'QUEUED' && node.state !== 'RUNNING') return node;
    await delay(pauseMs);
  }
}

/** The job's items in these states, up to `most`. */
export async function jobItems(
  client: Client,
  jobId: string,
  options: { states?: readonly string[]; most: number },
): Promise<readonly JobItem[]> {
  type Page = { nodes: JobItem[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } };
  const items: JobItem[] = [];
  for (let after: string | null = null; ; ) {
    const first = Math.min(100, options.most - items.length);
    const answer: { node: { items: Page } | null } = await client.run(ITEMS, {
      id: jobId,
      states: options.states ?? null,
      first,
      after,
    });
    if (answer.node === null) return items;
    const { nodes, pageInfo } = answer.node.items;
    items.push(...nodes);
    if (!pageInfo.hasNextPage || items.length >= options.most) return items;
    after = pageInfo.endCursor;
  }
}
