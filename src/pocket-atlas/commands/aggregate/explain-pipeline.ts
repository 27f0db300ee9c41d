import type { Doc } from '../../bson/values.js';
import { compilePipeline } from '../../query/pipeline.js';
import { isDocument } from '../arguments.js';
import type { CommandContext } from '../context.js';
import { compileMatching } from '../read/matching.js';
import { planDocument } from '../read/plan-document.js';
import { ViewLease } from '../read/view-lease.js';
import { pipelineEnvironment } from './environment.js';

/** `aggregate` with `explain: true`: how a leading `$match` finds its records, then the stages as given. */
export function explainPipeline(
  context: CommandContext,
  collection: string | null,
  stages: readonly Doc[],
): Promise<Doc> {
  return context.read((view) => {
    // Refuses what running it would refuse.
    compilePipeline(
      stages,
      pipelineEnvironment(context, collection, ViewLease.ofTransaction(view), context.checkInterrupted),
    );
    const info = collection === null ? undefined : view.collection(context.db, collection);
    const first = stages[0]?.$match;
    const filter = isDocument(first) ? first : {};
    const sort = isDocument(stages[1]?.$sort) ? stages[1].$sort : undefined;
    const winningPlan =
      info === undefined
        ? { stage: 'EOF' }
        : planDocument(
            compileMatching(info, { filter, sort, hint: context.body.hint, variables: context.variables }).plan,
            { filter },
          );
    const cursor: Doc = {
      $cursor: {
        queryPlanner: {
          namespace: `${context.db}.${collection ?? '$cmd.aggregate'}`,
          parsedQuery: filter,
          winningPlan,
          rejectedPlans: [],
        },
      },
    };
    return { explainVersion: '1', stages: [cursor, ...(isDocument(first) ? stages.slice(1) : stages)] };
  });
}
