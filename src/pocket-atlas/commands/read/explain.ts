import { decode } from '../../bson/decode.js';
import type { Doc } from '../../bson/values.js';
import { CommandError } from '../../errors.js';
import { compileFilter } from '../../query/filter.js';
import type { Plan } from '../../query/query.js';
import type { KeyRange } from '../../storage/engine.js';
import { readStages } from '../aggregate/aggregate.js';
import { explainPipeline } from '../aggregate/explain-pipeline.js';
import { checkArguments, isDocument } from '../arguments.js';
import type { Command } from '../command.js';
import { CommandContext } from '../context.js';
import { COMMANDS } from '../table.js';
import { compileMatching, proposals } from './matching.js';
import { Pace } from './pace.js';

const VERBOSITIES = ['queryPlanner', 'executionStats', 'allPlansExecution'];

export const explain: Command = {
  help: 'Says how a query finds its records, and which index it uses.',
  fields: { explain: { type: 'object', required: true }, verbosity: 'string' },
  run: async (context) => {
    const inner = context.body.explain as Doc;
    const verbosity = (context.body.verbosity ?? 'allPlansExecution') as string;
    if (!VERBOSITIES.includes(verbosity)) {
      throw new CommandError(9, `verbosity must be one of ${VERBOSITIES.join(', ')}, got '${verbosity}'`);
    }
    const name = Object.keys(inner)[0] ?? '';
    const query = queryOf(name, inner);
    const command = COMMANDS[name]!;
    checkArguments(name, inner, command.fields);
    const explained = new CommandContext(context.server, context.connection, {
      ...context.input,
      name,
      body: { ...inner, $db: context.db },
    });
    if (name === 'aggregate') return explainPipeline(explained, explained.collection, readStages(inner.pipeline));
    return context.read(async (view) => {
      const { variables } = explained;
      const collection = view.collection(explained.db, explained.collection);
      if (collection === undefined) compileFilter(query.filter, variables);
      const matching =
        collection === undefined ? undefined : compileMatching(collection, { ...query, hint: query.hint, variables });
      const reply: Doc = {
        explainVersion: '1',
        queryPlanner: {
          namespace: explained.namespace,
          parsedQuery: query.filter,
          winningPlan: matching === undefined ? { stage: 'EOF' } : planDocument(matching.plan, query),
          rejectedPlans: [],
        },
        command: { ...inner, $db: context.db },
      };
      if (verbosity === 'queryPlanner' || matching === undefined || collection === undefined) return reply;
      const started = performance.now();
      const pace = new Pace(context.checkInterrupted);
      let [examined, returned] = [0, 0];
      for (const { bytes } of proposals(view, collection, matching.plan)) {
        examined += 1;
        if (matching.matches(decode(bytes))) returned += 1;
        if (pace.due) await pace.breathe();
      }
      reply.executionStats = {
        executionSuccess: true,
        nReturned: returned,
        executionTimeMillis: Math.round(performance.now() - started),
        totalKeysExamined: matching.plan.kind === 'scan' ? 0 : examined,
        totalDocsExamined: examined,
      };
      return reply;
    });
  },
};

interface ExplainedQuery {
  readonly filter: Doc;
  readonly sort?: Doc | undefined;
  readonly hint?: Doc[string];
}

/** @throws CommandError 59 for a command that cannot be explained. */
function queryOf(name: string, inner: Doc): ExplainedQuery {
  const first = (list: unknown): Doc => (Array.isArray(list) && isDocument(list[0]) ? list[0] : {});
  const orEmpty = (value: unknown): Doc => (isDocument(value as Doc) ? (value as Doc) : {});
  switch (name) {
    case 'aggregate':
      return { filter: {} };
    case 'count':
    case 'distinct':
      return { filter: orEmpty(inner.query), hint: inner.hint };
    case 'delete':
      return { filter: orEmpty(first(inner.deletes).q), hint: first(inner.deletes).hint };
    case 'find':
      return { filter: orEmpty(inner.filter), sort: isDocument(inner.sort) ? inner.sort : undefined, hint: inner.hint };
    case 'findAndModify':
      return { filter: orEmpty(inner.query), sort: isDocument(inner.sort) ? inner.sort : undefined, hint: inner.hint };
    case 'update':
      return { filter: orEmpty(first(inner.updates).q), hint: first(inner.updates).hint };
    default:
      throw new CommandError(59, `Explain failed due to unknown command: ${name}`);
  }
}

/** A plan in the words of the server: COLLSCAN, IDHACK, FETCH over IXSCAN, SORT above them. */
export function planDocument(plan: Plan, query: { readonly filter: Doc; readonly sort?: Doc | undefined }): Doc {
  const found = accessDocument(plan, query.filter);
  const sorted = query.sort !== undefined && Object.keys(query.sort).length > 0;
  if (!sorted || (plan.kind === 'index' && plan.providesSort)) return found;
  return { stage: 'SORT', sortPattern: query.sort, inputStage: found };
}

function accessDocument(plan: Plan, filter: Doc): Doc {
  switch (plan.kind) {
    case 'scan':
      return { stage: 'COLLSCAN', filter, direction: 'forward' };
    case 'ids':
      return plan.ids.length === 1
        ? { stage: 'IDHACK' }
        : {
            stage: 'FETCH',
            filter,
            inputStage: {
              stage: 'IXSCAN',
              keyPattern: { _id: 1 },
              indexName: '_id_',
              indexBounds: { _id: plan.ids.map((id) => [id, id]) },
            },
          };
    case 'index':
      return {
        stage: 'FETCH',
        filter,
        inputStage: {
          stage: 'IXSCAN',
          keyPattern: { ...plan.index.key },
          indexName: plan.index.name,
          isMultiKey: plan.index.multikey,
          isUnique: plan.index.unique,
          isSparse: plan.index.sparse,
          isPartial: plan.index.partialFilterExpression !== null,
          direction: plan.reverse ? 'backward' : 'forward',
          ranges: plan.ranges.map(rangeDocument),
        },
      };
  }
}

function rangeDocument(range: KeyRange): Doc {
  const doc: Doc = {};
  if (range.lower !== undefined) doc[range.lower.inclusive ? 'from' : 'after'] = [...range.lower.values];
  if (range.upper !== undefined) doc[range.upper.inclusive ? 'to' : 'before'] = [...range.upper.values];
  return doc;
}
