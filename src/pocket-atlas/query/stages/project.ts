import { type BsonValue, copyMeta } from '../../bson/values.js';
import { location } from '../errors.js';
import { isDocument } from '../path.js';
import { excludeFields, includeFields, setFields } from '../projection/field-tree.js';
import { type ProjectionDialect, parseProjection } from '../projection/specification.js';
import type { QueryVariables } from '../query.js';
import { type Transform, withinStage } from './transform.js';

/** `$slice` and `$elemMatch` are expressions here, or nothing. */
const AGGREGATION: ProjectionDialect = { metaAloneKeepsAll: false, operator: () => undefined };

export function compileProject(spec: BsonValue, variables: QueryVariables): Transform {
  if (!isDocument(spec)) throw location(15969, '$project specification must be an object');
  if (Object.keys(spec).length === 0) {
    throw location(51272, 'Invalid $project :: caused by :: projection specification must have at least one field');
  }
  const { mode, tree } = withinStage('$project', () => parseProjection(spec, variables, AGGREGATION));
  if (mode === 'inclusion') return (doc) => copyMeta(doc, includeFields(doc, tree, doc));
  return (doc) => {
    const kept = excludeFields(doc, tree);
    return kept === doc ? doc : copyMeta(doc, tree.computes ? setFields(kept, tree, doc) : kept);
  };
}

/** `$unset`: an exclusion by names. */
export function compileUnset(spec: BsonValue, variables: QueryVariables): Transform {
  const names = Array.isArray(spec) ? spec : [spec];
  if (!Array.isArray(spec) && typeof spec !== 'string') {
    throw location(31002, '$unset specification must be a string or an array');
  }
  if (names.length === 0)
    throw location(31119, '$unset specification must be a string or an array with at least one field');
  const exclusion: Record<string, BsonValue> = {};
  for (const name of names) {
    if (typeof name !== 'string')
      throw location(31120, '$unset specification must be a string or an array containing only string values');
    if (Object.hasOwn(exclusion, name))
      throw location(31250, `Invalid $unset :: caused by :: Path collision at ${name}`);
    exclusion[name] = 0;
  }
  const { tree } = withinStage('$unset', () => parseProjection(exclusion, variables, AGGREGATION));
  return (doc) => {
    const kept = excludeFields(doc, tree);
    return kept === doc ? doc : copyMeta(doc, kept);
  };
}
