import { decode } from '../../bson/decode.js';
import { encode } from '../../bson/encode.js';
import type { BsonValue, Doc } from '../../bson/values.js';
import { CommandError } from '../../errors.js';
import { compileFilter } from '../../query/filter.js';
import { compileProjection } from '../../query/projection.js';
import type { Transaction } from '../../storage/engine.js';
import { CloseConnectionError } from '../../wire/connection.js';
import { isDocument, truthy } from '../arguments.js';
import type { Command } from '../command.js';
import { type CommandContext, existingOrNew } from '../context.js';
import { compileMatching, firstMatch } from '../read/matching.js';
import { compileModification } from './modification.js';
import { updateOf } from './update.js';

export const findAndModify: Command = {
  help: 'Updates, replaces or deletes one document and answers it.',
  fields: {
    arrayFilters: 'array',
    bypassDocumentValidation: 'boolish',
    collation: 'refused',
    fields: 'object',
    hint: 'objectOrString',
    let: 'object',
    new: 'boolish',
    query: 'object',
    rawData: 'boolish',
    remove: 'boolish',
    sort: 'object',
    stmtId: 'number',
    update: 'objectOrArray',
    upsert: 'boolish',
  },
  inTransaction: true,
  retryable: true,
  writeConcern: true,
  run: async (context) => {
    const run = truthy(context.body.remove) ? removal(context) : modification(context);
    const key = context.retryKey === undefined ? undefined : `${context.retryKey}/${Number(context.body.stmtId ?? 0)}`;
    const remembered = key === undefined ? undefined : context.server.engine.retryableReply(key);
    if (remembered !== undefined) return decode(remembered);
    const injected = key === undefined ? undefined : context.server.failPoints.enterWrite();
    if (injected?.error !== undefined) {
      throw injected.closeConnection ? new CloseConnectionError('onPrimaryTransactionalWrite') : injected.error;
    }
    const answered = await context.write((transaction) => {
      const reply = run(transaction);
      const { n } = reply.lastErrorObject as { n: number };
      if (key !== undefined && n > 0) transaction.rememberRetryable(key, encode(reply));
      return reply;
    });
    if (injected?.closeConnection === true) throw new CloseConnectionError('onPrimaryTransactionalWrite');
    return answered;
  },
};

type Step = (transaction: Transaction) => Doc;

function removal(context: CommandContext): Step {
  const { body, db, collection: name } = context;
  for (const field of ['update', 'upsert', 'new'] as const) {
    if (truthy(body[field])) {
      throw new CommandError(
        9,
        `Cannot specify both ${field === 'update' ? 'an update' : `${field}=true`} and remove=true`,
      );
    }
  }
  const query = queryOf(context);
  const shape = shapeOf(context, query.filter);
  return (transaction) => {
    const collection = transaction.collection(db, name);
    const match =
      collection === undefined
        ? undefined
        : firstMatch(transaction, collection, compileMatching(collection, query), query.sort);
    if (match === undefined) return { lastErrorObject: { n: 0 }, value: null };
    transaction.remove(collection!, match.recordId);
    return { lastErrorObject: { n: 1 }, value: shape(match.doc) };
  };
}

function modification(context: CommandContext): Step {
  const { body } = context;
  if (body.update === undefined) {
    throw new CommandError(9, 'Either an update or remove=true must be specified');
  }
  const query = queryOf(context);
  const shape = shapeOf(context, query.filter);
  const compiled = compileModification({
    ...query,
    update: updateOf(body.update, false),
    arrayFilters: body.arrayFilters as Doc[] | undefined,
    upsert: truthy(body.upsert),
    multi: false,
  });
  return (transaction) => {
    const modified = compiled.applyToFirst(
      transaction,
      transaction.collection(context.db, context.collection),
      () => existingOrNew(transaction, context),
      { racesAllowed: context.transaction === undefined },
    );
    const inserted = modified.upsertedId !== undefined;
    const lastErrorObject: Doc = {
      n: modified.after === undefined ? 0 : 1,
      updatedExisting: modified.after !== undefined && !inserted,
    };
    if (inserted) lastErrorObject.upserted = modified.upsertedId;
    const answered = truthy(body.new) ? modified.after : modified.before;
    return { lastErrorObject, value: answered === undefined ? null : shape(answered) };
  };
}

function queryOf(context: CommandContext): {
  filter: Doc;
  sort: Doc | undefined;
  hint: BsonValue;
  variables: CommandContext['variables'];
} {
  const { body, variables } = context;
  const filter = isDocument(body.query) ? body.query : {};
  compileFilter(filter, variables);
  return { filter, sort: isDocument(body.sort) ? body.sort : undefined, hint: body.hint, variables };
}

function shapeOf(context: CommandContext, filter: Doc): (doc: Doc) => Doc {
  const { fields } = context.body;
  if (!isDocument(fields) || Object.keys(fields).length === 0) return (doc) => doc;
  return compileProjection(fields, filter, context.variables);
}
