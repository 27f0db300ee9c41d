import { location } from '../errors.js';
import { isDocument } from '../path.js';
import { type CompileStage, stage } from './stage.js';

/** The input, then what a pipeline over another collection gives. */
export const compileUnionWith: CompileStage = (spec, context) => {
  const options = typeof spec === 'string' ? { coll: spec } : spec;
  if (!isDocument(options)) {
    throw location(9, `the $unionWith stage specification must be an object or string, but found ${typeof spec}`);
  }
  for (const name of Object.keys(options)) {
    if (name !== 'coll' && name !== 'pipeline')
      throw location(40415, `BSON field '$unionWith.${name}' is an unknown field.`);
  }
  const { coll, pipeline = [] } = options;
  if (coll !== undefined && typeof coll !== 'string') {
    throw location(14, `BSON field '$unionWith.coll' is the wrong type '${typeof coll}', expected type 'string'`);
  }
  if (!Array.isArray(pipeline)) throw location(14, "BSON field '$unionWith.pipeline' must be an array");
  const other = context.compileNested(pipeline, { place: '$unionWith', collection: coll ?? null });
  if (coll === undefined && other.needsCollection) {
    throw location(
      9,
      '$unionWith stage without explicit collection must have a pipeline with $documents as first stage',
    );
  }
  return stage('$unionWith', async function* (input) {
    yield* input;
    yield* other.run();
  });
};
