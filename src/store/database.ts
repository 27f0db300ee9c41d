import { type Collection, type Db, MongoClient, type MongoClientOptions, ReadConcern, ReadPreference } from 'mongodb';
import { AppError } from '../errors.js';
import type { JobItemRow, JobPayloadRow, JobRow, JobTurnRow } from './jobs/job-rows.js';
import type {
  ApiKeyRow,
  ChunkRow,
  CleanupRow,
  DocumentRow,
  KeptWorkRow,
  RankingRow,
  SettingRow,
  SpaceFenceRow,
  SpaceRow,
  TextRow,
} from './rows.js';

/**
 * The handles on MongoDB that `store/` works with. Read preference and concerns are fixed here, once: what the URI says
 * about them does not count, so a `readPreference=secondary` in it cannot make a search serve what was withdrawn.
 */
export interface Database {
  readonly client: MongoClient;
  /** Reads what a majority acknowledged; writes wait for a majority and its journal. */
  readonly db: Db;
  readonly documents: Collection<DocumentRow>;
  readonly texts: Collection<TextRow>;
  readonly chunks: Collection<ChunkRow>;
  readonly spaces: Collection<SpaceRow>;
  readonly spaceFences: Collection<SpaceFenceRow>;
  readonly jobs: Collection<JobRow>;
  readonly jobItems: Collection<JobItemRow>;
  readonly jobPayloads: Collection<JobPayloadRow>;
  readonly jobTurns: Collection<JobTurnRow>;
  readonly keptWork: Collection<KeptWorkRow>;
  readonly rankings: Collection<RankingRow>;
  readonly apiKeys: Collection<ApiKeyRow>;
  readonly settings: Collection<SettingRow>;
  readonly cleanups: Collection<CleanupRow>;
  /** `chunks` for `$search` and `$vectorSearch`, which allow read concern `local` only. */
  readonly searchChunks: Collection<ChunkRow>;
  /** `chunks` with read concern `snapshot`: one aggregate with `$lookup` sees documents and chunks of one moment. */
  readonly snapshotChunks: Collection<ChunkRow>;
  close(): Promise<void>;
}

/** On every handle and on `withTransaction`. `j`: acknowledged means that it survives a crash. */
export const WRITE_CONCERN = { w: 'majority', journal: true } as const;

/** How long a call waits for a reachable primary before it fails as STORE_UNAVAILABLE. */
const SERVER_SELECTION_TIMEOUT_MS = 10_000;

export function connect(uri: string, dbName: string, options: MongoClientOptions = {}): Database {
  const client = makeClient(uri, {
    appName: 'gazetteer',
    serverSelectionTimeoutMS: SERVER_SELECTION_TIMEOUT_MS,
    ...options,
    // An absent field and null differ in our rows: undefined must never be stored as null.
    ignoreUndefined: true,
    // Commands over several collections take it from the client; the URI may not say otherwise.
    writeConcern: WRITE_CONCERN,
    retryWrites: true,
    retryReads: true,
  });
  const handle = (level: 'majority' | 'local' | 'snapshot'): Db =>
    client.db(dbName, {
      readPreference: ReadPreference.primary,
      readConcern: new ReadConcern(level),
      writeConcern: WRITE_CONCERN,
      ignoreUndefined: true,
    });
  const db = handle('majority');
  return {
    client,
    db,
    documents: db.collection('documents'),
    texts: db.collection('texts'),
    chunks: db.collection('chunks'),
    spaces: db.collection('spaces'),
    spaceFences: db.collection('space_fences'),
    jobs: db.collection('jobs'),
    jobItems: db.collection('job_items'),
    jobPayloads: db.collection('job_payloads'),
    jobTurns: db.collection('job_turns'),
    keptWork: db.collection('kept_work'),
    rankings: db.collection('rankings'),
    apiKeys: db.collection('api_keys'),
    settings: db.collection('settings'),
    cleanups: db.collection('cleanups'),
    searchChunks: handle('local').collection('chunks'),
    snapshotChunks: handle('snapshot').collection('chunks'),
    close: () => client.close(),
  };
}

/** What the driver cannot read is the operator's to mend, and is said without a word of the credentials in it. */
function makeClient(uri: string, options: MongoClientOptions): MongoClient {
  try {
    return new MongoClient(uri, options);
  } catch (cause) {
    throw new AppError('STORE_UNAVAILABLE', `MONGODB_URI: ${whatIsWrong(uri, options) ?? ENCODE_CREDENTIALS}`, {
      cause,
    });
  }
}

const ENCODE_CREDENTIALS = 'percent-encode what is neither a letter nor a digit in the user name and the password';

/** The driver's word on the URI without its credentials; null when that one is good, so that they are at fault. */
function whatIsWrong(uri: string, options: MongoClientOptions): string | null {
  try {
    new MongoClient(uri.replace(/:\/\/.*@/s, '://'), options);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}
