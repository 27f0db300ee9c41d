import type { Doc } from '../../bson/values.js';
import { location } from '../errors.js';
import { MemoryBudget } from '../memory.js';
import { isDocument, setField } from '../path.js';
import { batchesOf, collectDocuments } from './flow.js';
import { type CompileStage, stage } from './stage.js';

/** Several pipelines over the same input, each giving one array field of the only result. */
export const compileFacet: CompileStage = (spec, context) => {
  if (!isDocument(spec)) throw location(40169, 'the $facet specification must be a non-empty object');
  if (Object.keys(spec).length === 0) throw location(40169, 'the $facet specification must be a non-empty object');
  const facets = Object.entries(spec).map(([name, pipeline]) => {
    if (name.startsWith('$') || name.includes('.')) {
      throw location(
        16410,
        `invalid facet name '${name}': FieldPath field names may not start with '$' or contain '.'`,
      );
    }
    if (!Array.isArray(pipeline))
      throw location(40170, `arguments to $facet must be arrays, ${name} is type ${typeof pipeline}`);
    return {
      name,
      sequence: context.compileNested(pipeline, { place: '$facet', collection: context.environment.collection }),
    };
  });
  const { pace } = context;
  return stage('$facet', async function* (input) {
    const budget = new MemoryBudget('$facet');
    const docs = await collectDocuments(input, pace, budget);
    const result: Doc = {};
    for (const { name, sequence } of facets) {
      setField(result, name, await collectDocuments(sequence.run(batchesOf(docs, pace)), pace, budget));
    }
    yield [result];
  });
};
