import { compare } from '../../bson/compare.js';
import { type BsonValue, type Doc, type DocMeta, metaOf, setMeta } from '../../bson/values.js';
import { badValue, failedToParse, location } from '../errors.js';
import { compileExpression } from '../expression.js';
import { typeOf } from '../expressions/operator.js';
import {
  checkFields,
  documentField,
  type FusionRules,
  flagField,
  inputPipelines,
  requiredDocument,
} from '../fusion/input-pipelines.js';
import { normalizationOf, normalizeScores } from '../fusion/normalization.js';
import { MemoryBudget } from '../memory.js';
import { double, isNumeric, toDouble } from '../numeric.js';
import { isDocument } from '../path.js';
import type { QueryVariables } from '../query.js';
import { ValueMap } from '../value-set.js';
import { batchesOf, collectDocuments } from './flow.js';
import { type CompileStage, stage } from './stage.js';

const RULES: FusionRules = {
  stage: '$scoreFusion',
  empty: () =>
    location(
      9402503,
      '$scoreFusion input pipeline cannot be empty. Each input pipeline must begin with $search or $vectorSearch, or have a $score stage.',
    ),
  nestedCode: 10473003,
  notSelectionCode: 9402502,
  selection: new Set([
    '$search',
    '$vectorSearch',
    '$geoNear',
    '$match',
    '$sort',
    '$limit',
    '$skip',
    '$sample',
    '$score',
  ]),
  checkRanked(stages) {
    if (stages[0] === '$search' || stages[0] === '$vectorSearch' || stages.includes('$score')) return;
    throw location(
      9402500,
      'All input pipelines to $scoreFusion must begin with $search or $vectorSearch, or have a $score stage.',
    );
  },
};

/** The score that a document has where a scored pipeline ends. */
export function scoreOf(meta: DocMeta | undefined): number {
  return toDouble(meta?.score ?? meta?.vectorSearchScore ?? meta?.searchScore ?? 0);
}

interface Entry {
  readonly doc: Doc;
  /** Per input: the score as it came, and normalised and weighted. */
  readonly scores: ({ readonly raw: number; readonly value: number } | undefined)[];
}

/** Combines the scores of several pipelines over one collection. Source: MongoDB manual, "$scoreFusion". */
export const compileScoreFusion: CompileStage = (spec, context) => {
  if (!isDocument(spec)) throw failedToParse(`$scoreFusion must take a nested object but found: ${typeOf(spec)}`);
  checkFields(spec, '$scoreFusion', ['input', 'combination', 'scoreDetails']);
  const input = requiredDocument(spec, 'input', '$scoreFusion');
  checkFields(input, '$scoreFusion.input', ['pipelines', 'normalization']);
  if (input.normalization === undefined) {
    throw location(40414, "BSON field '$scoreFusion.input.normalization' is missing but a required field");
  }
  const normalization = normalizationOf(input.normalization, '$scoreFusion.input.normalization');
  const combination = documentField(spec, 'combination', '$scoreFusion') ?? {};
  checkFields(combination, '$scoreFusion.combination', ['weights', 'method', 'expression']);
  const wantsDetails = flagField(spec, 'scoreDetails', '$scoreFusion');
  const pipelines = inputPipelines(input.pipelines, combination.weights, RULES);
  const combine = combiner(
    combination,
    pipelines.map(({ name }) => name),
    context.variables,
  );
  const { collection } = context.environment;
  const inputs = pipelines.map(({ name, weight, stages }) => ({
    name,
    weight,
    sequence: context.compileNested([...stages], { place: '$scoreFusion', collection }),
  }));

  return stage('$scoreFusion', async function* () {
    const budget = new MemoryBudget('$scoreFusion');
    const entries = new ValueMap<Entry>();
    for (const [index, { weight, sequence }] of inputs.entries()) {
      const docs = await collectDocuments(sequence.run(), context.pace, budget);
      const raw = docs.map((doc) => scoreOf(metaOf(doc)));
      const values = normalizeScores(raw, normalization, weight);
      docs.forEach((doc, position) => {
        const { scores } = entries.getOrInsert(doc._id, () => ({ doc, scores: inputs.map(() => undefined) }));
        scores[index] ??= { raw: raw[position]!, value: values[position]! };
      });
    }
    const fused = entries.entries().map(({ key, value: { doc, scores } }) => ({
      id: key,
      doc,
      scores,
      score: combine(scores.map((score) => score?.value ?? 0)),
    }));
    fused.sort((a, b) => b.score - a.score || compare(a.id, b.id));
    const docs = fused.map(({ doc, scores, score }) => {
      const meta: DocMeta = { score: score };
      if (wantsDetails) {
        meta.scoreDetails = {
          value: double(score),
          description:
            'the value calculated by combining the scores (either normalized or raw) across input pipelines from which this document is output from:',
          normalization,
          combination: { method: combination.method ?? 'avg' },
          details: inputs.map(({ name, weight }, index): Doc => {
            const found = scores[index];
            return {
              inputPipelineName: name,
              inputPipelineRawScore: double(found?.raw ?? 0),
              weight: double(weight),
              value: double(found?.value ?? 0),
              details: [],
            };
          }),
        };
      }
      return setMeta({ ...doc }, meta);
    });
    yield* batchesOf(docs, context.pace);
  });
};

/** The average over all inputs (a missing score is 0), or an expression of the inputs' names as variables. */
function combiner(
  { method = 'avg', expression, weights }: Doc,
  names: readonly string[],
  variables: QueryVariables,
): (scores: readonly number[]) => number {
  if (method !== 'avg' && method !== 'expression') {
    throw badValue(
      `Enumeration value '${String(method)}' for field '$scoreFusion.combination.method' is not a valid value.`,
    );
  }
  if ((method === 'expression') !== (expression !== undefined)) {
    throw location(
      10017300,
      "combination.expression should only be specified when combination.method has the value 'expression'",
    );
  }
  if (method === 'avg') return (scores) => scores.reduce((sum, score) => sum + score, 0) / scores.length;
  if (weights !== undefined)
    throw location(10017301, 'both combination.expression and combination.weights cannot be specified');
  const vars: Record<string, BsonValue> = { ...variables.vars };
  for (const name of names) vars[name] = 0;
  const evaluate = compileExpression(expression, { now: variables.now, vars });
  return (scores) => {
    names.forEach((name, index) => {
      vars[name] = double(scores[index]!);
    });
    const value = evaluate({});
    if (!isNumeric(value))
      throw location(9402201, `combination.expression must evaluate to a number, found ${typeOf(value)}`);
    return toDouble(value);
  };
}
