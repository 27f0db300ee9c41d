import { createServer, type Server as NetServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { encode } from './bson/encode.js';
import type { Doc } from './bson/values.js';
import type { ConnectionInfo } from './commands/context.js';
import { FailPoints } from './commands/fail-points.js';
import { Snapshots } from './commands/read/snapshots.js';
import { runCommand } from './commands/run-command.js';
import { CursorRegistry } from './cursors/cursor-registry.js';
import { CommandError } from './errors.js';
import type { SearchManager } from './search/manager.js';
import type { ServerState } from './server-state.js';
import { SessionRegistry } from './sessions/session-registry.js';
import type { Engine } from './storage/engine.js';
import { ClusterClock } from './wire/cluster-clock.js';
import { serveConnection } from './wire/connection.js';
import { encodeFrame, type Frame, OPCODE } from './wire/frame.js';
import { encodeOpMsg, parseOpMsg, wantsReply } from './wire/op-msg.js';
import { encodeOpReply, parseOpQuery } from './wire/op-query.js';

/** Connections beyond this are closed at once. */
const CONNECTIONS_MAX = 2_000;
const SWEEP_MS = 1_000;
/** Commands that run when the server stops have this long to finish. */
const STOP_MS_MAX = 10_000;

export interface PocketAtlasServer {
  /** Accepts connections; resolves with the port (0 for a socket path). */
  listen(where: { readonly path: string } | { readonly port: number }): Promise<number>;
  /** Lets running commands finish, then ends connections, transactions and cursors; engine and search stay open. */
  close(): Promise<void>;
}

/** Speaks the wire protocol over an engine. `now` is in ms since 1970. */
export function createPocketAtlasServer(options: {
  readonly engine: Engine;
  readonly search: SearchManager;
  readonly now?: () => number;
}): PocketAtlasServer {
  const now = options.now ?? Date.now;
  const sockets = new Set<Socket>();
  const running = new Set<Promise<unknown>>();
  const listeners: NetServer[] = [];
  let lastConnectionId = 0;
  let lastReplyId = 0;
  let stopping = false;

  const cursors = new CursorRegistry({ now });
  const sessions = new SessionRegistry({
    now,
    onEnd: (session, why) => {
      if (why === 'session') cursors.closeOfSession(session.id);
      else cursors.closeOfTransaction(session.id);
    },
  });
  const clusterClock = new ClusterClock(now);
  const snapshots = new Snapshots({ engine: options.engine, clock: clusterClock, now });
  const state: ServerState = {
    engine: options.engine,
    search: options.search,
    sessions,
    cursors,
    failPoints: new FailPoints(),
    clusterClock,
    snapshots,
    now,
    startedAt: now(),
    connectionsMax: CONNECTIONS_MAX,
    get stopping() {
      return stopping;
    },
    get connectionCount() {
      return sockets.size;
    },
  };
  const sweeper = setInterval(() => {
    snapshots.sweep();
    void Promise.allSettled([sessions.sweep(), cursors.sweep()]);
  }, SWEEP_MS);
  sweeper.unref();

  const nextReplyId = (): number => {
    lastReplyId = lastReplyId === 0x7fffffff ? 1 : lastReplyId + 1;
    return lastReplyId;
  };

  const accept = (socket: Socket, address: string): void => {
    if (sockets.size >= CONNECTIONS_MAX || stopping) {
      socket.destroy();
      return;
    }
    sockets.add(socket);
    lastConnectionId += 1;
    const connection: ConnectionInfo = {
      id: lastConnectionId,
      address,
      clientMetadata: undefined,
      closed: () => socket.destroyed,
    };
    const answerTracked = (frame: Frame): Promise<Buffer | null> => {
      const answering = answer(state, connection, frame, nextReplyId);
      running.add(answering);
      const done = (): void => {
        running.delete(answering);
      };
      answering.then(done, done);
      return answering;
    };
    void serveConnection(socket, answerTracked).finally(() => {
      sockets.delete(socket);
    });
  };

  return {
    listen: async (where) => {
      let address = 'path' in where ? where.path : '';
      const listener = createServer((socket) => accept(socket, address));
      await new Promise<void>((resolve, reject) => {
        listener.once('error', reject);
        listener.once('listening', resolve);
        listener.listen('path' in where ? { path: where.path } : { host: '127.0.0.1', port: where.port });
      });
      listeners.push(listener);
      if ('path' in where) return 0;
      const bound = listener.address();
      const port = typeof bound === 'object' && bound !== null ? bound.port : where.port;
      address = `127.0.0.1:${port}`;
      return port;
    },
    close: async () => {
      stopping = true;
      clearInterval(sweeper);
      const closed = listeners.map((listener) => new Promise<void>((resolve) => listener.close(() => resolve())));
      // Ended transactions let go of what running writes may be waiting for; those then finish and are answered.
      const ended = sessions.endAll();
      await within(STOP_MS_MAX, Promise.allSettled([ended, ...running]));
      for (const socket of sockets) socket.destroy();
      await Promise.all(closed);
      await cursors.closeAll();
      snapshots.close();
    },
  };
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const waiting = new AbortController();
  await Promise.race([work, delay(ms, undefined, { signal: waiting.signal }).catch(() => {})]);
  waiting.abort();
}

async function answer(
  state: ServerState,
  connection: ConnectionInfo,
  frame: Frame,
  nextReplyId: () => number,
): Promise<Buffer | null> {
  if (frame.opCode === OPCODE.message) {
    const reply = await answerOpMsg(state, connection, frame);
    return wantsReply(frame) ? encodeOpMsg(nextReplyId(), frame.requestId, reply) : null;
  }
  if (frame.opCode === OPCODE.query) {
    const reply = await answerOpQuery(state, connection, frame);
    return encodeOpReply(nextReplyId(), frame.requestId, reply);
  }
  // Other opcodes are gone since server 5.1, and OP_COMPRESSED was not agreed upon.
  return encodeFrame(OPCODE.message, nextReplyId(), frame.requestId, [
    new Uint8Array(5),
    failure(new CommandError(5739101, `Unsupported opcode ${frame.opCode}. The client driver may require an upgrade.`)),
  ]);
}

async function answerOpMsg(state: ServerState, connection: ConnectionInfo, frame: Frame): Promise<Uint8Array[]> {
  try {
    return await runCommand(state, connection, parseOpMsg(frame));
  } catch (error) {
    if (error instanceof CommandError) return [failure(error)];
    throw error;
  }
}

async function answerOpQuery(state: ServerState, connection: ConnectionInfo, frame: Frame): Promise<Uint8Array[]> {
  try {
    const { db, body } = parseOpQuery(frame);
    return await runCommand(state, connection, { db, body, sequences: new Map() });
  } catch (error) {
    if (error instanceof CommandError) return [failure(error)];
    throw error;
  }
}

function failure(error: CommandError): Uint8Array {
  const fields: Doc = { ok: 0, errmsg: error.message, code: error.code, codeName: error.codeName };
  return encode(fields);
}
