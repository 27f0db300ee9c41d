import type { Doc } from '../../bson/values.js';
import { CommandError } from '../../errors.js';
import { compileFilter } from '../../query/filter.js';
import { aggregate, readStages } from '../aggregate/aggregate.js';
import { explainPipeline } from '../aggregate/explain-pipeline.js';
import { checkArguments, isDocument } from '../arguments.js';
import type { Command } from '../command.js';
import { CommandContext } from '../context.js';
import { deleteCommand } from '../write/delete.js';
import { findAndModify } from '../write/find-and-modify.js';
import { update } from '../write/update.js';
import { count } from './count.js';
import { distinct } from './distinct.js';
import { find } from './find.js';
import { compileMatching, proposals } from './matching.js';
import { Pace } from './pace.js';
import { planDocument } from './plan-document.js';

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
    const explainable = Object.hasOwn(EXPLAINABLE, name) ? EXPLAINABLE[name] : undefined;
    if (explainable === undefined) throw new CommandError(59, `Explain failed due to unknown command: ${name}`);
    const query = explainable.query(inner);
    checkArguments(name, inner, explainable.command.fields);
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
        if (matching.matches(matching.readFor(bytes))) returned += 1;
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

interface Explainable {
  readonly command: Command;
  readonly query: (body: Doc) => ExplainedQuery;
}

const firstOf = (list: unknown): Doc => (Array.isArray(list) && isDocument(list[0]) ? list[0] : {});
const orEmpty = (value: unknown): Doc => (isDocument(value as Doc) ? (value as Doc) : {});
const sortOf = (body: Doc): Doc | undefined => (isDocument(body.sort) ? body.sort : undefined);

/** The commands that can be explained, each with where it keeps its query. */
const EXPLAINABLE: Readonly<Record<string, Explainable>> = {
  aggregate: { command: aggregate, query: () => ({ filter: {} }) },
  count: { command: count, query: (body) => ({ filter: orEmpty(body.query), hint: body.hint }) },
  delete: {
    command: deleteCommand,
    query: (body) => ({ filter: orEmpty(firstOf(body.deletes).q), hint: firstOf(body.deletes).hint }),
  },
  distinct: { command: distinct, query: (body) => ({ filter: orEmpty(body.query), hint: body.hint }) },
  find: { command: find, query: (body) => ({ filter: orEmpty(body.filter), sort: sortOf(body), hint: body.hint }) },
  findAndModify: {
    command: findAndModify,
    query: (body) => ({ filter: orEmpty(body.query), sort: sortOf(body), hint: body.hint }),
  },
  update: {
    command: update,
    query: (body) => ({ filter: orEmpty(firstOf(body.updates).q), hint: firstOf(body.updates).hint }),
  },
};
