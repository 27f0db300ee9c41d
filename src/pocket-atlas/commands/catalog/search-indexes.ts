import type { Command } from '../command.js';

/** The commands by which drivers manage search indexes; names, states and texts are the search manager's. */

export const createSearchIndexes: Command = {
  help: 'Creates search indexes; they are built after the reply.',
  fields: { indexes: { type: 'array', required: true } },
  run: (context) => context.server.search.create({ db: context.db, collection: context.collection }, context.body),
};

export const updateSearchIndex: Command = {
  help: 'Changes the definition of a search index; it is rebuilt after the reply.',
  fields: { definition: { type: 'object', required: true }, id: 'string', name: 'string', type: 'string' },
  run: (context) => context.server.search.update({ db: context.db, collection: context.collection }, context.body),
};

export const dropSearchIndex: Command = {
  help: 'Drops a search index.',
  fields: { id: 'string', name: 'string' },
  run: (context) => context.server.search.drop({ db: context.db, collection: context.collection }, context.body),
};
