import type { Doc } from '../../bson/values.js';
import { location } from '../errors.js';
import { approximateSize, MemoryBudget } from '../memory.js';
import { count, isNumeric } from '../numeric.js';
import { isDocument } from '../path.js';
import { batchesOf, forEachDocument } from './flow.js';
import { type CompileStage, stage } from './stage.js';

/** A random sample without repetition: reservoir sampling, so that only the sample is held. */
export const compileSample: CompileStage = (spec, { pace }) => {
  if (!isDocument(spec)) throw location(28745, 'the $sample stage specification must be an object');
  for (const name of Object.keys(spec)) {
    if (name !== 'size') throw location(28748, `unrecognized option to $sample: ${name}`);
  }
  if (!Object.hasOwn(spec, 'size')) throw location(28749, '$sample stage must specify a size');
  if (!isNumeric(spec.size)) throw location(28746, 'size argument to $sample must be a number');
  const size = count(spec.size) ?? 0;
  if (size <= 0) throw location(28747, 'size argument to $sample must be a positive integer');
  return stage('$sample', async function* (input) {
    const budget = new MemoryBudget('$sample');
    const sample: Doc[] = [];
    let seen = 0;
    await forEachDocument(input, pace, (doc) => {
      seen++;
      if (sample.length < size) {
        budget.hold(doc);
        sample.push(doc);
        return;
      }
      const at = Math.floor(Math.random() * seen);
      if (at >= size) return;
      budget.release(approximateSize(sample[at]));
      budget.hold(doc);
      sample[at] = doc;
    });
    shuffle(sample);
    yield* batchesOf(sample, pace);
  });
};

function shuffle(docs: Doc[]): void {
  for (let at = docs.length - 1; at > 0; at--) {
    const other = Math.floor(Math.random() * (at + 1));
    [docs[at], docs[other]] = [docs[other]!, docs[at]!];
  }
}
