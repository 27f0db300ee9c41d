import { typeName } from '../bson/type.js';
import type { BsonValue, Doc } from '../bson/values.js';
import { CommandError } from '../errors.js';
import type { PipelineEnvironment, Stage } from '../query/query.js';
import type { Namespace, Selector } from './index-commands.js';
import { collectionOf } from './search-stage.js';
import { isDocument } from './spec-reader.js';

const NAME = '$listSearchIndexes';

/** `$listSearchIndexes`, checked in the server's order and words. Source: MongoDB manual, "$listSearchIndexes". */
export function listStage(
  spec: BsonValue,
  environment: PipelineEnvironment,
  list: (namespace: Namespace, selector: Selector) => Doc[],
): Stage {
  if (!isDocument(spec)) {
    throw new CommandError(9, `The ${NAME} stage specification must be an object. Found: ${typeName(spec)}`);
  }
  const namespace = collectionOf(NAME, environment);
  const selector = parseSelector(spec);
  return {
    name: NAME,
    async *run() {
      const rows = list(namespace, selector);
      if (rows.length > 0) yield rows;
    },
  };
}

function parseSelector(spec: Doc): Selector {
  const selector: { name?: string; id?: string } = {};
  for (const [field, value] of Object.entries(spec)) {
    if (field !== 'name' && field !== 'id') {
      throw new CommandError(40415, `BSON field '${NAME}.${field}' is an unknown field.`);
    }
    if (typeof value !== 'string') {
      const got = typeName(value);
      throw new CommandError(14, `BSON field '${NAME}.${field}' is the wrong type '${got}', expected type 'string'`);
    }
    selector[field] = value;
  }
  if (selector.name !== undefined && selector.id !== undefined) {
    throw new CommandError(72, `Cannot set both 'name' and 'id' for ${NAME}.`);
  }
  return selector;
}
