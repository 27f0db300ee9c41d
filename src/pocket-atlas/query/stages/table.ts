import { compileAddFields } from './add-fields.js';
import { compileBucket, compileBucketAuto } from './bucket.js';
import { compileCount, compileSortByCount } from './count.js';
import { compileDensify } from './densify.js';
import { compileDocuments } from './documents.js';
import { compileFacet } from './facet.js';
import { compileFill } from './fill.js';
import { mapDocuments } from './flow.js';
import { compileGraphLookup } from './graph-lookup.js';
import { compileGroup } from './group.js';
import { compileLimit, compileSkip } from './limit.js';
import { compileLookup } from './lookup.js';
import { compileMatch } from './match.js';
import { compileProject, compileUnset } from './project.js';
import { compileRankFusion } from './rank-fusion.js';
import { compileRedact } from './redact.js';
import { compileReplaceRoot, compileReplaceWith } from './replace-root.js';
import { compileSample } from './sample.js';
import { compileScore } from './score.js';
import { compileScoreFusion } from './score-fusion.js';
import { compileSetWindowFields } from './set-window-fields.js';
import { compileSortStage } from './sort.js';
import { type CompileStage, stage } from './stage.js';
import type { CompileTransform } from './transform.js';
import { compileUnionWith } from './union-with.js';
import { compileUnwind } from './unwind.js';

/** The stages that are pure. Source: MongoDB manual, "Aggregation Stages". */
export const STAGES: ReadonlyMap<string, CompileStage> = new Map<string, CompileStage>([
  ['$match', compileMatch],
  ['$project', perDocument(compileProject)],
  ['$addFields', perDocument(compileAddFields)],
  ['$set', perDocument(compileAddFields)],
  ['$unset', perDocument(compileUnset)],
  ['$replaceRoot', perDocument(compileReplaceRoot)],
  ['$replaceWith', perDocument(compileReplaceWith)],
  ['$sort', compileSortStage],
  ['$limit', compileLimit],
  ['$skip', compileSkip],
  ['$group', compileGroup],
  ['$count', compileCount],
  ['$sortByCount', compileSortByCount],
  ['$unwind', compileUnwind],
  ['$facet', compileFacet],
  ['$bucket', compileBucket],
  ['$bucketAuto', compileBucketAuto],
  ['$lookup', compileLookup],
  ['$graphLookup', compileGraphLookup],
  ['$unionWith', compileUnionWith],
  ['$sample', compileSample],
  ['$redact', compileRedact],
  ['$documents', compileDocuments],
  ['$setWindowFields', compileSetWindowFields],
  ['$densify', compileDensify],
  ['$fill', compileFill],
  ['$rankFusion', compileRankFusion],
  ['$scoreFusion', compileScoreFusion],
  ['$score', compileScore],
]);

function perDocument(compile: CompileTransform): CompileStage {
  return (spec, { variables, pace }, name) => {
    const transform = compile(spec, variables, name);
    return stage(name, (input) => mapDocuments(input, pace, transform));
  };
}
