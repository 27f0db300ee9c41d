import type { BsonValue, Doc } from '../bson/values.js';
import type { CollectionInfo, Engine, RecordId } from '../storage/engine.js';

/**
 * A search index of one kind over one collection. The manager (search/manager.ts) owns names, statuses, lag, staging and
 * checkpoints; a kind owns how rows are kept and searched. It is fed from committed records, in order, and may be thrown
 * away and rebuilt from a scan at any time.
 */
export interface SearchIndexKind {
  readonly type: 'vectorSearch' | 'search';
  /** Returns the normalised definition; throws CommandError with Atlas's text. */
  validate(name: string, definition: Doc): Doc;
  /** Whether two definitions are the same index (creating it again is then fine). */
  isEquivalent(a: Doc, b: Doc): boolean;
  open(options: {
    engine: Engine;
    collection: CollectionInfo /** unique per build, for files and key prefixes */;
    buildId: string;
    definition: Doc;
  }): Promise<SearchIndexInstance>;
  /** Removes what a build left behind. */
  discard(options: { engine: Engine; buildId: string }): Promise<void>;
}

export interface SearchIndexInstance {
  /** The last commit whose changes are durable inside the index: after a crash the manager feeds again from there. 0: empty. */
  readonly checkpoint: number;
  /** Applies changes; `doc` undefined removes. Idempotent per record. Yields to the event loop at least every 20 ms. */
  apply(changes: readonly { readonly recordId: RecordId; readonly doc: Doc | undefined }[]): Promise<void>;
  /** Makes everything applied so far durable and moves `checkpoint`. May run seldom: a crash only means applying again. */
  persist(commitNumber: number): Promise<void>;
  /** Live rows. */
  readonly rowCount: number;
  close(): Promise<void>;
}

/** A hit of a search stage, best first; the stage looks the record up and drops it when it is gone. */
export interface SearchHit {
  readonly recordId: RecordId;
  readonly score: number;
  readonly highlights?: BsonValue[];
  readonly scoreDetails?: Doc;
  readonly sequenceToken?: string;
}
