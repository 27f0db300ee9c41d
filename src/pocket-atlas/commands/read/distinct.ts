import { decode } from '../../bson/decode.js';
import { encode } from '../../bson/encode.js';
import type { BsonValue, Doc } from '../../bson/values.js';
import { CommandError } from '../../errors.js';
import { compileFilter } from '../../query/filter.js';
import { ValueSet } from '../../query/value-set.js';
import { isDocument } from '../arguments.js';
import type { Command } from '../command.js';
import { compileMatching, proposals } from './matching.js';
import { Pace } from './pace.js';

/** The answer is one document. */
const VALUES_BYTES_MAX = 16 * 1024 * 1024;

export const distinct: Command = {
  help: 'Lists the different values of a field.',
  fields: {
    collation: 'refused',
    hint: 'objectOrString',
    key: { type: 'string', required: true },
    query: 'object',
    rawData: 'boolish',
  },
  inTransaction: true,
  readConcern: true,
  run: async (context) => {
    const values = await context.read(async (view) => {
      const { body, variables } = context;
      const filter: Doc = isDocument(body.query) ? body.query : {};
      const path = (body.key as string).split('.');
      const collection = view.collection(context.db, context.collection);
      if (collection === undefined) {
        compileFilter(filter, variables);
        return [];
      }
      const seen = new ValueSet();
      const values: BsonValue[] = [];
      let size = 0;
      const pace = new Pace(context.checkInterrupted);
      const matching = compileMatching(collection, { filter, hint: body.hint, variables });
      for (const { bytes } of proposals(view, collection, matching.plan)) {
        const doc = decode(bytes);
        if (matching.matches(doc)) {
          for (const value of valuesAt(doc, path, 0)) {
            if (seen.has(value)) continue;
            seen.add(value);
            values.push(value);
            size += encode({ value }).length;
            if (size > VALUES_BYTES_MAX) throw new CommandError(17217, 'distinct too big, 16mb cap');
          }
        }
        if (pace.due) await pace.breathe();
      }
      return values;
    });
    return context.readAt === undefined ? { values } : { values, atClusterTime: context.readAt };
  },
};

/** Every value under a path: arrays on the way and at its end are taken apart once per level. */
function* valuesAt(value: BsonValue, path: readonly string[], depth: number): Generator<BsonValue> {
  if (depth === path.length) {
    if (Array.isArray(value)) yield* value;
    else if (value !== undefined) yield value;
    return;
  }
  const name = path[depth]!;
  if (Array.isArray(value)) {
    for (const item of value) if (isDocument(item)) yield* valuesAt(item, path, depth);
    if (/^\d+$/.test(name)) yield* valuesAt(value[Number(name)], path, depth + 1);
  } else if (isDocument(value) && Object.hasOwn(value, name)) {
    yield* valuesAt(value[name], path, depth + 1);
  }
}
