import { Long, ObjectId } from 'bson';
import { MAX_DOCUMENT_BYTES } from '../../bson/encode.js';
import type { Doc } from '../../bson/values.js';
import { CommandError } from '../../errors.js';
import { SESSION_TIMEOUT_MS } from '../../sessions/session-registry.js';
import { MESSAGE_BYTES_MAX } from '../../wire/frame.js';
import { isDocument } from '../arguments.js';
import type { Command } from '../command.js';
import type { CommandContext } from '../context.js';
import { STATEMENTS_MAX } from '../write/statements.js';

export const REPLICA_SET = 'rs0';
/** Of server 8.2. */
const WIRE_VERSION_MAX = 27;

const FIELDS: Command['fields'] = {
  backpressure: 'any',
  client: 'object',
  compression: 'array',
  forShell: 'any',
  helloOk: 'boolish',
  hostInfo: 'any',
  internalClient: 'any',
  loadBalanced: 'refused',
  maxAwaitTimeMS: 'number',
  saslSupportedMechs: 'any',
  speculativeAuthenticate: 'object',
  topologyVersion: 'object',
};

export const hello: Command = {
  help: 'Describes the server: a primary of a replica set of one.',
  fields: FIELDS,
  run: (context) => ({ isWritablePrimary: true, ...describe(context) }),
};

export const isMaster: Command = {
  help: 'hello, in the words of older drivers.',
  fields: FIELDS,
  run: (context) => ({ ismaster: true, ...describe(context) }),
};

/**
 * No topologyVersion: so drivers ask again every ten seconds instead of waiting for a streamed answer. `me` is what a
 * client of this listener typed, so that one without directConnection stays where it is.
 */
function describe(context: CommandContext): Doc {
  const { body, connection, server } = context;
  if (isDocument(body.client)) {
    if (connection.clientMetadata !== undefined) {
      throw new CommandError(186, 'The client metadata document may only be sent in the first hello');
    }
    connection.clientMetadata = body.client;
  }
  const time = server.clusterClock.current;
  const now = new Date(server.now());
  return {
    ...(body.helloOk === true ? { helloOk: true } : {}),
    hosts: [connection.address],
    setName: REPLICA_SET,
    setVersion: 1,
    secondary: false,
    primary: connection.address,
    me: connection.address,
    electionId: ELECTION_ID,
    lastWrite: {
      opTime: { ts: time, t: Long.fromNumber(1) },
      lastWriteDate: now,
      majorityOpTime: { ts: time, t: Long.fromNumber(1) },
      majorityWriteDate: now,
    },
    maxBsonObjectSize: MAX_DOCUMENT_BYTES,
    maxMessageSizeBytes: MESSAGE_BYTES_MAX,
    maxWriteBatchSize: STATEMENTS_MAX,
    localTime: now,
    logicalSessionTimeoutMinutes: SESSION_TIMEOUT_MS / 60_000,
    connectionId: connection.id,
    minWireVersion: 0,
    maxWireVersion: WIRE_VERSION_MAX,
    readOnly: false,
  };
}

const ELECTION_ID = new ObjectId('7fffffff0000000000000001');

/** Credentials cannot be checked here: pretending to would be worse than to say so. */
export const saslStart: Command = {
  help: 'Refused: there is no authentication.',
  fields: { mechanism: 'any', options: 'any', payload: 'any', autoAuthorize: 'any' },
  run: () => {
    throw new CommandError(
      18,
      'Authentication failed: Pocket Atlas has no users. Connect without user name and password (its socket is only open to this machine).',
    );
  },
};
