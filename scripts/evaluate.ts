#!/usr/bin/env node
import { loadThrowAwayConfig } from '../src/config.js';
import { readCollection } from '../src/retrieve/evaluate/beir.js';
import { calibrate, type GoldenQuery } from '../src/retrieve/evaluate/calibrate.js';
import { parseConfiguration } from '../src/retrieve/evaluate/configuration.js';
import {
  type ChunkingResult,
  evaluateChunking,
  readExcerptCollection,
} from '../src/retrieve/evaluate/evaluate-chunking.js';
import { compare, evaluateConfiguration, ingestCollection } from '../src/retrieve/evaluate/evaluate-retrieval.js';
import type { EvaluatedChunking, EvaluationClient } from '../src/retrieve/evaluate/evaluation-client.js';
import { calibrationTable, chunkingTable, comparisonTable, retrievalTable } from '../src/retrieve/evaluate/report.js';
import type { Weights } from '../src/retrieve/weights.js';
import { processOutput } from './cli/output.js';
import { argumentsProblem } from './evaluate/check-arguments.js';
import { saveCalibration } from './evaluate/save-calibration.js';
import { withServer } from './evaluate/throw-away-server.js';
import { optionsOrUsage } from './options-or-usage.js';

const USAGE = `Usage: npm run evaluate -- --dataset DIR [options]

Ingests a collection into a throw-away server through its API, asks every question, and prints how good the answers are.

  --dataset DIR       corpus.jsonl, queries.jsonl and qrels.tsv (BEIR), or corpora/*.md and questions.jsonl (excerpts)
  --mode LIST         VECTOR, TEXT, HYBRID, HYBRID@0.2:1 (vector : text), each also with +rerank; default VECTOR,TEXT,HYBRID
  --compare A B       two of them side by side, with a paired test (the second one is the last argument)
  --calibrate         which weights fuse the two legs best on these questions
  --save              with --calibrate: keep them in the configured database (MONGODB_URI or GAZETTEER_DATA_DIR)
  --provider NAME     hash, bundled or openai; default: what the environment says
  --languages LIST    languages of the text index; default en
  --chunking LIST     RECURSIVE:200, TOKEN:800:400, NONE, … (strategy:size:overlap). BEIR: one, default: the server's.
                      Excerpts: several, each in turn, searched with HYBRID unless --mode says
  --queries N         only the first N questions
  --json              everything as JSON, each query's figures included`;

