import { expect } from 'vitest';
import type { TestServer } from '../graphql/server.js';

export interface EndedJob {
  readonly state: string;
  readonly total: number;
  readonly done: number;
  readonly failed: number;
  readonly items: readonly {
    readonly name: string;
    readonly state: string;
    readonly outcome: string | null;
    readonly error: { readonly code: string; readonly message: string } | null;
  }[];
}

/** The job once it has ended, with its first hundred items. */
export async function followed(server: TestServer, jobId: string, key?: string): Promise<EndedJob> {
  const read = async () => {
    const { node } = await server.data(
      `query($id: ID!) {
        node(id: $id) {
          ... on Job { state total done failed items(first: 100) { nodes { name state outcome error { code message } } } }
        }
      }`,
      { id: jobId },
      key,
    );
    return { ...node, items: node.items.nodes } as EndedJob;
  };
  await expect.poll(async () => (await read()).state, { timeout: 60_000, interval: 50 }).not.toMatch(/QUEUED|RUNNING/);
  return await read();
}
