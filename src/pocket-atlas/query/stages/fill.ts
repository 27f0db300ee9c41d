import type { BsonValue, Doc } from '../../bson/values.js';
import { failedToParse } from '../errors.js';
import { typeOf } from '../expressions/operator.js';
import { isDocument } from '../path.js';
import { compileAddFields } from './add-fields.js';
import { mapDocuments } from './flow.js';
import { compileSetWindowFields } from './set-window-fields.js';
import { type CompileStage, stage } from './stage.js';

const METHODS: Readonly<Record<string, string>> = { linear: '$linearFill', locf: '$locf' };

/** Fills null and missing fields: with an expression, the value before (`locf`), or a line between neighbours. */
export const compileFill: CompileStage = (spec, context) => {
  if (!isDocument(spec)) throw failedToParse(`The $fill stage specification must be an object, found ${typeOf(spec)}`);
  const { partitionBy, partitionByFields, sortBy, output } = spec;
  if (!isDocument(output)) throw failedToParse("$fill requires an 'output' document");
  if (partitionBy !== undefined && partitionByFields !== undefined) {
    throw failedToParse("Maximum one of 'partitionBy' and 'partitionByFields can be specified in '$fill'");
  }
  const values: Doc = {};
  const windows: Doc = {};
  for (const [path, filling] of Object.entries(output)) {
    if (!isDocument(filling)) throw failedToParse(`$fill's output for '${path}' must be an object`);
    const { value, method } = filling;
    if ((value === undefined) === (method === undefined))
      throw failedToParse("Each $fill output takes exactly one of 'value' and 'method'");
    if (value !== undefined) values[path] = { $ifNull: [`$${path}`, value] };
    else if (typeof method === 'string' && Object.hasOwn(METHODS, method))
      windows[path] = { [METHODS[method]!]: `$${path}` };
    else throw failedToParse(`Method must be either 'locf' or 'linear'; found ${String(method)}`);
  }
  const hasWindows = Object.keys(windows).length > 0;
  if (hasWindows && sortBy === undefined) throw failedToParse("$fill with a 'method' requires 'sortBy'");
  const partition = partitionByFields === undefined ? partitionBy : fieldsDocument(partitionByFields);
  const window: Doc = { output: windows };
  if (partition !== undefined) window.partitionBy = partition;
  if (sortBy !== undefined) window.sortBy = sortBy;
  const byWindows = hasWindows ? compileSetWindowFields(window, context, '$fill') : undefined;
  const byValues = Object.keys(values).length > 0 ? compileAddFields(values, context.variables, '$fill') : undefined;
  return stage('$fill', (input) => {
    const filled = byWindows === undefined ? input : byWindows.run(input);
    return byValues === undefined ? filled : mapDocuments(filled, context.pace, byValues);
  });
};

/** Fields as one value to partition by. */
function fieldsDocument(names: BsonValue): Doc {
  if (!Array.isArray(names) || !names.every((name) => typeof name === 'string')) {
    throw failedToParse("'partitionByFields' must be an array of strings");
  }
  return Object.fromEntries(names.map((name, index) => [`f${index}`, `$${name}`]));
}