const ALL_MODES = 'VECTOR,TEXT,HYBRID';
const EXCERPT_CHUNKINGS = 'RECURSIVE:200,RECURSIVE:400,SENTENCE:200,TOKEN:200,SLIDING_WINDOW:1000';
const OPTIONS = {
  allowPositionals: true,
  options: {
    dataset: { type: 'string' },
    mode: { type: 'string', default: ALL_MODES },
    compare: { type: 'string' },
    calibrate: { type: 'boolean', default: false },
    save: { type: 'boolean', default: false },
    provider: { type: 'string' },
    languages: { type: 'string', default: 'en' },
    chunking: { type: 'string' },
    queries: { type: 'string' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
} as const;
const given = optionsOrUsage(OPTIONS, USAGE);
if (given === null) process.exit();
const { values, positionals } = given;
const output = processOutput();
let calibrated: Weights | null = null;
/** Documents stored at the same time. */
const CONCURRENCY = 8;
/** Hits of each leg that calibration fuses. */
const LEG_DEPTH = 100;

const progress = (what: string) => (done: number, total: number) =>
  output.redraw?.(done === total ? '' : `${what} ${done} of ${total}`);

async function evaluateCollection(client: EvaluationClient, directory: string): Promise<void> {
  const whole = await readCollection(directory);
  const collection = { ...whole, queries: whole.queries.slice(0, Number(values.queries ?? whole.queries.length)) };
  const started = performance.now();
  const chunkings = values.chunking?.split(',') ?? [];
  if (chunkings.length > 1)
    throw new Error(
      `--chunking: a BEIR collection is stored in one way, got ${chunkings.length}: run it once for each`,
    );
  await ingestCollection(client, collection, {
    concurrency: CONCURRENCY,
    onProgress: progress('stored'),
    ...(chunkings[0] !== undefined && { chunking: parseChunking(chunkings[0]) }),
  });
  output.err(`${collection.documents.length} documents in ${((performance.now() - started) / 1000).toFixed(1)} s, ${collection.queries.length} questions`); // biome-ignore format: one line
  if (values.calibrate) return await printCalibration(client, collection);
  const results = [];
  for (const name of names)
    results.push(await evaluateConfiguration(client, collection, parseConfiguration(name), progress(name)));
  const comparison = values.compare === undefined ? null : compare(results[0]!, results[1]!);
  if (values.json) return output.out(JSON.stringify({ dataset: directory, results, comparison }, null, 2));
  output.out(retrievalTable(results));
  if (comparison !== null) output.out(`\n${comparisonTable(names[0]!, names[1]!, comparison)}`);
}

async function printCalibration(
  client: EvaluationClient,
  collection: Awaited<ReturnType<typeof readCollection>>,
): Promise<void> {
  // biome-ignore format: one line
  const leg = async (query: string, mode: 'VECTOR' | 'TEXT') =>
    (await client.search({ query, configuration: { mode, weights: null, rerank: false }, first: LEG_DEPTH })).hits;
  const golden: GoldenQuery[] = [];
  for (const { text, relevance } of collection.queries)
    golden.push({ relevance, vector: await leg(text, 'VECTOR'), text: await leg(text, 'TEXT') });
  const { best, curve } = calibrate(golden);
  calibrated = best;
  if (values.json) return output.out(JSON.stringify({ best, curve }, null, 2));
  output.out(calibrationTable(curve));
  output.out(`\nBest: vector ${best.vector}, text ${best.text}`);
}

async function evaluateExcerpts(directory: string): Promise<void> {
  const collection = await readExcerptCollection(directory);
  const modes = values.mode === ALL_MODES ? ['HYBRID'] : values.mode.split(',');
  const results: ChunkingResult[] = [];
  const chunkings = (values.chunking ?? EXCERPT_CHUNKINGS).split(',').map(parseChunking);
  for (const chunking of chunkings) {
    // A server each: pieces of an earlier cut must not be searched.
    await withServer(server, async (client) => {
      for (const mode of modes) {
        const result = await evaluateChunking(client, collection, chunking, parseConfiguration(mode));
        results.push(modes.length === 1 ? result : { ...result, name: `${result.name} ${mode}` });
        output.redraw?.(`${results.length} of ${modes.length * chunkings.length}`);
      }
    });
  }
  output.out(values.json ? JSON.stringify(results, null, 2) : chunkingTable(results));
}

function parseChunking(text: string): EvaluatedChunking {
  const [strategy, size, overlap] = text.split(':') as [EvaluatedChunking['strategy'], string?, string?];
  if (size === undefined) return { strategy };
  const unit = strategy === 'SLIDING_WINDOW' ? 'maxCharacters' : 'maxTokens';
  return { strategy, [unit]: Number(size), ...(overlap !== undefined && { overlap: Number(overlap) }) };
}

const names = values.compare === undefined ? values.mode.split(',') : [values.compare, positionals[0] ?? ''];
const { dataset, provider, queries } = values;
const problem =
  dataset === undefined ? null : await argumentsProblem({ dataset, configurations: names, provider, queries });
const server = { provider: values.provider, languages: values.languages.split(',') };
if (values.dataset === undefined) {
  output.err(USAGE);
  process.exitCode = 2;
} else if (problem !== null) {
  output.err(problem);
  process.exitCode = 2;
} else {
  const directory = values.dataset;
  const isExcerpts = await readExcerptCollection(directory).then(() => true, () => false); // biome-ignore format: one line
  if (isExcerpts) await evaluateExcerpts(directory);
  else await withServer(server, (client) => evaluateCollection(client, directory));
  if (values.save && calibrated !== null) {
    const provider = values.provider ?? loadThrowAwayConfig(directory).embedding.provider;
    output.err(`Saved for space ${await saveCalibration(provider, calibrated)}`);
  }
}
