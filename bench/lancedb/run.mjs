/**
 * The same vectors, filters and queries in LanceDB. Arguments: a JSON file with the work, which names a file of float32
 * vectors. Prints one JSON line. Runs in a process of its own, so that its memory can be told apart.
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, Index } from '@lancedb/lancedb';

const work = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const { dimensions, rows, limit, filters, rounds } = work;
const bytes = readFileSync(work.vectors);
const all = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
const vectorAt = (row) => all.subarray(row * dimensions, (row + 1) * dimensions);

const directory = await mkdtemp(join(tmpdir(), 'gazetteer-lancedb-'));
try {
  const db = await connect(directory);
  const start = performance.now();
  const BATCH = 2_000;
  let table;
  for (let from = 0; from < rows; from += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, rows - from) }, (_, i) => {
      const id = from + i;
      const tenants = Object.fromEntries(filters.map(({ field, share }) => [field, `t${id % share}`]));
      return { id, ...tenants, vector: Array.from(vectorAt(id)) };
    });
    if (table === undefined) table = await db.createTable('chunks', batch);
    else await table.add(batch);
  }
  for (const { field } of filters) await table.createIndex(field, { config: Index.bitmap() });
  // Its recall with product quantization is far lower; this is the index of its that compares.
  await table.createIndex('vector', { config: Index.hnswSq({ distanceType: 'cosine' }) });
  const buildMs = performance.now() - start;

  const results = [];
  for (const { field, share } of [{ field: null, share: 1 }, ...filters]) {
    const times = [];
    const found = [];
    for (let round = -1; round < rounds; round++) {
      for (const [number, query] of work.queries.entries()) {
        const vector = all.subarray(query * dimensions, (query + 1) * dimensions);
        const begin = performance.now();
        let search = table
          .search(vector)
          .distanceType('cosine')
          .limit(limit)
          .select(['id', '_distance'])
          .ef(work.numCandidates);
        if (field !== null) search = search.where(`${field} = 't${number % share}'`);
        const hits = await search.toArray();
        if (round >= 0) times.push(performance.now() - begin);
        if (round === 0) found.push(hits.map(({ id }) => Number(id)));
      }
    }
    results.push({ field, share, times, found });
  }
  process.stdout.write(`${JSON.stringify({ buildMs, results })}\n`);
} finally {
  await rm(directory, { recursive: true, force: true });
}
