import { createBundledEmbedder } from '../src/embed/bundled/bundled.js';
import { makeRandom, makeWords } from './corpus.js';
import { formatSpread, percentiles, round, spreadOf, timed } from './measure.js';

const CHUNK_TOKENS = 200;
const WORKERS = 2;

/** The model that ships in npm: chunks per second on two threads, and what a query takes when idle and meanwhile. */
export async function benchBundledEmbedder(print: (line: string) => void, chunks: number): Promise<void> {
  const embedder = createBundledEmbedder({ documentWorkers: WORKERS });
  try {
    const word = makeWords(makeRandom(11));
    const textOf = () => {
      let text = word();
      while (embedder.countTokens(text) < CHUNK_TOKENS) text += ` ${word()}`;
      return text;
    };
    const query = () => embedder.embed([`how does ${word()} ${word()} work`], { kind: 'query' });
    print(`  first query, model loaded: ${round(await timed(query))} ms`);
    await embedder.embed([textOf(), textOf()], { kind: 'document' });

    const idle = await timesOf(query, 30);
    const texts = Array.from({ length: chunks }, textOf);
    const rates: number[] = [];
    let isEmbedding = true;
    const embedding = (async () => {
      const share = Math.ceil(chunks / 5);
      for (let from = 0; from < chunks; from += share) {
        const part = texts.slice(from, from + share);
        const ms = await timed(() => embedder.embed(part, { kind: 'document' }));
        rates.push((part.length * 1_000) / ms);
      }
      isEmbedding = false;
    })();
    const busy: number[] = [];
    while (isEmbedding) {
      busy.push(await timed(query));
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await embedding;
    const [before, during] = [percentiles(idle), percentiles(busy)];
    print(`  ${formatSpread(spreadOf(rates), `chunks of ${CHUNK_TOKENS} tokens per second`)} on ${WORKERS} threads`);
    print(`  query alone: p50 ${round(before.p50)} ms, p95 ${round(before.p95)} ms`);
    print(
      `  query meanwhile: p50 ${round(during.p50)} ms, p95 ${round(during.p95)} ms (${round(during.p95 / before.p95)} ×)`,
    );
  } finally {
    await embedder.close?.();
  }
}

async function timesOf(run: () => Promise<unknown>, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let at = 0; at < count; at++) times.push(await timed(run));
  return times;
}
