import { optionsOrUsage } from './options-or-usage.js';

const SUITES: Readonly<
  Record<string, { readonly title: string; run(print: (line: string) => void, quick: boolean): Promise<void> }>
> = {
  'end-to-end': {
    title: 'Start-up, ingest and search of the whole server',
    run: async (print, quick) =>
      (await import('../bench/end-to-end.js')).benchEndToEnd(print, quick ? [1_000] : [1_000, 20_000]),
  },
  ingestion: {
    title: 'Ten thousand short documents as one job, a 40 MB text, a PDF of 350 pages',
    run: async (print, quick) =>
      (await import('../bench/ingestion.js')).benchIngestion(
        print,
        quick ? { documents: 1_000, textBytes: 4e6, pages: 50 } : { documents: 10_000, textBytes: 40e6, pages: 350 },
      ),
  },
  chunking: {
    title: 'Cutting texts, beside LangChain',
    run: async (print, quick) => (await import('../bench/chunking.js')).benchChunking(print, quick ? 8 : 40),
  },
  'bundled-embedder': {
    title: 'Embedding with the model that ships in npm',
    run: async (print, quick) =>
      (await import('../bench/bundled-embedder.js')).benchBundledEmbedder(print, quick ? 40 : 200),
  },
  'vector-search': {
    title: '$vectorSearch under owner filters, beside bare usearch and LanceDB',
    run: async (print, quick) =>
      (await import('../bench/vector-search.js')).benchVectorSearch(print, quick ? [20_000] : [20_000, 100_000]),
  },
  'text-search': {
    title: '$search over short texts',
    run: async (print, quick) =>
      (await import('../bench/text-search.js')).benchTextSearch(print, quick ? 10_000 : 100_000),
  },
  mongodb: {
    title: 'Pocket Atlas as a MongoDB, beside what limits it',
    run: async (print, quick) => (await import('../bench/mongodb.js')).benchMongoDb(print, quick ? 2_000 : 10_000),
  },
};

const USAGE = `Usage: npm run bench -- [SUITE …] [--quick]

Prints figures, each beside a peer or a limit measured in the same run; without names, of every suite. --quick: fewer rows.

${Object.entries(SUITES)
  .map(([name, { title }]) => `  ${name.padEnd(18)}${title}`)
  .join('\n')}`;

const given = optionsOrUsage(
  { allowPositionals: true, options: { quick: { type: 'boolean', default: false }, help: { type: 'boolean' } } },
  USAGE,
);
if (given !== null) await runSuites(given.positionals, given.values.quick);

async function runSuites(names: readonly string[], quick: boolean): Promise<void> {
  const unknown = names.filter((name) => !Object.hasOwn(SUITES, name));
  if (unknown.length > 0) {
    console.error(`No such suite: ${unknown.join(', ')}. There are: ${Object.keys(SUITES).join(', ')}`);
    process.exitCode = 2;
    return;
  }
  for (const name of names.length > 0 ? names : Object.keys(SUITES)) {
    const suite = SUITES[name]!;
    console.log(`\n${suite.title} (${name})`);
    await suite.run((line) => console.log(line), quick);
  }
}
