import type { BsonValue, Doc } from '../bson/values.js';
import type { IndexInfo, KeyRange } from '../storage/engine.js';

/**
 * MQL as pure functions over decoded documents: everything is compiled once, then applied per document. Bad input
 * throws CommandError with the server's number and text at compile time where the server does.
 */

export type Predicate = (doc: Doc) => boolean;

export interface QueryVariables {
  readonly now: Date;
  /** `let` of a command or `$lookup`: names without `$$`. */
  readonly vars: Readonly<Record<string, BsonValue>>;
}

// The functions, one file each in this folder, with what belongs to them in the folder of that name:
//   compileFilter(filter, variables): Predicate (and matchedIndex for the positional operator)             filter.ts
//   compileUpdate(update, options): (doc) => Doc, the very same object when nothing changes                update.ts
//   upsertDocument(filter, update, options): Doc, with its _id                                             update.ts
//   compileProjection(projection, filter, variables): (doc) => Doc                                         projection.ts
//   compileSort(sort): (a, b) => number; compileSortKeys and sortDocuments take each key once              sort.ts
//   compileExpression(expression, variables): (doc) => BsonValue                                           expression.ts
//   compileAccumulator(field, spec, variables): () => Accumulator                                          accumulator.ts
//   compilePipeline(stages, environment): Pipeline                                                         pipeline.ts
//   planFilter(filter, sort, indexes): Plan                                                                plan.ts

/** How to propose records for a filter. The query always re-checks. */
export type Plan =
  | { readonly kind: 'scan' }
  | { readonly kind: 'ids'; readonly ids: readonly BsonValue[] }
  | {
      readonly kind: 'index';
      readonly index: IndexInfo;
      readonly ranges: readonly KeyRange[];
      readonly reverse: boolean;
      readonly providesSort: boolean;
    };

/**
 * Documents flow in batches, so that the pipeline yields to the event loop between batches (at most ~20 ms of work each).
 * A batch is never empty.
 */
export type Batches = AsyncIterable<readonly Doc[]>;

export interface Stage {
  readonly name: string;
  run(input: Batches): Batches;
}

/** What stages need from outside; made by the aggregate command. */
export interface PipelineEnvironment {
  readonly db: string;
  /** null for a database-level aggregate ({ aggregate: 1 }). */
  readonly collection: string | null;
  readonly variables: QueryVariables;
  /** Throws 50 when the deadline has passed, 11601 when killed: call between batches. */
  checkInterrupted(): void;
  readonly inTransaction: boolean;
  /**
   * All documents of a collection that may match `filter` (a pushed-down $match; may be ignored), within the command's
   * view; of each at least the top-level fields `needed`, undefined: all.
   */
  read(db: string, collection: string, filter: Doc, needed?: ReadonlySet<string> | undefined): Batches;
  /** Of what a source brings, the top-level fields that the stages behind it look at; undefined: perhaps any. */
  readonly neededFields?: ReadonlySet<string> | undefined;
  /** How many of the documents that a source brings are looked at; undefined: perhaps all. */
  readonly wantedDocuments?: number | undefined;
  /** Source stages that are not pure: $search, $searchMeta, $vectorSearch, $listSearchIndexes, $collStats, $indexStats…; undefined: unknown stage. */
  source(stage: string, spec: BsonValue, environment: PipelineEnvironment): Stage | undefined;
  /** Sinks ($out, $merge): writes through the engine. */
  sink(stage: string, spec: BsonValue, environment: PipelineEnvironment): Stage | undefined;
}

export interface Pipeline {
  run(): Batches;
}
