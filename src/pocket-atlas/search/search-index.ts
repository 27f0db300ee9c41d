import type { BsonValue, Doc, DocMeta } from '../bson/values.js';
import type { CollectionInfo, Engine, RecordId } from '../storage/engine.js';

/**
 * A search index of one kind over one collection. The manager (search/manager.ts) owns names, statuses, lag, staging and
 * checkpoints; a kind owns how rows are kept and searched. It is fed from committed records, in order, and may be thrown
 * away and rebuilt from a scan at any time.
 */
export interface SearchIndexKind {
  readonly type: 'vectorSearch' | 'search';
  /** Returns the normalised definition; throws CommandError or SearchFailure with Atlas's text. */
  validate(name: string, definition: Doc): Doc;
  /** Whether two definitions are the same index (creating it again is then fine). */
  isEquivalent(a: Doc, b: Doc): boolean;
  /** The stages that this kind answers, by name. */
  readonly stages: Readonly<Record<string, SearchStage>>;
  open(options: {
    engine: Engine;
    collection: CollectionInfo;
    /** Unique per build, for files and key prefixes. */
    buildId: string;
    definition: Doc;
    /** To be called when a search or upkeep finds that the build is damaged: the manager builds anew from a scan. */
    onLost: (error: unknown) => void;
  }): Promise<SearchIndexInstance>;
  /** Removes what a build left behind. */
  discard(options: { engine: Engine; buildId: string }): Promise<void>;
}

/**
 * A search stage in the two steps of the server (ATLAS.md §1.1): calling it makes the light checks of mongod, which come
 * first and throw CommandError with their own numbers; `parse` makes mongot's, which come only when the collection exists,
 * run even when the index does not, and throw SearchFailure.
 */
export type SearchStage = (spec: BsonValue) => { parse(): SearchRequest };

export interface SearchRequest {
  /** Name of the index to ask. */
  readonly index: string;
  /** The answer when no index has that name. */
  readonly whenMissing: SearchOutcome;
  /** Throws SearchFailure with mongot's text. `instance` was opened by the same kind. */
  run(instance: SearchIndexInstance, context: SearchContext): Promise<SearchOutcome>;
}

export interface SearchContext {
  readonly indexName: string;
  /** Throws when the deadline has passed or the operation was killed: call between slices of work. */
  checkInterrupted(): void;
  /** The current records of a page of hits, for what must be read from documents (highlights); undefined: gone. */
  fetch(recordIds: readonly RecordId[]): readonly (Doc | undefined)[];
}

export type SearchOutcome =
  /** Documents to look up. `metaOf` says what `$meta` knows of a hit; `searchMeta` is the value of `$$SEARCH_META`. */
  | {
      readonly hits: SearchHits;
      readonly metaOf: (hit: SearchHit, doc: Doc) => DocMeta;
      /** `metaOf` looks at the document itself (to highlight in it), so all of it is decoded. */
      readonly metaReadsDocument: boolean;
      readonly searchMeta?: Doc;
      /** To be called when no more hits are asked for. */
      readonly done?: () => void;
    }
  /** Documents as they are ($searchMeta). */
  | { readonly documents: readonly Doc[] };

/** Hits in order, best first, of which mostly only the first page is read: a kind may order the rest when it is asked for. */
export interface SearchHits {
  readonly length: number;
  slice(from: number, to: number): readonly SearchHit[];
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
