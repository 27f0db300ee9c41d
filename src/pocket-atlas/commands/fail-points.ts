import { typeName } from '../bson/type.js';
import type { Doc } from '../bson/values.js';
import { CommandError } from '../errors.js';
import { checkStatement, isDocument, numeric, truthy } from './arguments.js';

/**
 * Fail points, by which tests of a client make commands fail on purpose: `failCommand`, and `onPrimaryTransactionalWrite`,
 * which strikes single statements of retryable writes. Source: "The failCommand fail point" in the MongoDB wiki and the
 * driver specifications that use them.
 */
export interface Injection {
  readonly closeConnection: boolean;
  readonly blockMs: number;
  readonly error: CommandError | undefined;
  /** Given labels take the place of those the error would get. */
  readonly labels: readonly string[] | undefined;
  readonly writeConcernError: Doc | undefined;
}

interface Schedule {
  skip: number;
  /** Infinity: always on. */
  times: number;
  readonly probability: number;
}

interface CommandPoint extends Schedule {
  readonly commands: ReadonlySet<string>;
  readonly appName: string | undefined;
  readonly namespace: string | undefined;
  readonly injection: Injection;
}

/** What to do to a statement of a retryable write. */
export interface WriteInjection {
  readonly closeConnection: boolean;
  /** Instead of writing. */
  readonly error: CommandError | undefined;
}

interface WritePoint extends Schedule {
  readonly injection: WriteInjection;
}

/** No client waits longer than this for a blocked command. */
const BLOCK_MS_MAX = 60_000;

export class FailPoints {
  #failCommand: CommandPoint | undefined;
  #onWrite: WritePoint | undefined;
  #entered = 0;
  readonly #random: () => number;

  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  /** @throws CommandError 2, 9, 14 or 40415 for settings that are none. Returns how often the point was entered before. */
  configure(body: Doc): number {
    const mode = readMode(body.mode);
    const data = isDocument(body.data) ? body.data : {};
    switch (body.configureFailPoint) {
      case 'failCommand':
        this.#failCommand = mode.times === 0 ? undefined : readCommandPoint(mode, data);
        break;
      case 'onPrimaryTransactionalWrite':
        this.#onWrite = mode.times === 0 ? undefined : readWritePoint(mode, data);
        break;
      default:
        throw new CommandError(
          2,
          `failpoint not found: ${String(body.configureFailPoint)} (there are failCommand and onPrimaryTransactionalWrite)`,
        );
    }
    return this.#entered;
  }

  /** What to do to this command; undefined: nothing. Counts against `times`. */
  enter(command: string, namespace: string, clientMetadata: Doc | undefined): Injection | undefined {
    const point = this.#failCommand;
    if (point === undefined || !point.commands.has(command)) return undefined;
    if (point.namespace !== undefined && point.namespace !== namespace) return undefined;
    if (point.appName !== undefined && point.appName !== applicationName(clientMetadata)) return undefined;
    return this.#strikes(point) ? point.injection : undefined;
  }

  /** The same for a statement of a retryable write. */
  enterWrite(): WriteInjection | undefined {
    const point = this.#onWrite;
    return point !== undefined && this.#strikes(point) ? point.injection : undefined;
  }

  #strikes(point: Schedule): boolean {
    if (point.times <= 0) return false;
    if (point.skip > 0) {
      point.skip -= 1;
      return false;
    }
    if (point.probability < 1 && this.#random() >= point.probability) return false;
    point.times -= 1;
    this.#entered += 1;
    return true;
  }
}

function readCommandPoint(mode: Schedule, data: Doc): CommandPoint {
  checkStatement('data', data, {
    appName: 'string',
    blockConnection: 'bool',
    blockTimeMS: 'number',
    closeConnection: 'bool',
    errorCode: 'number',
    errorExtraInfo: 'object',
    errorLabels: 'array',
    errorMsg: 'string',
    failAllCommands: 'bool',
    failCommands: 'array',
    failInternalCommands: 'bool',
    namespace: 'string',
    threadName: 'string',
    writeConcernError: 'object',
  });
  if (data.failAllCommands === true || !Array.isArray(data.failCommands)) {
    throw new CommandError(2, "failCommand needs 'failCommands', an array of command names");
  }
  return {
    commands: new Set(data.failCommands.map(String)),
    appName: data.appName as string | undefined,
    namespace: data.namespace as string | undefined,
    injection: {
      closeConnection: truthy(data.closeConnection),
      blockMs: truthy(data.blockConnection) ? Math.min(numeric(data.blockTimeMS ?? 0), BLOCK_MS_MAX) : 0,
      error: errorOf(data),
      labels: Array.isArray(data.errorLabels) ? data.errorLabels.map(String) : undefined,
      writeConcernError: isDocument(data.writeConcernError) ? data.writeConcernError : undefined,
    },
    ...mode,
  };
}

function readWritePoint(mode: Schedule, data: Doc): WritePoint {
  checkStatement('data', data, { closeConnection: 'bool', failBeforeCommitExceptionCode: 'number' });
  const code = data.failBeforeCommitExceptionCode;
  return {
    injection: {
      closeConnection: data.closeConnection !== false,
      error:
        code === undefined
          ? undefined
          : new CommandError(numeric(code), "Failing the write before its commit, by 'onPrimaryTransactionalWrite'"),
    },
    ...mode,
  };
}

function readMode(mode: unknown): { skip: number; times: number; probability: number } {
  if (mode === 'off') return { skip: 0, times: 0, probability: 1 };
  if (mode === 'alwaysOn') return { skip: 0, times: Infinity, probability: 1 };
  if (isDocument(mode as Doc)) {
    const { times, skip, activationProbability } = mode as Doc;
    if (times !== undefined) return { skip: 0, times: numeric(times), probability: 1 };
    if (skip !== undefined) return { skip: numeric(skip), times: Infinity, probability: 1 };
    if (activationProbability !== undefined) {
      return { skip: 0, times: Infinity, probability: numeric(activationProbability) };
    }
  }
  throw new CommandError(
    2,
    `'mode' must be "off", "alwaysOn", { times: n }, { skip: n } or { activationProbability: p }, got ${typeName(mode as Doc)}`,
  );
}

function errorOf(data: Doc): CommandError | undefined {
  if (data.errorCode === undefined) return undefined;
  const message = typeof data.errorMsg === 'string' ? data.errorMsg : "Failing command via 'failCommand' failpoint";
  return new CommandError(numeric(data.errorCode), message, {
    ...(isDocument(data.errorExtraInfo) ? { fields: data.errorExtraInfo } : {}),
  });
}

function applicationName(metadata: Doc | undefined): string | undefined {
  const application = metadata?.application;
  return isDocument(application) && typeof application.name === 'string' ? application.name : undefined;
}
