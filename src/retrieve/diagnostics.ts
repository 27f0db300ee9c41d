import { describeSpace } from '../store/space-choice.js';
import type { SearchDiagnostics } from './retrieve.js';
import { isExact, type Run } from './run.js';

/** How a search was run. `started`: performance.now() at its beginning. */
export function diagnosticsOf(
  run: Run,
  numCandidates: number | null,
  staleDropped: number,
  started: number,
): SearchDiagnostics {
  return {
    mode: run.mode,
    numCandidates,
    exact: run.mode !== 'TEXT' && isExact(run),
    embeddingSpace: run.mode === 'TEXT' ? null : describeSpace(run.space),
    weights: run.mode === 'HYBRID' ? run.weights : null,
    staleDropped,
    degraded: [...run.degraded],
    tookMs: performance.now() - started,
  };
}
