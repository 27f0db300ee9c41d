import { AppError } from '../errors.js';
import type { SpaceRecord } from '../store/records.js';
import type { Scope } from '../store/scope.js';
import { indexName } from '../store/search/index-name.js';
import type { PreparedFilter, SearchStore, TextLeg, VectorLeg } from '../store/search/search-store.js';
import type { Question } from './check-request.js';
import { type Deadline, settledWithin } from './deadline.js';
import { effectiveCandidates } from './depth.js';
import type { FreshnessReader } from './freshness.js';
import { type LegContext, type LegRun, runTextLeg, runVectorLeg } from './legs.js';
import type { Degradation, SearchMode, SearchRequest } from './retrieve.js';
import type { UnseenMemory } from './unseen.js';
import type { Fusion, Weights } from './weights.js';

/** One search under way: what is fixed before its legs are sent. */
export interface Run {
  readonly search: SearchStore;
  readonly freshness: FreshnessReader;
  readonly unseen: UnseenMemory;
  readonly scope: Scope;
  readonly request: SearchRequest;
  readonly question: Question;
  readonly mode: SearchMode;
  readonly space: SpaceRecord;
  readonly language: string | null;
  readonly weights: Weights;
  readonly fusion: Fusion;
  readonly filter: PreparedFilter;
  /** The query's vector: asked for once, as early as it is known to be needed. */
  readonly vector: () => Promise<Float32Array>;
  readonly deadline: Deadline;
  /** Milliseconds for the whole search. */
  readonly deadlineMs: number;
  readonly degraded: Set<Degradation>;
  /** Legs that failed in a round before: they are not waited for again. */
  readonly failed: Map<LegName, Failure>;
}

export interface LegRuns {
  readonly vector: LegRun<VectorLeg> | null;
  readonly text: LegRun<TextLeg> | null;
}

/** Of the whole time: what a leg may take, so that re-validation has some left, and what the embedder may take. */
const LEG_SHARE = 0.8;
const EMBEDDING_SHARE = 0.6;

type LegName = 'vector' | 'text';
type Failure = { readonly degradation: Degradation; readonly error: AppError };

/**
 * Runs the legs of a search in parallel. With both wanted, one that fails is named in `degraded` and the other answers;
 * a leg that its weight had dropped steps in for one that is not there. Throws the failure when no leg is left.
 */
export async function runLegs(run: Run, limit: number): Promise<LegRuns> {
  const wanted = wantedLegs(run);
  const outcomes = await Promise.all(wanted.map((leg) => attempt(run, leg, limit)));
  const failures = outcomes.filter(isFailure);
  if (failures.length === wanted.length) {
    const standIn = standInFor(run, wanted);
    if (standIn === null) throw worst(failures);
    const outcome = await attempt(run, standIn, limit);
    if (isFailure(outcome)) throw worst([...failures, outcome]);
    outcomes.push(outcome);
  }
  for (const { degradation } of failures) run.degraded.add(degradation);
  const runs = outcomes.filter((outcome): outcome is LegRun => !isFailure(outcome));
  if (runs.some(({ overlaySkipped }) => overlaySkipped)) run.degraded.add('OVERLAY_SKIPPED');
  return {
    vector: (runs.find(({ leg }) => leg.kind === 'VECTOR') as LegRun<VectorLeg> | undefined) ?? null,
    text: (runs.find(({ leg }) => leg.kind === 'TEXT') as LegRun<TextLeg> | undefined) ?? null,
  };
}

export function wantedLegs({ mode, weights }: Pick<Run, 'mode' | 'weights'>): LegName[] {
  if (mode !== 'HYBRID') return [mode === 'VECTOR' ? 'vector' : 'text'];
  return (['vector', 'text'] as const).filter((leg) => weights[leg] > 0);
}

/** A leg that calibration or the language dropped is better than none. One that the caller dropped stays dropped. */
function standInFor({ mode, request }: Run, wanted: readonly LegName[]): LegName | null {
  if (mode !== 'HYBRID' || wanted.length === 2 || request.weights !== undefined) return null;
  return wanted[0] === 'text' ? 'vector' : 'text';
}

function isFailure(outcome: LegRun | Failure): outcome is Failure {
  return 'degradation' in outcome;
}

/** That an index is missing says more than that a provider is: it does not pass by itself. */
function worst(failures: readonly Failure[]): AppError {
  return (failures.find(({ error }) => error.code === 'INDEX_NOT_READY') ?? failures[0]!).error;
}

