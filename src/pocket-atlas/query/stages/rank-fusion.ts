import { type Doc, metaOf, setMeta } from '../../bson/values.js';
import { failedToParse, location } from '../errors.js';
import { typeOf } from '../expressions/operator.js';
import {
  checkFields,
  documentField,
  type FusionRules,
  flagField,
  inputPipelines,
  requiredDocument,
} from '../fusion/input-pipelines.js';
import { type Contribution, reciprocalRankFusion } from '../fusion/reciprocal-rank-fusion.js';
import { MemoryBudget } from '../memory.js';
import { double } from '../numeric.js';
import { isDocument } from '../path.js';
import { batchesOf, collectDocuments } from './flow.js';
import { type CompileStage, stage } from './stage.js';

const RANKED_STAGES: ReadonlySet<string> = new Set(['$search', '$vectorSearch', '$geoNear']);

const RULES: FusionRules = {
  stage: '$rankFusion',
  empty: () =>
    location(
      9834300,
      '$rankFusion input pipeline cannot be empty. All subpipelines to the $rankFusion stage must begin with one of $search, $vectorSearch, $geoNear, or have a custom $sort in the pipeline.',
    ),
  nestedCode: 10473002,
  notSelectionCode: 9191103,
  selection: new Set(['$search', '$vectorSearch', '$geoNear', '$match', '$sort', '$limit', '$skip', '$sample']),
  checkRanked(stages) {
    if (RANKED_STAGES.has(stages[0]!) || stages.includes('$sort')) return;
    throw location(
      9191100,
      'Pipeline did not begin with a ranked stage and did not contain an explicit $sort stage. All subpipelines to the $rankFusion stage must begin with one of $search, $vectorSearch, $geoNear, or have a custom $sort in the pipeline.',
    );
  },
};

/** Fuses the rankings of several pipelines over one collection by reciprocal rank. Source: MongoDB manual, "$rankFusion". */
export const compileRankFusion: CompileStage = (spec, context) => {
  if (!isDocument(spec)) throw failedToParse(`$rankFusion must take a nested object but found: ${typeOf(spec)}`);
  checkFields(spec, '$rankFusion', ['input', 'combination', 'scoreDetails']);
  const input = requiredDocument(spec, 'input', '$rankFusion');
  checkFields(input, '$rankFusion.input', ['pipelines']);
  const combination = documentField(spec, 'combination', '$rankFusion') ?? {};
  checkFields(combination, '$rankFusion.combination', ['weights']);
  const wantsDetails = flagField(spec, 'scoreDetails', '$rankFusion');
  const { collection } = context.environment;
  const inputs = inputPipelines(input.pipelines, combination.weights, RULES).map(({ name, weight, stages }) => ({
    name,
    weight,
    sequence: context.compileNested([...stages], { place: '$rankFusion', collection }),
  }));

  return stage('$rankFusion', async function* () {
    const budget = new MemoryBudget('$rankFusion');
    const rankings: { readonly name: string; readonly weight: number; readonly items: Doc[] }[] = [];
    for (const { name, weight, sequence } of inputs) {
      rankings.push({ name, weight, items: await collectDocuments(sequence.run(), context.pace, budget) });
    }
    const fused = reciprocalRankFusion(rankings, (doc) => doc._id);
    const docs = fused.map(({ item, score, contributions }) => {
      const meta = { score: score };
      if (!wantsDetails) return setMeta({ ...item }, meta);
      const found = contributions.map(({ name, rank }) =>
        rank === undefined ? undefined : rankings.find((ranking) => ranking.name === name)!.items[rank - 1],
      );
      return setMeta({ ...item }, { ...meta, scoreDetails: scoreDetails(score, contributions, found) });
    });
    yield* batchesOf(docs, context.pace);
  });
};

const DESCRIPTION =
  'value output by reciprocal rank fusion algorithm, computed as sum of (weight * (1 / (60 + rank))) across input pipelines from which this document is output, from:';

function scoreDetails(score: number, contributions: readonly Contribution[], found: readonly (Doc | undefined)[]): Doc {
  return {
    value: double(score),
    description: DESCRIPTION,
    details: contributions.map(({ name, weight, rank }, index): Doc => {
      const base = { inputPipelineName: name, rank: rank ?? 'NA', weight: double(weight) };
      const meta = found[index] === undefined ? undefined : metaOf(found[index]!);
      const value = meta?.vectorSearchScore ?? meta?.searchScore;
      const inner = meta?.searchScoreDetails;
      const details = Array.isArray(inner?.details) ? inner.details : [];
      if (rank === undefined) return base;
      return value === undefined ? { ...base, details } : { ...base, value: double(value), details };
    }),
  };
}
