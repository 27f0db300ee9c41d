import type { Rankings } from '../store/rankings.js';
import { markWords, placePassages } from './highlights.js';
import { stemOf } from './language/stems.js';
import type { Ranked } from './rank.js';
import { requestKey } from './request-key.js';
import type { Highlight, SearchHit, SearchOptions } from './retrieve.js';
import type { Run } from './run.js';

/** A hit with its place in the ranking, from 0, and its rank among those that are shown, from 1. */
export interface PageHit extends Ranked {
  readonly place: number;
  readonly rank: number;
}

/** Brings what the selection still needs of the hits of one page: missing texts, highlights, cursors. */
export async function completePage(
  run: Run,
  rankings: Rankings,
  page: readonly PageHit[],
  options: SearchOptions,
  ranking: string | null,
): Promise<SearchHit[]> {
  const needsHighlights = options.needsHighlights && run.mode !== 'VECTOR' && run.question.query !== null;
  const hits = options.needsText || needsHighlights ? await withTexts(run, page) : page;
  const highlights = needsHighlights ? await highlightsOf(run, hits) : new Map<string, readonly Highlight[]>();
  const key = requestKey(run.request);
  return hits.map(({ id, score, scores, chunk, text, place, rank }) => ({
    chunk,
    ...(text !== null && { text }),
    cursor: options.needsCursors
      ? rankings.cursor(run.scope, key, { ranking, position: place, rank, chunkId: id })
      : '',
    rank,
    score,
    scores,
    highlights: highlights.get(id) ?? [],
  }));
}

/** Texts come with re-validation for the hits that were expected to be shown; the others' are read here. */
async function withTexts(run: Run, page: readonly PageHit[]): Promise<readonly PageHit[]> {
  const missing = page.filter(({ text }) => text === null).map(({ id }) => id);
  if (missing.length === 0) return page;
  const states = await run.search.revalidate(run.scope, missing, run.filter, new Set(missing), run.deadline);
  return page.flatMap((hit) => {
    if (hit.text !== null) return [hit];
    const state = states.get(hit.id);
    // Gone since it was ranked.
    return state?.state === 'LIVE' ? [{ ...hit, text: state.text }] : [];
  });
}

async function highlightsOf(run: Run, hits: readonly PageHit[]): Promise<Map<string, readonly Highlight[]>> {
  const query = { text: run.question.query ?? '', language: run.language };
  const matched = hits.filter(({ scores }) => scores.text !== null);
  const passages = await run.search.highlights(
    run.scope,
    query,
    matched.map(({ id }) => id),
    run.deadline,
  );
  const stem = stemOf(run.search.textAnalyzer(query));
  return new Map(
    matched.map(({ id, text }) => {
      const placed = placePassages(text ?? '', passages.get(id) ?? []);
      return [id, placed.length > 0 ? placed : markWords(text ?? '', query.text, stem)];
    }),
  );
}
