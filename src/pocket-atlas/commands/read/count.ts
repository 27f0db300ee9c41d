import type { Doc } from '../../bson/values.js';
import { compileFilter } from '../../query/filter.js';
import { integer, isDocument } from '../arguments.js';
import type { Command } from '../command.js';
import { compileMatching, proposals } from './matching.js';
import { Pace } from './pace.js';

export const count: Command = {
  help: 'Counts documents of a collection.',
  fields: {
    collation: 'refused',
    fields: 'any',
    hint: 'objectOrString',
    limit: 'number',
    query: 'object',
    rawData: 'boolish',
    skip: 'number',
  },
  readConcern: true,
  run: (context) =>
    context.read(async (view) => {
      const { body, variables } = context;
      const filter: Doc = isDocument(body.query) ? body.query : {};
      const skip = integer(body, 'skip', { min: 0 }) ?? 0;
      // A negative limit means the same as a positive one here.
      const limit = Math.abs(integer(body, 'limit') ?? 0) || Infinity;
      const collection = view.collection(context.db, context.collection);
      if (collection === undefined) {
        compileFilter(filter, variables);
        return { n: 0 };
      }
      const matching = compileMatching(collection, { filter, hint: body.hint, variables });
      let n = 0;
      if (matching.matchesAll) {
        n = view.count(collection);
      } else {
        const pace = new Pace(context.checkInterrupted);
        for (const { bytes } of proposals(view, collection, matching.plan)) {
          if (matching.matches(matching.readFor(bytes))) n += 1;
          if (n >= skip + limit) break;
          if (pace.due) await pace.breathe();
        }
      }
      return { n: Math.min(Math.max(n - skip, 0), limit) };
    }),
};
