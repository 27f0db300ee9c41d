import type { BsonValue, Doc } from '../../bson/values.js';
import { failedToParse, location } from '../errors.js';
import { isDocument } from '../path.js';
import type { QueryVariables } from '../query.js';
import { compileAddFields } from '../stages/add-fields.js';
import { compileProject, compileUnset } from '../stages/project.js';
import { compileReplaceRoot, compileReplaceWith } from '../stages/replace-root.js';
import type { CompileTransform, Transform } from '../stages/transform.js';

/** Stages that an update may consist of: they see one document and nothing else. */
const UPDATE_STAGES: Readonly<Record<string, CompileTransform>> = {
  $addFields: compileAddFields,
  $set: compileAddFields,
  $project: compileProject,
  $unset: compileUnset,
  $replaceRoot: compileReplaceRoot,
  $replaceWith: compileReplaceWith,
};

/** Stages that exist, but not in an update. */
const OTHER_STAGES: ReadonlySet<string> = new Set(
  '$match $sort $limit $skip $group $unwind $count $sortByCount $facet $bucket $bucketAuto $lookup $graphLookup $unionWith $setWindowFields $sample $redact $out $merge $search $vectorSearch $documents $densify $fill'.split(
    ' ',
  ),
);

export function compileUpdatePipeline(stages: readonly Doc[], variables: QueryVariables): Transform {
  const transforms = stages.map((stage: BsonValue) => {
    if (!isDocument(stage)) throw location(14, "Each element of the 'pipeline' array must be an object");
    const names = Object.keys(stage);
    if (names.length !== 1) {
      throw location(40323, 'A pipeline stage specification object must contain exactly one field.');
    }
    const name = names[0]!;
    const compile = Object.hasOwn(UPDATE_STAGES, name) ? UPDATE_STAGES[name] : undefined;
    if (compile !== undefined) return compile(stage[name], variables, name);
    if (OTHER_STAGES.has(name)) throw location(72, `${name} is not allowed to be used within an update`);
    throw location(40324, `Unrecognized pipeline stage name: '${name}'`);
  });
  if (transforms.length === 0) throw failedToParse('pipeline must not be empty');
  return (doc) => transforms.reduce((current, transform) => transform(current), doc);
}
