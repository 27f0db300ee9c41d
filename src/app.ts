import type { Logger } from 'pino';
import { type Config, isLoopbackName } from './config.js';
import type { EmbedderSettings } from './embed/create-embedder.js';
import type { Embedder, EmbedderSpace } from './embed/embedder.js';
import type { RateLimits } from './embed/rate-budget.js';
import { AppError } from './errors.js';
import { spawnPocketAtlas } from './pocket-atlas/spawn.js';
import type { SpaceRecord } from './store/records.js';

export interface App {
  /** Where GraphQL is served. */
  readonly url: string;
  /** Lets running requests finish, then closes everything in order. */
  stop(): Promise<void>;
}

/**
 * The composition root: chooses the parts by the configuration and joins them. Whatever a failed start has opened is
 * closed again. Throws `AppError` for what an operator can mend, and what `listen` throws.
 */
export async function startApp(config: Config, logger: Logger): Promise<App> {
  /** What has been opened, to be closed in the opposite order. */
  const opened: (() => Promise<void>)[] = [];
  const closeAll = async () => {
    for (const close of opened.splice(0).reverse()) await close();
  };
  try {
    const [uri, parts] = await Promise.all([
      config.database.uri ?? startPocketAtlas(config, logger, opened),
      loadParts(),
    ]);
    const { rankingFunctions, countedCalls } = parts;
    const embedders = makeEmbedders(config, parts, opened);
    const store = await parts.openStore({
      uri,
      dbName: config.database.name,
      filterable: config.database.filterable,
      languages: config.database.languages,
      space: { initial: embedders.configured().space, explicit: config.embedding.explicit },
      onNotice: (message) => logger.warn(message),
      onBackgroundError: (error) => logger.error({ err: error }, 'Background work failed; it is tried again'),
    });
    opened.push(() => store.close());
    await refuseOpenDoors(config, parts, () => store.hasApiKeys());

    const counted = countedCalls(store);
    const ingest = parts.createIngest({
      store: counted,
      embedderOf: embedders.of,
      contextWriter: config.context && parts.createChatContextWriter(config.context),
    });
    opened.push(() => ingest.close());
    const jobs = parts.createJobs({
      store: counted,
      ingest,
      embedderOf: embedders.of,
      onError: (error) => logger.error({ err: error }, 'An item of a job failed, or could not be noted'),
      runner: { ...config.jobs, drainMs: config.http.drainMs },
    });
    const queryEmbedder = parts.createQueryEmbedder(embedders.of);
    const api = await parts.startApi({
      config,
      logger,
      parts: {
        store: counted,
        ingest,
        jobs,
        reembedding: parts.createReembedding({
          store: counted,
          jobs,
          makeEmbedder: embedders.make,
          problem: embedders.problem,
        }),
        retrieve: parts.createRetrieve({
          store: counted,
          search: countedCalls(store.search),
          rankings: countedCalls(rankingFunctions(store.database, store.sealer, store.clock)),
          queryEmbedder,
          deadlineMs: config.search.deadlineMs,
          ...(config.search.rerank && {
            reranker: parts.createReranker(config.search.rerank),
            rerankCount: config.search.rerank.count,
          }),
        }),
        embedQueries: queryEmbedder.embed,
      },
      readiness: parts.makeReadiness(store, parts.operator, async () => embedders.problem(await store.activeSpace())),
    });
    opened.push(async () => {
      await Promise.all([api.stop(), jobs.stop()]);
    });
    jobs.start();
    return { url: api.url, stop: closeAll };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/**
 * The parts are some thousand modules with what they are built on: loaded here, while Pocket Atlas starts beside, and not
 * before it.
 */
async function loadParts() {
  const reembed = import('./ingest/reembed/reembedding.js');
  const jobs = import('./ingest/jobs/create-jobs.js');
  const modules = await Promise.all([
    import('./embed/create-embedder.js'),
    import('./graphql/api.js'),
    import('./graphql/auth/authenticate.js'),
    import('./graphql/counted-calls.js'),
    import('./graphql/readiness.js'),
    import('./ingest/create-ingest.js'),
    import('./retrieve/create-retrieve.js'),
    import('./retrieve/query-embedder.js'),
    import('./retrieve/rerank/create-reranker.js'),
    import('./store/open-store.js'),
    import('./store/rankings.js'),
    import('./store/scope.js'),
    import('./embed/clock.js'),
    import('./embed/rate-budget.js'),
    import('./ingest/context/chat-context-writer.js'),
  ]);
  const [embed, api, auth, counted, readiness, ingest, retrieve, query, rerank, store, rankings, scope, clock, budget, context] = modules; // biome-ignore format: one line
  return {
    createEmbedder: embed.createEmbedder,
    startApi: api.startApi,
    hasConfiguredCredentials: auth.hasConfiguredCredentials,
    countedCalls: counted.countedCalls,
    countedProvider: counted.countedProvider,
    makeReadiness: readiness.makeReadiness,
    createIngest: ingest.createIngest,
    createJobs: (await jobs).createJobs,
    createReembedding: (await reembed).createReembedding,
    createRetrieve: retrieve.createRetrieve,
    createQueryEmbedder: query.createQueryEmbedder,
    createReranker: rerank.createReranker,
    openStore: store.openStore,
    rankingFunctions: rankings.rankingFunctions,
    operator: scope.operator,
    createRateBudget: (limits: RateLimits) => budget.createRateBudget(limits, clock.SYSTEM_CLOCK),
    createChatContextWriter: context.createChatContextWriter,
  };
}

type Parts = Awaited<ReturnType<typeof loadParts>>;

async function startPocketAtlas(config: Config, logger: Logger, opened: (() => Promise<void>)[]): Promise<string> {
  const pocketAtlas = await spawnPocketAtlas({
    dataDir: config.database.dataDir,
    onLog: (line) => logger.info({ part: 'pocket-atlas' }, line),
    onExit: ({ code, signal, restarting, error }) =>
      logger.error(
        { part: 'pocket-atlas', code, signal, err: error },
        restarting ? 'It ended and is restarted' : 'It ended for good',
      ),
  });
  opened.push(() => pocketAtlas.stop());
  return pocketAtlas.uri;
}

interface Embedders {
  /** The one that the settings ask for: its space is what an empty database gets. */
  configured(): Embedder;
  /** The one of a stored space, always the same for the same space. */
  of(space: SpaceRecord): Embedder;
  /** One that the settings do not name: what a database is moved to. Throws `AppError` BAD_USER_INPUT. */
  make(settings: Pick<EmbedderSettings, 'provider' | 'model' | 'dimensions'>): Embedder;
  /** Why a space's embedder cannot work with these settings; null when it can. */
  problem(space: EmbedderSpace): string | null;
}

function makeEmbedders(
  { embedding }: Config,
  { countedProvider, createEmbedder, createRateBudget }: Parts,
  opened: (() => Promise<void>)[],
): Embedders {
  const made = new Map<string, Embedder>();
  const { apiKey, baseUrl, lateChunking } = embedding;
  // one for all spaces: they are served by one account
  const budget = createRateBudget(embedding);
  const embedder = (settings: Pick<EmbedderSettings, 'provider' | 'model' | 'dimensions'>): Embedder => {
    const key = JSON.stringify([settings.provider, settings.model, settings.dimensions]);
    const known = made.get(key);
    if (known) return known;
    const created = countedProvider(createEmbedder({ ...settings, apiKey, baseUrl, lateChunking, budget }));
    made.set(key, created);
    return created;
  };
  opened.push(async () => {
    for (const { close } of made.values()) await close?.();
  });
  return {
    configured: () =>
      embedder({ provider: embedding.provider, model: embedding.model, dimensions: embedding.dimensions }),
    of: ({ provider, model, dimensions }) => embedder({ provider, model, dimensions }),
    make: embedder,
    problem: ({ provider, model }) =>
      provider === 'openai' && apiKey === null && baseUrl === null
        ? `OPENAI_API_KEY is not set, and the embedding model ${model} needs it`
        : null,
  };
}

/** Beyond loopback everybody would be the owner `local`, and an administrator. */
async function refuseOpenDoors(
  { http, auth }: Config,
  { hasConfiguredCredentials }: Parts,
  hasApiKeys: () => Promise<boolean>,
): Promise<void> {
  if (isLoopbackName(http.host) || hasConfiguredCredentials(auth) || (await hasApiKeys())) return;
  throw new AppError(
    'FORBIDDEN',
    `HOST=${http.host} would serve everybody as administrator: set GAZETTEER_ADMIN_KEY or a JWT setting, ` +
      'or start on 127.0.0.1 first and create a key with `npm run gazetteer -- keys create --owner local --role admin`',
  );
}
