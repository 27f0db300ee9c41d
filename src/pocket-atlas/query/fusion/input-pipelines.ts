import type { BsonValue, Doc } from '../../bson/values.js';
import { badValue, location, typeMismatch } from '../errors.js';
import { fieldPathParts } from '../expressions/field-path.js';
import { typeOf } from '../expressions/operator.js';
import { isNumeric, toDouble } from '../numeric.js';
import { isDocument } from '../path.js';

export interface InputPipeline {
  readonly name: string;
  readonly stages: readonly Doc[];
  readonly weight: number;
}

/** Numbers and rules in which `$rankFusion` and `$scoreFusion` differ. */
export interface FusionRules {
  readonly stage: '$rankFusion' | '$scoreFusion';
  empty(): Error;
  readonly nestedCode: number;
  readonly notSelectionCode: number;
  /** Stages that may stand in an input. */
  readonly selection: ReadonlySet<string>;
  /** @throws when the input gives no ranking (or no scores). */
  checkRanked(stages: readonly string[]): void;
}

/** Checks `input.pipelines` and gives them in the order in which they are run: by name. */
export function inputPipelines(pipelines: BsonValue, weights: BsonValue, rules: FusionRules): InputPipeline[] {
  const where = `${rules.stage}.input.pipelines`;
  if (pipelines === undefined) throw location(40414, `BSON field '${where}' is missing but a required field`);
  if (!isDocument(pipelines)) {
    throw typeMismatch(`BSON field '${where}' is the wrong type '${typeOf(pipelines)}', expected type 'object'`);
  }
  const names = Object.keys(pipelines);
  if (names.length === 0) throw badValue(`${rules.stage} requires at least one input pipeline`);
  for (const name of names) checkName(name);
  const inputs = names.map((name) => ({ name, stages: checkStages(name, pipelines[name], rules) }));
  const given = checkWeights(weights, names, rules);
  return inputs
    .map(({ name, stages }) => ({ name, stages, weight: given.get(name) ?? 1 }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function checkName(name: string): void {
  if (name.includes('.'))
    throw location(16412, "FieldPath field names may not contain '.'. Consider using $getField or $setField.");
  fieldPathParts(name);
}

function checkStages(name: string, stages: BsonValue, rules: FusionRules): Doc[] {
  if (!Array.isArray(stages)) {
    throw typeMismatch(
      `BSON field '${rules.stage}.input.pipelines.${name}' is the wrong type '${typeOf(stages)}', expected type 'array'`,
    );
  }
  if (stages.length === 0) throw rules.empty();
  const named = stages.map((stage) => {
    if (!isDocument(stage) || Object.keys(stage).length !== 1) {
      throw location(40323, 'A pipeline stage specification object must contain exactly one field.');
    }
    return Object.keys(stage)[0]!;
  });
  for (const stage of named) {
    if (stage === '$rankFusion' || stage === '$scoreFusion') {
      throw location(rules.nestedCode, `${rules.stage} input pipelines must not contain a ${stage} stage.`);
    }
    if (stage === '$score' && rules.stage === '$rankFusion') {
      throw location(10614800, '$rankFusion input pipelines must not contain a $score stage.');
    }
    if (!rules.selection.has(stage)) throw notSelection(stage, rules);
  }
  const first = stages[0] as Doc;
  const search = first.$search ?? first.$vectorSearch;
  if (isDocument(search) && search.returnStoredSource === true)
    throw notSelection(`${named[0]} with returnStoredSource`, rules);
  rules.checkRanked(named);
  return stages as Doc[];
}

function notSelection(stage: string, rules: FusionRules): Error {
  return location(
    rules.notSelectionCode,
    `${stage} is not a selection stage because it modifies or transforms the input documents. Only stages that retrieve, limit, or order documents are allowed.`,
  );
}

function checkWeights(weights: BsonValue, names: readonly string[], rules: FusionRules): Map<string, number> {
  const given = new Map<string, number>();
  if (weights === undefined) return given;
  const kind = rules.stage.slice(1);
  if (!isDocument(weights)) {
    throw typeMismatch(
      `BSON field '${rules.stage}.combination.weights' is the wrong type '${typeOf(weights)}', expected type 'object'`,
    );
  }
  for (const [name, weight] of Object.entries(weights)) {
    if (!isNumeric(weight)) {
      throw typeMismatch(
        `${kind}'s pipeline weight must be numeric, but given ${typeOf(weight)} for pipeline '${name}'.`,
      );
    }
    const value = toDouble(weight);
    if (!(value >= 0))
      throw location(
        9460300,
        `${kind}'s pipeline weight must be non-negative, but given ${value} for pipeline '${name}'.`,
      );
    given.set(name, value);
  }
  if (given.size > names.length) {
    throw location(9460301, `${rules.stage} has ${given.size} weights but only ${names.length} input pipelines`);
  }
  const unknown = [...given.keys()].filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    throw location(
      9967500,
      `${rules.stage} stage contained (${unknown.length}) weight(s) in 'combination.weights' that did not reference valid pipeline names. Unknown: ${unknown.join(', ')}; pipelines: ${names.join(', ')}`,
    );
  }
  return given;
}

/** @throws CommandError 40415, as for every option that a stage does not know. */
export function checkFields(spec: Doc, where: string, known: readonly string[]): void {
  for (const name of Object.keys(spec)) {
    if (!known.includes(name)) throw location(40415, `BSON field '${where}.${name}' is an unknown field.`);
  }
}

/** A part of a specification that is a document, or is absent. */
export function documentField(spec: Doc, name: string, where: string): Doc | undefined {
  const value = spec[name];
  if (value === undefined) return undefined;
  if (isDocument(value)) return value;
  throw typeMismatch(`BSON field '${where}.${name}' is the wrong type '${typeOf(value)}', expected type 'object'`);
}

export function requiredDocument(spec: Doc, name: string, where: string): Doc {
  const value = documentField(spec, name, where);
  if (value === undefined) throw location(40414, `BSON field '${where}.${name}' is missing but a required field`);
  return value;
}

export function flagField(spec: Doc, name: string, where: string): boolean {
  const value = spec[name] ?? false;
  if (typeof value === 'boolean') return value;
  throw typeMismatch(`BSON field '${where}.${name}' is the wrong type '${typeOf(value)}', expected type 'bool'`);
}
