import type { BsonValue, Doc } from '../../../src/pocket-atlas/bson/values.js';
import { CommandError } from '../../../src/pocket-atlas/errors.js';
import { compileFilter } from '../../../src/pocket-atlas/query/filter.js';
import { compilePipeline } from '../../../src/pocket-atlas/query/pipeline.js';
import type { Batches, PipelineEnvironment } from '../../../src/pocket-atlas/query/query.js';
import { variables } from './check.js';

export interface PipelineSetting {
  readonly collection?: string | null;
  readonly inTransaction?: boolean;
  readonly checkInterrupted?: () => void;
  /** What `$search` gives, and where `$out` puts its input. */
  readonly search?: readonly Doc[];
  readonly written?: BsonValue[];
  /** What a `$vectorSearch` gives. */
  readonly vectorSearch?: readonly Doc[];
  readonly times?: number;
}

const BATCH = 100;

async function* inBatches(docs: Iterable<Doc>): Batches & AsyncGenerator<Doc[]> {
  let batch: Doc[] = [];
  for (const doc of docs) {
    batch.push(doc);
    if (batch.length === BATCH) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

function* filtered(docs: Iterable<Doc>, matches: (doc: Doc) => boolean): Generator<Doc> {
  for (const doc of docs) if (matches(doc)) yield doc;
}

/** An environment over collections in memory: a real reader, a source of canned documents, a sink that remembers. */
export function memoryEnvironment(
  collections: Readonly<Record<string, Iterable<Doc>>>,
  setting: PipelineSetting = {},
): PipelineEnvironment {
  const sources: Record<string, readonly Doc[] | undefined> = {
    $search: setting.search,
    $vectorSearch: setting.vectorSearch,
  };
  return {
    db: 'test',
    collection: setting.collection === undefined ? 'c' : setting.collection,
    variables,
    checkInterrupted: setting.checkInterrupted ?? (() => {}),
    inTransaction: setting.inTransaction ?? false,
    read: (_db, name, filter) => inBatches(filtered(collections[name] ?? [], compileFilter(filter, variables))),
    source: (stage) => {
      const docs = sources[stage];
      return docs === undefined ? undefined : { name: stage, run: () => inBatches(docs) };
    },
    sink: (stage) =>
      stage !== '$out'
        ? undefined
        : {
            name: stage,
            async *run(input) {
              for await (const batch of input) setting.written?.push(...batch);
              yield* [];
            },
          },
  };
}

export async function runPipeline(
  stages: readonly Doc[],
  collections: Readonly<Record<string, Iterable<Doc>>>,
  setting: PipelineSetting = {},
): Promise<Doc[]> {
  const pipeline = compilePipeline(stages, memoryEnvironment(collections, setting));
  const docs: Doc[] = [];
  for (let run = 0; run < (setting.times ?? 1); run++) {
    for await (const batch of pipeline.run()) docs.push(...batch);
  }
  return docs;
}

/** Code and text of the CommandError that compiling or running raises. */
export async function checkPipelineFailure(
  stages: readonly Doc[],
  setting: PipelineSetting & { readonly collections?: Readonly<Record<string, Iterable<Doc>>> } = {},
): Promise<{ code: number; message: string }> {
  try {
    await runPipeline(stages, setting.collections ?? { c: [{ _id: 1 }] }, setting);
  } catch (error) {
    if (error instanceof CommandError) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error('expected a CommandError');
}
