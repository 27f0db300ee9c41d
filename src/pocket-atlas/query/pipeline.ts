import type { BsonValue, Doc } from '../bson/values.js';
import { location, typeMismatch } from './errors.js';
import { fieldsOfStages } from './needed-fields.js';
import { Pace } from './pace.js';
import { isDocument } from './path.js';
import type { Batches, Pipeline, PipelineEnvironment, QueryVariables, Stage } from './query.js';
import { noDocuments } from './stages/flow.js';
import { limitOf, skipOf } from './stages/limit.js';
import { COLLECTIONLESS_STAGES, checkPosition, SINK_STAGES, SOURCE_STAGES } from './stages/position.js';
import { sortStage } from './stages/sort.js';
import type { PipelinePlace, StageContext, StageSequence } from './stages/stage.js';
import { STAGES } from './stages/table.js';
import { wantedDocuments } from './wanted-documents.js';

/** The server's bound on stages, here for nested pipelines too. */
const STAGES_MAX = 1000;
/** Pipelines within pipelines: `$lookup` in `$lookup` and so on. */
const NESTING_MAX = 20;

/**
 * Compiles an aggregation pipeline. It reads `environment.collection` unless its first stage is a source. Batches follow
 * one another without holding the event loop for more than some 12 ms each.
 *
 * @throws CommandError 40324 for an unknown stage, 40323 for a stage with more than one name, those of stage positions
 * (`stages/position.ts`), and those of each stage and expression.
 */
export function compilePipeline(stages: readonly Doc[], environment: PipelineEnvironment): Pipeline {
  const pace = new Pace(() => environment.checkInterrupted());
  const { variables } = environment;
  const sequence = compileSequence(stages, { environment, variables, pace, place: 'top', depth: 0 });
  return { run: () => sequence.run() };
}

interface SequencePlace {
  readonly environment: PipelineEnvironment;
  readonly variables: QueryVariables;
  readonly pace: Pace;
  readonly place: PipelinePlace;
  readonly depth: number;
}

interface NamedStage {
  readonly name: string;
  readonly spec: BsonValue;
}

function compileSequence(stages: readonly BsonValue[], at: SequencePlace): StageSequence {
  if (stages.length > STAGES_MAX) {
    throw location(7749501, `Pipeline length must be no longer than ${STAGES_MAX} stages`);
  }
  if (at.depth > NESTING_MAX) {
    throw location(40383, `Maximum number of nested sub-pipelines exceeded. Limit is ${NESTING_MAX}`);
  }
  const { environment } = at;
  const named = stages.map(nameStage);
  named.forEach(({ name }, index) => {
    checkPosition(name, { index, count: named.length, place: at.place, inTransaction: environment.inTransaction });
  });
  const context = stageContext(at);
  const compiled: Stage[] = [];
  let hasSource = false;
  for (let index = 0; index < named.length; index++) {
    const top = topOfSort(named, index);
    if (top !== undefined) {
      compiled.push(sortStage(named[index]!.spec, context, top));
      continue;
    }
    const { stage, isSource } = compileStage(named, index, context);
    if (isSource) hasSource = true;
    compiled.push(stage);
  }
  const first = named[0]?.name;
  const needsCollection = !hasSource || !COLLECTIONLESS_STAGES.has(first!);
  // within another stage, that stage knows better what is missing
  if (environment.collection === null && needsCollection && at.place === 'top') {
    throw location(73, `{aggregate: 1} is not valid for '${first ?? 'an empty pipeline'}'; a collection is required.`);
  }
  const pushedDown = leadingFilter(named);
  const neededFields = fieldsOfStages(named);
  return {
    needsCollection,
    run(input) {
      let batches: Batches =
        input !== undefined && !hasSource
          ? input
          : hasSource
            ? noDocuments()
            : environment.read(environment.db, environment.collection!, pushedDown, neededFields);
      for (const stage of compiled) batches = stage.run(batches);
      return batches;
    },
  };
}

function nameStage(stage: BsonValue): NamedStage {
  if (!isDocument(stage)) throw typeMismatch("Each element of the 'pipeline' array must be an object");
  const names = Object.keys(stage);
  if (names.length !== 1) {
    throw location(40323, 'A pipeline stage specification object must contain exactly one field.');
  }
  return { name: names[0]!, spec: stage[names[0]!] };
}

function compileStage(
  named: readonly NamedStage[],
  index: number,
  context: StageContext,
): { readonly stage: Stage; readonly isSource: boolean } {
  const { name, spec } = named[index]!;
  const { environment } = context;
  const compile = STAGES.get(name);
  if (compile !== undefined) return { stage: compile(spec, context, name), isSource: SOURCE_STAGES.has(name) };
  if (SINK_STAGES.has(name)) {
    const sink = environment.sink(name, spec, environment);
    if (sink !== undefined) return { stage: sink, isSource: false };
  } else if (index === 0) {
    const behind = named.slice(1);
    const hints = { neededFields: fieldsOfStages(behind), wantedDocuments: wantedDocuments(behind) };
    const source = environment.source(name, spec, { ...environment, ...hints });
    if (source !== undefined) return { stage: source, isSource: true };
  }
  throw location(40324, `Unrecognized pipeline stage name: '${name}'`);
}

function stageContext(at: SequencePlace): StageContext {
  const { environment, variables, pace, place } = at;
  return {
    environment,
    variables,
    pace,
    place,
    compileNested(pipeline, nested) {
      if (!Array.isArray(pipeline)) throw typeMismatch("'pipeline' option must be specified as an array");
      const inner = nested.variables ?? variables;
      return compileSequence(pipeline, {
        environment: { ...environment, collection: nested.collection, variables: inner },
        variables: inner,
        pace,
        place: nested.place,
        depth: at.depth + 1,
      });
    },
  };
}

/** How many documents of a `$sort` are wanted, when a `$limit` follows (maybe behind a `$skip`). */
function topOfSort(named: readonly NamedStage[], index: number): number | undefined {
  if (named[index]!.name !== '$sort') return undefined;
  const [next, afterNext] = [named[index + 1], named[index + 2]];
  if (next?.name === '$limit') return limitOf(next.spec);
  if (next?.name === '$skip' && afterNext?.name === '$limit') return skipOf(next.spec) + limitOf(afterNext.spec);
  return undefined;
}

/** Leading `$match` stages, for an index to propose from. Without `$expr`, whose variables the reader does not know. */
function leadingFilter(named: readonly NamedStage[]): Doc {
  const filters: Doc[] = [];
  for (const { name, spec } of named) {
    if (name !== '$match') break;
    if (!mentionsExpression(spec)) filters.push(spec as Doc);
  }
  return filters.length <= 1 ? (filters[0] ?? {}) : { $and: filters };
}

function mentionsExpression(value: BsonValue): boolean {
  if (Array.isArray(value)) return value.some(mentionsExpression);
  if (!isDocument(value)) return false;
  return Object.entries(value).some(
    ([name, inner]) => name === '$expr' || name === '$sampleRate' || mentionsExpression(inner),
  );
}
