import type { BenchServer } from '../server.js';

const FOLLOW = `subscription ($id: ID!) {
  job(id: $id) { state done failed progress { phase done total } }
}`;

export interface JobEnd {
  readonly state: string;
  readonly done: number;
  /** Longest time without news, from now to the end, in ms; what says the same again is none. */
  readonly longestGapMs: number;
  readonly events: number;
}

/** Follows a job by the event stream of its subscription until it has ended. */
export async function followJob(
  server: BenchServer,
  id: string,
  options: { readonly onNews?: (done: number) => void } = {},
): Promise<JobEnd> {
  let last = performance.now();
  let longestGapMs = 0;
  let events = 0;
  let known = '';
  const response = await fetch(server.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ query: FOLLOW, variables: { id } }),
  });
  for await (const data of eventsOf(response)) {
    const job = (data as { data?: { job?: { state: string; done: number } } }).data?.job;
    if (job === undefined) throw new Error(`The subscription failed: ${JSON.stringify(data)}`);
    const news = JSON.stringify(job);
    if (news === known) continue;
    known = news;
    const now = performance.now();
    longestGapMs = Math.max(longestGapMs, now - last);
    last = now;
    events++;
    options.onNews?.(job.done);
    if (job.state !== 'QUEUED' && job.state !== 'RUNNING') return { ...job, longestGapMs, events };
  }
  throw new Error('The subscription ended before the job did');
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
