import { setTimeout as sleep } from 'node:timers/promises';
import { makeRandom, makeWords } from '../corpus.js';
import { percentiles, timed } from '../measure.js';
import type { BenchServer } from '../server.js';

const UPSERT = `mutation ($input: UpsertDocumentInput!) { upsertDocument(input: $input) { outcome } }`;
const SEARCH = `query ($input: SearchInput!) { search(input: $input) { nodes { id } } }`;
const DOCUMENTS = 300;
/** A person or an agent now and then, not a load test. */
const PAUSE_MS = 25;
const WARM_UP = 50;

/** Something to be found while other things go on. */
export async function storeDocuments(server: BenchServer): Promise<void> {
  const words = makeWords(makeRandom(6));
  for (let i = 0; i < DOCUMENTS; i++) {
    const text = Array.from({ length: 80 }, words).join(' ');
    const waitUntil = i === DOCUMENTS - 1 ? 'SEARCHABLE' : 'STORED';
    await server.graphql(UPSERT, { input: { title: `document ${i}`, text, waitUntil } });
  }
}

/** Searches one after the other, until `isOver`. Times in ms. */
export async function searchUntil(
  server: BenchServer,
  isOver: (searches: number) => boolean,
): Promise<{ p50: number; p95: number; searches: number }> {
  const words = makeWords(makeRandom(7));
  const queries = Array.from({ length: 50 }, () => Array.from({ length: 5 }, words).join(' '));
  const times: number[] = [];
  for (let i = 0; !isOver(times.length); i++) {
    const input = { query: queries[i % queries.length], mode: 'HYBRID' };
    times.push(await timed(() => server.graphql(SEARCH, { input })));
    await sleep(PAUSE_MS);
  }
  return { ...percentiles(times), searches: times.length };
}

/** With nothing else to do. */
export async function searchIdle(server: BenchServer, searches: number): Promise<{ p50: number; p95: number }> {
  await searchUntil(server, (done) => done >= WARM_UP);
  return await searchUntil(server, (done) => done >= searches);
}
