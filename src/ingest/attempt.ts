import type { Embedder } from '../embed/embedder.js';
import type { Alongside, AlongsideOption } from '../store/alongside.js';
import type { QueuedOn } from '../store/jobs/job-records.js';
import type { DocumentRecord, SpaceRecord } from '../store/records.js';
import type { Scope } from '../store/scope.js';
import type { Store } from '../store/store.js';
import type { ContextWriter } from './context/context-writer.js';
import type { Cutter } from './cutter.js';
import type { DetectLanguage } from './detect-language.js';
import type { Extract, Extracted } from './extract.js';
import type { UpsertInput, UpsertProgress } from './ingest.js';
import type { KeyedLock } from './keyed-lock.js';
import type { RecentVectors } from './recent-vectors.js';
import type { CheckedInput } from './resolve-upsert.js';
import type { SpaceVectors } from './space-vectors.js';

/** What upserts are made of; one for the process. */
export interface UpsertParts {
  readonly store: Store;
  /** The embedder of a stored space. */
  readonly embedderOf: (space: SpaceRecord) => Embedder;
  readonly cutter: Cutter;
  readonly extract: Extract;
  readonly detectLanguage: DetectLanguage;
  readonly recentVectors: RecentVectors;
  /** Situates the chunks of contextual documents; null: title and headings do that alone. */
  readonly contextWriter: ContextWriter | null;
  /** Upserts of one title that lost a race take turns. */
  readonly turns: KeyedLock;
}

export interface UpsertOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: UpsertProgress) => void;
  /** The document of the title as the caller has just read it, null for none. A stale one costs another attempt. */
  readonly found?: DocumentRecord | null;
  /** A process died in the middle of it before: what is embedded now is kept at once, so that nothing is embedded thrice. */
  readonly wasInterrupted?: boolean;
  /** What is to be stored with the document, or neither is: see the store's `Alongside`. */
  readonly alongside?: Alongside;
  /** It waited in a job, since the document was like this. */
  readonly queuedOn?: QueuedOn | null;
}

/** One call, over however many attempts it takes. */
export interface Attempt {
  readonly parts: UpsertParts;
  readonly scope: Scope;
  readonly given: UpsertInput;
  readonly input: CheckedInput;
  readonly options: UpsertOptions;
  /** By space: what an earlier attempt embedded is not embedded again. */
  readonly vectors: Map<string, SpaceVectors>;
  /** Of a chat model: what an earlier attempt was told is not asked again. */
  readonly lines: Map<string, string>;
  /** Of a file, once it has been read: its bytes may be gone then, and every attempt reads the same. */
  extracted: Extracted | null;
}

/** The signal as an option that is left out when there is none. */
export function withSignal({ options: { signal } }: Attempt): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}

/** The same with what goes along with the write. */
export function withAlongside({ options: { alongside, queuedOn } }: Pick<Attempt, 'options'>): AlongsideOption {
  return { ...(alongside && { alongside }), ...(queuedOn && { queuedAt: queuedOn.at }) };
}
