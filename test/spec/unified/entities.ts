import {
  type AbstractCursor,
  type ClientSession,
  type ClientSessionOptions,
  Collection,
  Db,
  type Document,
  GridFSBucket,
  MongoClient,
  type MongoClientOptions,
  ReadPreference,
} from 'mongodb';
import type { EntityDescription, Fields, Value } from './format.js';
import type { MatchContext } from './match.js';

/** Handshakes and credentials are not among the events that tests expect. */
const SENSITIVE = new Set(['authenticate', 'getnonce', 'hello', 'ismaster', 'isMaster', 'saslContinue', 'saslStart']);
const COMMAND_EVENTS: Readonly<Record<string, string>> = {
  commandStartedEvent: 'commandStarted',
  commandSucceededEvent: 'commandSucceeded',
  commandFailedEvent: 'commandFailed',
};
const POOL_EVENTS: Readonly<Record<string, string>> = {
  connectionCheckedInEvent: 'connectionCheckedIn',
  connectionCheckedOutEvent: 'connectionCheckedOut',
  connectionCheckOutStartedEvent: 'connectionCheckOutStarted',
  connectionReadyEvent: 'connectionReady',
};

export interface ObservedEvent {
  readonly name: string;
  readonly event: Fields;
}

export interface ObservedClient {
  readonly client: MongoClient;
  readonly commandEvents: ObservedEvent[];
  readonly poolEvents: ObservedEvent[];
  /** Every command, observed or not: for the assertions about sessions. */
  readonly commands: { readonly command: Document }[];
  checkedOut: number;
}

/** The named objects of one test. */
export class Entities implements MatchContext {
  readonly clients = new Map<string, ObservedClient>();
  readonly #values = new Map<string, Value>();
  readonly #sessionIds = new Map<string, Fields>();
  readonly #uri: string;

  constructor(uri: string) {
    this.#uri = uri;
  }

  async create(descriptions: readonly EntityDescription[]): Promise<void> {
    for (const { client, database, collection, session, bucket } of descriptions) {
      if (client !== undefined) await this.#createClient(client);
      if (database !== undefined) {
        const options = concerns(database.databaseOptions as Fields | undefined);
        this.set(database.id, this.client(String(database.client)).db(String(database.databaseName), options));
      }
      if (collection !== undefined) {
        const options = concerns(collection.collectionOptions as Fields | undefined);
        this.set(
          collection.id,
          this.database(String(collection.database)).collection(String(collection.collectionName), options),
        );
      }
      if (session !== undefined) {
        const started = this.client(String(session.client)).startSession(
          sessionOptions(session.sessionOptions as Fields | undefined),
        );
        this.#sessionIds.set(session.id, started.id as unknown as Fields);
        this.set(session.id, started);
      }
      if (bucket !== undefined) this.set(bucket.id, new GridFSBucket(this.database(String(bucket.database))));
    }
  }

  set(name: string, value: Value): void {
    if (this.#values.has(name)) throw new Error(`The entity ${name} exists already`);
    this.#values.set(name, value);
  }

  entity(name: string): Value {
    if (!this.#values.has(name)) throw new Error(`There is no entity ${name}`);
    return this.#values.get(name);
  }

  sessionId(name: string): Fields {
    const id = this.#sessionIds.get(name);
    if (id === undefined) throw new Error(`There is no session ${name}`);
    return id;
  }

  client(name: string): MongoClient {
    return this.observed(name).client;
  }

  observed(name: string): ObservedClient {
    const observed = this.clients.get(name);
    if (observed === undefined) throw new Error(`There is no client ${name}`);
    return observed;
  }

  database(name: string): Db {
    const value = this.entity(name);
    if (!(value instanceof Db)) throw new Error(`${name} is no database`);
    return value;
  }

  collection(name: string): Collection {
    const value = this.entity(name);
    if (!(value instanceof Collection)) throw new Error(`${name} is no collection`);
    return value;
  }

  session(name: string): ClientSession {
    return this.entity(name) as ClientSession;
  }

  cursor(name: string): AbstractCursor<Document> {
    return this.entity(name) as AbstractCursor<Document>;
  }

  async close(): Promise<void> {
    for (const value of this.#values.values()) {
      if (typeof value === 'object' && value !== null && 'endSession' in value)
        await (value as ClientSession).endSession();
    }
    await Promise.all([...this.clients.values()].map(({ client }) => client.close()));
  }

  async #createClient(description: Fields & { readonly id: string }): Promise<void> {
    const observe = (description.observeEvents as string[] | undefined) ?? [];
    const ignored = new Set([
      ...((description.ignoreCommandMonitoringEvents as string[] | undefined) ?? []),
      'configureFailPoint',
    ]);
    const client = new MongoClient(this.#uri, {
      // Whoever waits for a server that is not there need not wait long.
      serverSelectionTimeoutMS: 5_000,
      ...clientOptions(description.uriOptions as Fields | undefined),
      monitorCommands: true,
    });
    const observed: ObservedClient = { client, commandEvents: [], poolEvents: [], commands: [], checkedOut: 0 };
    for (const [expectedName, emitted] of Object.entries(COMMAND_EVENTS)) {
      client.on(emitted as 'commandStarted', (event) => {
        if (SENSITIVE.has(event.commandName) || ignored.has(event.commandName)) return;
        if (emitted === 'commandStarted') observed.commands.push({ command: event.command });
        if (observe.includes(expectedName)) {
          observed.commandEvents.push({ name: expectedName, event: event as unknown as Fields });
        }
      });
    }
    for (const [expectedName, emitted] of Object.entries(POOL_EVENTS)) {
      client.on(emitted as 'connectionReady', (event) => {
        if (observe.includes(expectedName))
          observed.poolEvents.push({ name: expectedName, event: event as unknown as Fields });
      });
    }
    client.on('connectionCheckedOut', () => {
      observed.checkedOut += 1;
    });
    client.on('connectionCheckedIn', () => {
      observed.checkedOut -= 1;
    });
    await client.connect();
    // What connecting itself does is no part of a test.
    observed.poolEvents.length = 0;
    this.clients.set(description.id, observed);
    this.#values.set(description.id, client);
  }
}

function clientOptions(uriOptions: Fields = {}): MongoClientOptions {
  const { w, readConcernLevel, ...rest } = uriOptions;
  return {
    ...(rest as MongoClientOptions),
    ...(w === undefined ? {} : { writeConcern: { w: w as number } }),
    ...(readConcernLevel === undefined ? {} : { readConcern: { level: readConcernLevel as 'local' } }),
  };
}

/** Options with a read preference in the form of the driver. */
export function concerns(options: Fields = {}): Fields {
  if (options.readPreference === undefined) return options;
  return {
    ...options,
    readPreference: ReadPreference.fromOptions({ readPreference: options.readPreference as Document }),
  };
}

function sessionOptions(options: Fields = {}): ClientSessionOptions {
  const { defaultTransactionOptions, ...rest } = options;
  if (defaultTransactionOptions === undefined) return rest as ClientSessionOptions;
  return { ...rest, defaultTransactionOptions: concerns(defaultTransactionOptions as Fields) } as ClientSessionOptions;
}