async function attempt(run: Run, name: LegName, limit: number): Promise<LegRun | Failure> {
  const before = run.failed.get(name);
  if (before !== undefined) return before;
  try {
    return name === 'vector' ? await vectorLeg(run, limit) : await textLeg(run, limit);
  } catch (error) {
    const degradation = degradationFor(name, error);
    if (degradation === null || run.deadline.signal.aborted) throw error;
    const failure = { degradation, error: error as AppError };
    run.failed.set(name, failure);
    return failure;
  }
}

/** What an operational failure of one leg is called; null: the whole search fails. */
function degradationFor(leg: LegName, error: unknown): Degradation | null {
  if (error instanceof EmbedderFailed) return 'EMBEDDER_UNAVAILABLE';
  if (!(error instanceof AppError) || error.details.key !== undefined) return null;
  const isIndexFailure = error.code === 'INDEX_NOT_READY' || error.code === 'DEADLINE_EXCEEDED';
  if (!isIndexFailure) return null;
  return leg === 'vector' ? 'VECTOR_INDEX_UNAVAILABLE' : 'TEXT_INDEX_UNAVAILABLE';
}

/** The provider's failure, told apart from the index's. */
class EmbedderFailed extends AppError {
  constructor({ code, message, details, cause }: AppError) {
    super(code, message, { cause, details: { ...details } });
  }
}

const PROVIDER_FAILURES = ['PROVIDER_UNAVAILABLE', 'RATE_LIMITED', 'DEADLINE_EXCEEDED'];

async function queryVector(run: Run): Promise<Float32Array> {
  // Alone, the vector leg may wait for its vector nearly to the end; beside another it must not take that along.
  const share = run.mode === 'HYBRID' ? EMBEDDING_SHARE : LEG_SHARE;
  try {
    return await settledWithin(run.vector(), run.deadlineMs * share, run.deadline.signal);
  } catch (error) {
    if (error instanceof AppError && PROVIDER_FAILURES.includes(error.code)) throw new EmbedderFailed(error);
    throw error;
  }
}

async function vectorLeg(run: Run, limit: number): Promise<LegRun<VectorLeg>> {
  await requireReady(run, 'vector');
  const vector = await queryVector(run);
  const leg = vectorLegOf(run, vector, limit);
  return await verified(run, 'vector', await runVectorLeg(contextOf(run), leg));
}

async function textLeg(run: Run, limit: number): Promise<LegRun<TextLeg>> {
  await requireReady(run, 'text');
  return await verified(run, 'text', await runTextLeg(contextOf(run), textLegOf(run, limit)));
}

export function vectorLegOf(run: Run, vector: Float32Array, limit: number): VectorLeg {
  const { first, numCandidates } = run.request;
  return {
    kind: 'VECTOR',
    space: run.space,
    vector,
    filter: run.filter,
    limit,
    numCandidates: isExact(run) ? null : effectiveCandidates(first, limit, numCandidates),
  };
}

export function textLegOf(run: Run, limit: number): TextLeg {
  const query = { text: run.question.query ?? '', language: run.language };
  return { kind: 'TEXT', query, filter: run.filter, limit };
}

/** Asked for, or cheaper than anything else: a filter that comes down to few documents. */
export function isExact({ request, filter }: Pick<Run, 'request' | 'filter'>): boolean {
  return request.exact || filter.documentIds !== null;
}

export function indexOf(run: Pick<Run, 'space'>, leg: LegName): string {
  return indexName(leg === 'vector' ? { kind: 'VECTOR', space: run.space } : { kind: 'TEXT' });
}

async function requireReady(run: Run, leg: LegName, fresh = false): Promise<void> {
  const index = indexOf(run, leg);
  const { isReady, reason, key } = await run.search.readiness(index, run.filter, { fresh });
  if (isReady) return;
  throw new AppError('INDEX_NOT_READY', `Cannot search: ${reason}`, {
    details: { index, ...(key !== null && { key }) },
  });
}

/** A missing index answers with an empty list: nothing found counts only when the index is there at this moment. */
async function verified<T extends LegRun>(run: Run, leg: LegName, result: T): Promise<T> {
  if (result.hits.length === 0) await requireReady(run, leg, true);
  return result;
}

function contextOf(run: Run): LegContext {
  const { search, freshness, scope, space, filter, deadline, deadlineMs } = run;
  const reserved = deadlineMs * (1 - LEG_SHARE);
  const budget = { deadline: deadline.deadline - reserved, signal: deadline.signal };
  return { search, freshness, scope, space, filter, budget };
}
