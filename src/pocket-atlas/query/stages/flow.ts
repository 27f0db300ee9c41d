import type { Doc } from '../../bson/values.js';
import type { MemoryBudget } from '../memory.js';
import type { Pace } from '../pace.js';
import type { Batches } from '../query.js';
import type { Step } from './stage.js';

/** Documents that a stage hands on at once. */
export const BATCH_DOCUMENTS = 500;

/** Applies a step to each document; undefined drops it. */
export async function* mapDocuments(input: Batches, pace: Pace, step: Step): Batches & AsyncGenerator<Doc[]> {
  for await (const batch of input) {
    let out: Doc[] = [];
    for (const doc of batch) {
      const result = step(doc);
      if (result !== undefined) out.push(result);
      if (pace.due) {
        if (out.length > 0) yield out;
        out = [];
        await pace.rest();
      }
    }
    if (out.length > 0) yield out;
  }
}

/** Gives each document to `take`, resting in between. */
export async function forEachDocument(input: Batches, pace: Pace, take: (doc: Doc) => void): Promise<void> {
  for await (const batch of input) {
    for (const doc of batch) {
      take(doc);
      if (pace.due) await pace.rest();
    }
  }
}

export async function collectDocuments(input: Batches, pace: Pace, budget: MemoryBudget): Promise<Doc[]> {
  const docs: Doc[] = [];
  await forEachDocument(input, pace, (doc) => {
    budget.hold(doc);
    docs.push(doc);
  });
  return docs;
}

/** Documents that are there already, or are made one by one, as batches. */
export async function* batchesOf(docs: Iterable<Doc>, pace: Pace): Batches & AsyncGenerator<Doc[]> {
  let out: Doc[] = [];
  for (const doc of docs) {
    out.push(doc);
    if (out.length >= BATCH_DOCUMENTS || pace.due) {
      yield out;
      out = [];
      if (pace.due) await pace.rest();
    }
  }
  if (out.length > 0) yield out;
}

/** A stage without input. */
export async function* noDocuments(): Batches & AsyncGenerator<Doc[]> {}
