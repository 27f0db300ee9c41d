import { arch, cpus, hostname, platform, release, totalmem } from 'node:os';
import { Long } from 'bson';
import { MAX_DOCUMENT_BYTES } from '../../bson/encode.js';
import type { Doc } from '../../bson/values.js';
import { CommandError } from '../../errors.js';
import { isDocument, truthy } from '../arguments.js';
import type { Command } from '../command.js';

/** The server whose behaviour is followed. */
export const SERVER_VERSION = '8.2.0';

export const ping: Command = { help: 'Answers.', fields: {}, run: () => ({}) };

export const buildInfo: Command = {
  help: 'The version of the server that is followed, and that this is Pocket Atlas.',
  fields: {},
  run: () => ({
    version: SERVER_VERSION,
    versionArray: [8, 2, 0, 0],
    gitVersion: 'pocket-atlas',
    modules: ['pocket-atlas'],
    allocator: 'system',
    javascriptEngine: 'none',
    sysInfo: 'deprecated',
    bits: 64,
    debug: false,
    maxBsonObjectSize: MAX_DOCUMENT_BYTES,
    storageEngines: ['lmdb'],
    pocketAtlas: true,
  }),
};

export const connectionStatus: Command = {
  help: 'Who is logged in: nobody ever.',
  fields: { showPrivileges: 'boolish' },
  run: (context) => ({
    authInfo: {
      authenticatedUsers: [],
      authenticatedUserRoles: [],
      ...(truthy(context.body.showPrivileges) ? { authenticatedUserPrivileges: [] } : {}),
    },
  }),
};

export const hostInfo: Command = {
  help: 'The machine.',
  fields: {},
  run: (context) => ({
    system: {
      currentTime: context.now,
      hostname: hostname(),
      cpuAddrSize: 64,
      memSizeMB: Long.fromNumber(Math.floor(totalmem() / 1_048_576)),
      numCores: cpus().length,
      cpuArch: arch(),
      numaEnabled: false,
    },
    os: { type: platform(), name: platform(), version: release() },
    extra: {},
  }),
};

export const getCmdLineOpts: Command = {
  help: 'How the server was started.',
  fields: {},
  adminOnly: true,
  run: () => ({ argv: ['pocket-atlas'], parsed: {} }),
};

export const getLog: Command = {
  help: 'Start-up warnings: none.',
  fields: {},
  adminOnly: true,
  run: (context) => {
    const which = context.body.getLog;
    if (which === '*') return { names: ['global', 'startupWarnings'] };
    if (which !== 'global' && which !== 'startupWarnings') {
      throw new CommandError(96, `No log named '${String(which)}'`);
    }
    return { totalLinesWritten: 0, log: [] };
  },
};

const PARAMETERS: Readonly<Record<string, Doc[string]>> = {
  authenticationMechanisms: [],
  featureCompatibilityVersion: { version: '8.2' },
  requireApiVersion: false,
  transactionLifetimeLimitSeconds: 60,
};

export const getParameter: Command = {
  help: 'Settings of the server.',
  fields: {
    ...Object.fromEntries(Object.keys(PARAMETERS).map((name) => [name, 'any' as const])),
    allParameters: 'any',
  },
  adminOnly: true,
  run: (context) => {
    const { body } = context;
    const all = body.getParameter === '*' || (isDocument(body.getParameter) && truthy(body.getParameter.allParameters));
    if (all) return { ...PARAMETERS };
    const wanted = Object.keys(body).filter((name) => Object.hasOwn(PARAMETERS, name));
    if (wanted.length === 0) throw new CommandError(72, 'no option found to get');
    return Object.fromEntries(wanted.map((name) => [name, PARAMETERS[name]]));
  },
};

export const serverStatus: Command = {
  help: 'Connections, sessions and cursors in numbers.',
  // Sections are switched on and off by name: what is not kept here has nothing to switch.
  fields: Object.fromEntries(
    ['asserts', 'locks', 'logicalSessionRecordCache', 'metrics', 'repl', 'transportSecurity', 'wiredTiger'].map(
      (name) => [name, 'any' as const],
    ),
  ),
  run: ({ server, now }) => {
    const memory = process.memoryUsage();
    const uptime = (server.now() - server.startedAt) / 1000;
    return {
      host: hostname(),
      version: SERVER_VERSION,
      process: 'pocket-atlas',
      pid: Long.fromNumber(process.pid),
      uptime,
      uptimeMillis: Long.fromNumber(Math.round(uptime * 1000)),
      localTime: now,
      connections: { current: server.connectionCount, available: server.connectionsMax - server.connectionCount },
      logicalSessionRecordCache: { activeSessionsCount: server.sessions.size },
      transactions: { currentOpen: Long.fromNumber(server.sessions.openTransactions) },
      metrics: { cursor: { open: { total: Long.fromNumber(server.cursors.size) } } },
      mem: { bits: 64, resident: Math.round(memory.rss / 1_048_576) },
      storageEngine: { name: 'lmdb', persistent: true },
    };
  },
};

export const validate: Command = {
  help: 'Reads every record of a collection, which verifies its checksum.',
  fields: { checkBSONConformance: 'boolish', full: 'boolish', metadata: 'boolish', repair: 'refused' },
  run: (context) =>
    context.read((view) => {
      const collection = view.collection(context.db, context.collection);
      if (collection === undefined) {
        throw new CommandError(26, `Collection '${context.namespace}' does not exist to validate.`);
      }
      const errors: string[] = [];
      let nrecords = 0;
      try {
        for (const _record of view.scan(collection)) nrecords += 1;
      } catch (error) {
        errors.push(error instanceof Error ? error.message : String(error));
      }
      return {
        ns: context.namespace,
        nInvalidDocuments: errors.length,
        nrecords,
        nIndexes: collection.indexes.length,
        valid: errors.length === 0,
        repaired: false,
        warnings: [],
        errors,
        extraIndexEntries: [],
        missingIndexEntries: [],
      };
    }),
};

export const configureFailPoint: Command = {
  help: 'Makes commands fail on purpose: failCommand and onPrimaryTransactionalWrite.',
  fields: { data: 'object', mode: 'any' },
  adminOnly: true,
  writeConcern: true,
  run: (context) => ({ count: context.server.failPoints.configure(context.body) }),
};
