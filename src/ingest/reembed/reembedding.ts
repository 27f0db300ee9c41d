import type { EmbedderSettings } from '../../embed/create-embedder.js';
import type { Embedder, EmbedderSpace } from '../../embed/embedder.js';
import { AppError, Refusal } from '../../errors.js';
import type { JobRecord } from '../../store/jobs/job-records.js';
import type { JobReads, JobViewer } from '../../store/jobs/job-store.js';
import type { SpaceRecord } from '../../store/records.js';
import type { Operator } from '../../store/scope.js';
import { notComplete } from '../../store/space-changes.js';
import type { Store } from '../../store/store.js';
import type { Jobs } from '../jobs/jobs.js';
import { LISTING } from './reembed-items.js';
import { tryModel } from './try-model.js';

export interface ReembedRequest {
  readonly provider: string;
  readonly model: string;
  /** null: the model's own. */
  readonly dimensions: number | null;
  /** Switch searches over when every chunk has its vector. */
  readonly activate: boolean;
}

/** An operator who looks at the operator's jobs. */
export type OperatorViewer = JobViewer & { readonly operator: Operator };

/** Moving a database to another embedding model while it is searched. */
export interface Reembedding {
  /**
   * Makes the space and the job that fills it; for a space that a cancelled or failed job left, a job that goes on with it.
   * `Refusal` INVALID for a model that cannot be had or is the active one, CONFLICT beside another space; what the
   * embedder throws when it does not answer.
   */
  start(
    viewer: OperatorViewer,
    apiKeyId: string | null,
    request: ReembedRequest,
    signal: AbortSignal,
  ): Promise<{ job: JobRecord; space: SpaceRecord }>;
  /** Switches searches to a complete space, forwards or back. `Refusal` NOT_FOUND, CONFLICT. */
  activate(operator: Operator, spaceId: string): Promise<SpaceRecord>;
  /** Drops a space that is not active; its job is cancelled. `Refusal` NOT_FOUND, CONFLICT. */
  drop(viewer: OperatorViewer, spaceId: string): Promise<string>;
}

export interface ReembeddingParts {
  readonly store: Store & JobReads;
  readonly jobs: Pick<Jobs, 'create' | 'cancel'>;
  /** An embedder that the settings of this server can make. Throws `AppError` for what cannot work. */
  readonly makeEmbedder: (settings: Pick<EmbedderSettings, 'provider' | 'model' | 'dimensions'>) => Embedder;
  /** Why a space's embedder cannot work with the settings of this server; null when it can. */
  readonly problem: (space: EmbedderSpace) => string | null;
}

export function createReembedding(parts: ReembeddingParts): Reembedding {
  const { store } = parts;
  return {
    async start(viewer, apiKeyId, request, signal) {
      const { operator } = viewer;
      const embedder = embedderFor(parts, request);
      const stored = await store.listSpaces(operator);
      const left = stored.find((space) => space.state === 'BUILDING' && isSame(space, embedder.space));
      if (left !== undefined) await refuseWhileFilled(store, viewer, left);
      if (left !== undefined || (stored.length === 1 && !isSame(stored[0]!, embedder.space)))
        await tryModel(embedder, signal);
      const space = await (left === undefined
        ? store.createSpace(operator, embedder.space)
        : store.resumeSpace(operator, left));
      const job = await parts.jobs.create(operator, {
        kind: 'REEMBED',
        spec: { space: space.id, activate: request.activate },
        apiKeyId,
        items: [LISTING],
      });
      await store.noteSpaceJob(operator, space.id, job.id);
      return { job, space };
    },

    async activate(operator, spaceId) {
      const space = (await store.listSpaces(operator)).find(({ id }) => id === spaceId);
      if (space?.state === 'ACTIVE') return space;
      if (space !== undefined) {
        if (!space.isComplete) throw notComplete(space);
        const lag = await store.indexLag(operator, spaceId);
        if (lag !== null)
          throw new Refusal('CONFLICT', `The space is complete, but ${lag.reason}`, ['input', 'embeddingSpaceId']);
      }
      return await store.activateSpace(operator, spaceId);
    },

    async drop(viewer, spaceId) {
      const space = (await store.listSpaces(viewer.operator)).find(({ id }) => id === spaceId);
      if (space?.state === 'BUILDING' && space.jobId !== undefined) await cancelIfRunning(parts, viewer, space.jobId);
      return await store.dropSpace(viewer.operator, spaceId);
    },
  };
}

const PROVIDERS: readonly EmbedderSpace['provider'][] = ['openai', 'bundled', 'hash'];
/** Longer vectors no search index takes. */
const MAX_DIMENSIONS = 8_192;

function embedderFor({ makeEmbedder, problem }: ReembeddingParts, request: ReembedRequest): Embedder {
  const provider = PROVIDERS.find((name) => name === request.provider);
  if (provider === undefined)
    throw invalid('provider', `Expected a provider ${PROVIDERS.join(', ')}, got ${JSON.stringify(request.provider)}`);
  const { model, dimensions } = request;
  if (model.trim() === '') throw invalid('model', 'Expected the name of a model, got a blank one');
  if (dimensions !== null && (dimensions < 1 || dimensions > MAX_DIMENSIONS))
    throw invalid('dimensions', `Expected 1 to ${MAX_DIMENSIONS} dimensions, got ${dimensions}`);
  let embedder: Embedder;
  try {
    embedder = makeEmbedder({ provider, model, dimensions });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'BAD_USER_INPUT') throw error;
    if (error.details.unknownDimensions === true)
      throw invalid(
        'dimensions',
        `The dimensions of the model ${JSON.stringify(model)} are not known here: give dimensions, the length of its vectors`,
        error,
      );
    throw invalid(dimensions === null ? 'model' : 'dimensions', error.message, error);
  }
  const { space } = embedder;
  if (space.model !== model)
    throw invalid('model', `The provider ${provider} has the model ${JSON.stringify(space.model)} only`);
  if (dimensions !== null && space.dimensions !== dimensions)
    throw invalid('dimensions', `The model has ${space.dimensions} dimensions, got ${dimensions}`);
  const cannotWork = problem(space);
  if (cannotWork !== null) throw invalid('provider', cannotWork);
  return embedder;
}

function invalid(field: keyof ReembedRequest, message: string, cause?: unknown): Refusal {
  return new Refusal('INVALID', message, ['input', field], { cause });
}

function isSame(a: EmbedderSpace, b: EmbedderSpace): boolean {
  return a.provider === b.provider && a.model === b.model && a.dimensions === b.dimensions;
}

/** One job at a time fills a space. */
async function refuseWhileFilled(store: JobReads, viewer: OperatorViewer, { jobId }: SpaceRecord): Promise<void> {
  const job = jobId === undefined ? null : await store.job(viewer, jobId);
  if (job !== null && job.finishedAt === null)
    throw new Refusal(
      'CONFLICT',
      'A job is filling this space already: wait for it, cancel it with cancelJob, or drop the space with dropEmbeddingSpace',
      ['input'],
    );
}

async function cancelIfRunning({ jobs }: ReembeddingParts, viewer: OperatorViewer, jobId: string): Promise<void> {
  try {
    await jobs.cancel(viewer, jobId);
  } catch (error) {
    // It has ended already.
    if (!(error instanceof Refusal)) throw error;
  }
}
