import { randomUUID } from 'node:crypto';
import { UUID } from 'bson';
import type { BsonValue } from '../../bson/values.js';
import { CommandError } from '../../errors.js';
import { SESSION_TIMEOUT_MS } from '../../sessions/session-registry.js';
import { sessionIdOf } from '../../sessions/transaction-fields.js';
import { abort, commit } from '../../sessions/transaction-steps.js';
import type { Command } from '../command.js';
import type { CommandContext } from '../context.js';

export const startSession: Command = {
  help: 'Makes a session id.',
  fields: {},
  run: (context) => {
    const id = new UUID(randomUUID());
    context.server.sessions.use(id.toString('hex').replaceAll('-', ''));
    return { id: { id }, timeoutMinutes: SESSION_TIMEOUT_MS / 60_000 };
  },
};

export const endSessions: Command = {
  help: 'Ends sessions, with their transactions and cursors.',
  fields: {},
  run: (context) => endListed(context, 'endSessions'),
};

export const killSessions: Command = {
  help: 'Ends sessions, with their transactions and cursors.',
  fields: {},
  run: (context) => endListed(context, 'killSessions'),
};

export const killAllSessions: Command = {
  help: 'Ends all sessions, with their transactions and cursors.',
  fields: {},
  run: async (context) => {
    const users = context.body.killAllSessions;
    if (!Array.isArray(users) || users.length > 0) {
      throw new CommandError(2, 'killAllSessions takes an empty array here, since Pocket Atlas has no users');
    }
    await context.server.sessions.endAll();
    return {};
  },
};

export const refreshSessions: Command = {
  help: 'Keeps sessions from timing out.',
  fields: {},
  run: (context) => {
    for (const id of listed(context, 'refreshSessions')) context.server.sessions.use(id);
    return {};
  },
};

async function endListed(context: CommandContext, name: string): Promise<Record<string, never>> {
  for (const id of listed(context, name)) await context.server.sessions.end(id);
  return {};
}

function listed(context: CommandContext, name: string): string[] {
  const sessions = context.body[name];
  if (!Array.isArray(sessions))
    throw new CommandError(14, `BSON field '${name}.${name}' is the wrong type, expected type 'array'`);
  return (sessions as BsonValue[]).map(sessionIdOf);
}

export const commitTransaction: Command = {
  help: 'Commits a transaction; the reply comes once it is on disk.',
  fields: {},
  adminOnly: true,
  inTransaction: true,
  writeConcern: true,
  run: async (context) => {
    const { session, number } = current(context, 'commitTransaction');
    await commit(session, number, context.server.engine);
    return {};
  },
};

export const abortTransaction: Command = {
  help: 'Ends a transaction without keeping anything of it.',
  fields: {},
  adminOnly: true,
  inTransaction: true,
  writeConcern: true,
  run: (context) => {
    const { session, number } = current(context, 'abortTransaction');
    abort(session, number);
    return {};
  },
};

function current(context: CommandContext, name: string) {
  const { session, txnNumber } = context;
  if (session === undefined || txnNumber === undefined) {
    throw new CommandError(125, `${name} must be run within a transaction`);
  }
  return { session, number: txnNumber };
}
