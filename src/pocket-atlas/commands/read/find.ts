import type { Doc } from '../../bson/values.js';
import { CommandError } from '../../errors.js';
import { integer, isDocument, truthy } from '../arguments.js';
import type { Command } from '../command.js';
import type { CommandContext } from '../context.js';
import { type FindQuery, findResults } from './find-results.js';
import { openCursor } from './open-cursor.js';

export const find: Command = {
  help: 'Finds documents of a collection.',
  fields: {
    allowDiskUse: 'boolish',
    allowPartialResults: 'boolish',
    awaitData: 'refused',
    batchSize: 'number',
    collation: 'refused',
    filter: 'object',
    hint: 'objectOrString',
    let: 'object',
    limit: 'number',
    max: 'refused',
    min: 'refused',
    noCursorTimeout: 'boolish',
    oplogReplay: 'boolish',
    projection: 'object',
    rawData: 'boolish',
    returnKey: 'refused',
    showRecordId: 'boolish',
    singleBatch: 'boolish',
    skip: 'number',
    sort: 'object',
    tailable: 'refused',
  },
  inTransaction: true,
  readConcern: true,
  run: (context) => {
    const query = findQuery(context);
    const { namespace } = context;
    return openCursor(context, {
      namespace,
      batchSize: integer(context.body, 'batchSize', { min: 0 }),
      isKept: truthy(context.body.noCursorTimeout),
      singleBatch: truthy(context.body.singleBatch),
      ...(query.limit === 0 ? {} : { rowsMax: query.limit }),
      open: (lease, checkInterrupted) =>
        findResults(lease, lease.view.collection(context.db, context.collection), query, checkInterrupted),
    });
  },
};

export function findQuery(context: CommandContext): FindQuery {
  const { body } = context;
  return {
    filter: documentOr(body.filter, {})!,
    sort: documentOr(body.sort, undefined),
    projection: documentOr(body.projection, undefined),
    hint: body.hint,
    skip: integer(body, 'skip', { min: 0 }) ?? 0,
    limit: integer(body, 'limit', { min: 0 }) ?? 0,
    variables: context.variables,
    showRecordId: truthy(body.showRecordId),
  };
}

function documentOr(value: unknown, otherwise: Doc | undefined): Doc | undefined {
  if (value === undefined || value === null) return otherwise;
  if (!isDocument(value as Doc)) throw new CommandError(14, 'Expected a document');
  return value as Doc;
}
