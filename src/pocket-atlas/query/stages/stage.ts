import type { BsonValue, Doc } from '../../bson/values.js';
import type { Pace } from '../pace.js';
import type { Batches, PipelineEnvironment, QueryVariables, Stage } from '../query.js';

/** Where a pipeline stands: some stages are not allowed in some places. */
export type PipelinePlace = 'top' | '$facet' | '$lookup' | '$unionWith' | '$rankFusion' | '$scoreFusion';

/** A pipeline without its input. May run more than once, one run after the other. */
export interface StageSequence {
  /** On `input`, or on its own source, or on the environment's collection when neither is there. */
  run(input?: Batches): Batches;
  /** False where it makes its documents out of nothing (`$documents`). */
  readonly needsCollection: boolean;
}

export interface StageContext {
  readonly environment: PipelineEnvironment;
  readonly variables: QueryVariables;
  readonly pace: Pace;
  readonly place: PipelinePlace;
  /** Compiles a pipeline inside this one; `collection` null where its first stage must be a source. */
  compileNested(
    pipeline: BsonValue,
    nested: {
      readonly place: PipelinePlace;
      readonly collection: string | null;
      readonly variables?: QueryVariables;
    },
  ): StageSequence;
}

export type CompileStage = (spec: BsonValue, context: StageContext, name: string) => Stage;

export function stage(name: string, run: (input: Batches) => Batches): Stage {
  return { name, run };
}

export type Step = (doc: Doc) => Doc | undefined;
