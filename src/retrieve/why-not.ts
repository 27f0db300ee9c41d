import type { SearchFilter } from '../store/filter.js';
import type { DocumentRecord } from '../store/records.js';
import type { Scope } from '../store/scope.js';
import type { IndexKind } from '../store/search/search-store.js';
import { type Candidate, toCandidates } from './candidates.js';
import type { RetrieveContext } from './create-retrieve.js';
import { legLimit, rankingSize } from './depth.js';
import { explain } from './explain.js';
import { capped, type Ranked, type Ranking, rank } from './rank.js';
import { rerankBest, rerankCountOf } from './rerank/rerank-best.js';
import type { CandidateExplanation, SearchOptions, SearchRequest, WhyNot, WhyNotReason } from './retrieve.js';
import { type Run, runLegs, wantedLegs } from './run.js';

/**
 * Why a document is not among the first hits: the search is run as it is, and once more over this document alone. null:
 * there is no such document in scope.
 */
export async function whyNot(
  context: RetrieveContext,
  scope: Scope,
  request: SearchRequest,
  documentId: string,
  options: SearchOptions,
): Promise<WhyNot | null> {
  const document = await context.store.document(scope, { id: documentId });
  if (document === null) return null;
  const { after: _after, ...firstPage } = request;
  return await context.startRun(scope, firstPage, options, async (run) => {
    if (document.version === 0) return answer('NO_VERSION_STORED', noVersion(document));
    const excluded = await isExcluded(run, document.id);
    if (excluded) return answer('EXCLUDED_BY_FILTER', 'The document does not pass the filter of this search.');
    const rerankCount = rerankCountOf(run, context);
    const size = rankingSize(request.first);
    const ranking = await rank(run, { depth: size, need: Math.max(size, rerankCount), withText: rerankCount });
    const shown = capped(await rerankBest(run, context, ranking.live), request.maxPerDocument);
    const own = shown.findIndex(({ chunk }) => chunk.documentId === document.id);
    if (own !== -1) return ranked(run, shown, own);
    return await unranked(run, context.store, document, ranking, shown);
  });
}

function answer(reason: WhyNotReason, detail: string, best: CandidateExplanation | null = null): WhyNot {
  return { reason, detail, best };
}

function noVersion({ status, lastError }: DocumentRecord): string {
  return status === 'PENDING'
    ? 'No version of the document was stored yet: a job is still to do it.'
    : `No version of the document was ever stored${lastError === null ? '' : `: ${lastError}`}.`;
}

async function isExcluded({ search, scope, request, deadline }: Run, documentId: string): Promise<boolean> {
  if (request.filter === undefined) return false;
  const prepared = await search.prepareFilter(scope, within(request.filter, documentId), deadline);
  return prepared.documentIds?.length === 0;
}

function within(filter: SearchFilter | undefined, documentId: string): SearchFilter {
  const ids = { ids: [documentId] };
  return filter === undefined ? ids : { and: [filter, ids] };
}

function ranked(run: Run, shown: readonly Ranked[], at: number): WhyNot {
  const hit = shown[at]!;
  const { first } = run.request;
  const best = explain(hit, { state: 'LIVE', chunk: hit.chunk, text: null }, at + 1, at < first ? null : 'NOT_IN_TOP');
  if (at < first) return answer('IT_IS_A_HIT', `Its best chunk is hit ${at + 1} of ${first}.`, best[0]);
  const last = shown[first - 1]!;
  const detail = `Its best chunk ranks ${at + 1} with score ${number(hit.score)}; hit ${first}, the last one shown, has ${number(last.score)}.`; // biome-ignore format: one sentence
  return answer('RANKED_LOWER', detail, best[0]);
}

/** Not in the ranking: looked for alone, without a threshold, to say how far away it is. */
async function unranked(
  run: Run,
  store: RetrieveContext['store'],
  document: DocumentRecord,
  ranking: Ranking,
  shown: readonly Ranked[],
): Promise<WhyNot> {
  const { search, scope, request, deadline } = run;
  const filter = await search.prepareFilter(scope, within(request.filter, document.id), deadline);
  const alone: Run = { ...run, filter, request: { ...request, minSimilarity: undefined } as SearchRequest };
  const legs = await runLegs(alone, legLimit(rankingSize(request.first), 0));
  const hits = { vector: legs.vector?.hits ?? null, text: legs.text?.hits ?? null };
  const { mode, weights, fusion, space } = run;
  const candidate = toCandidates(hits, { mode, weights, fusion, measure: space.similarity }).ranked[0];
  if (candidate === undefined) return await nothingFound(run, store, document);
  const states = await search.revalidate(scope, [candidate.id], filter, new Set(), deadline);
  const describe = (reason: Parameters<typeof explain>[3]) =>
    explain({ ...candidate, vectorRank: null, textRank: null }, states.get(candidate.id), null, reason)[0] ?? null;
  const { similarity } = candidate.scores;
  if (request.minSimilarity !== undefined && similarity !== null && similarity < request.minSimilarity) {
    const detail = `Its best similarity is ${number(similarity)}, below minSimilarity ${request.minSimilarity}.`;
    return answer('BELOW_MIN_SIMILARITY', detail, describe('BELOW_MIN_SIMILARITY'));
  }
  return answer('NOT_A_CANDIDATE', notCandidate(run, candidate, ranking, shown), describe('NOT_IN_TOP'));
}

/** Nothing of it comes back: either the index does not have it yet, or no word of the query is in it. */
async function nothingFound(run: Run, store: RetrieveContext['store'], document: DocumentRecord): Promise<WhyNot> {
  const { search, scope, space, deadline } = run;
  const { items } = await store.listChunks(scope, document.id, { first: 1 });
  const chunkIds = items.map(({ node }) => node.id);
  const isIndexed = async (index: IndexKind) => (await search.indexedAmong(scope, index, chunkIds, deadline)).size > 0;
  const kinds = wantedLegs(run).map(
    (leg): IndexKind => (leg === 'vector' ? { kind: 'VECTOR', space } : { kind: 'TEXT' }),
  );
  if ((await Promise.all(kinds.map(isIndexed))).includes(false)) {
    const detail = 'The search index does not return the document yet: it catches up within seconds.';
    return answer('NOT_INDEXED_YET', detail);
  }
  return answer('NOT_A_CANDIDATE', 'No chunk of the document holds a word of the query, as the text index reads them.');
}

function notCandidate(run: Run, candidate: Candidate, ranking: Ranking, shown: readonly Ranked[]): string {
  const { similarity, text } = candidate.scores;
  const own = [
    ...(similarity === null ? [] : [`similarity ${number(similarity)}`]),
    ...(text === null ? ['no word of the query in it'] : [`text score ${number(text)}`]),
  ];
  const last = shown.at(-1);
  const bar = last === undefined ? '' : `; the last of the ${shown.length} hits that were ranked has score ${number(last.score)}`; // biome-ignore format: one sentence
  const numCandidates = ranking.legs.vector?.leg.numCandidates;
  const approximate = numCandidates ? ` (${numCandidates} candidates were gathered: \`exact\` looks at all)` : '';
  return `Its best chunk has ${own.join(' and ')}${run.mode === 'TEXT' ? '' : approximate}${bar}.`;
}

function number(value: number): string {
  return String(Number(value.toPrecision(4)));
}
