import type { BenchServer } from '../server.js';

const FOLLOW = `subscription ($id: ID!) {
  job(id: $id) { state done failed progress { phase done total at } }
}`;

export interface JobEnd {
  readonly state: string;
  readonly done: number;
  /** Longest time without news, from now to the end, in ms. */
  readonly longestGapMs: number;
  /** The same, where the same figures again are no news, and in which phase. */
  readonly longestStill: { readonly ms: number; readonly phase: string };
  readonly events: number;
}

/** Follows a job by the event stream of its subscription until it has ended. */
export async function followJob(
  server: BenchServer,
  id: string,
  options: { readonly onNews?: (done: number) => void } = {},
): Promise<JobEnd> {
  let heardAt = performance.now();
  let movedAt = heardAt;
  let longestGapMs = 0;
  let longestStill = { ms: 0, phase: 'queued' };
  let events = 0;
  let figures = '';
  let phase = 'queued';
  const response = await fetch(server.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ query: FOLLOW, variables: { id } }),
  });
  for await (const data of eventsOf(response)) {
    const job = (data as { data?: { job?: FollowedJob } }).data?.job;
    if (job === undefined) throw new Error(`The subscription failed: ${JSON.stringify(data)}`);
    const now = performance.now();
    longestGapMs = Math.max(longestGapMs, now - heardAt);
    heardAt = now;
    events++;
    const shown = JSON.stringify({ ...job, progress: { ...job.progress, at: null } });
    if (shown !== figures) {
      if (now - movedAt > longestStill.ms) longestStill = { ms: now - movedAt, phase };
      movedAt = now;
      figures = shown;
      phase = job.progress?.phase ?? job.state;
    }
    options.onNews?.(job.done);
    if (job.state !== 'QUEUED' && job.state !== 'RUNNING')
      return { state: job.state, done: job.done, longestGapMs, longestStill, events };
  }
  throw new Error('The subscription ended before the job did');
}

interface FollowedJob {
  readonly state: string;
  readonly done: number;
  readonly progress: { readonly phase: string } | null;
}

async function* eventsOf({ body }: Response): AsyncGenerator<unknown> {
  if (body === null) throw new Error('The subscription has no body');
  let text = '';
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    text += piece;
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      const data = /^data: ?(\{.*)$/m.exec(event)?.[1];
      if (data !== undefined) yield JSON.parse(data);
    }
  }
}
