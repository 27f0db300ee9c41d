import { type Doc, type DocMeta, metaOf, setMeta } from '../../bson/values.js';
import { badValue, failedToParse, location } from '../errors.js';
import { compileExpression } from '../expression.js';
import { typeOf } from '../expressions/operator.js';
import { checkFields, flagField } from '../fusion/input-pipelines.js';
import { normalizationOf, normalizeScores } from '../fusion/normalization.js';
import { MemoryBudget } from '../memory.js';
import { double, isNumeric, toDouble } from '../numeric.js';
import { isDocument } from '../path.js';
import { batchesOf, collectDocuments, mapDocuments } from './flow.js';
import { type CompileStage, stage } from './stage.js';

/** Gives each document a score by an expression. Source: MongoDB manual, "$score". */
export const compileScore: CompileStage = (spec, { variables, pace }) => {
  if (!isDocument(spec)) throw failedToParse(`$score must take an object but found: ${typeOf(spec)}`);
  checkFields(spec, '$score', ['score', 'normalization', 'weight', 'scoreDetails']);
  if (!Object.hasOwn(spec, 'score')) throw location(40414, "BSON field '$score.score' is missing but a required field");
  const evaluate = compileExpression(spec.score, variables);
  const normalization = normalizationOf(spec.normalization ?? 'none', '$score.normalization');
  const weight = spec.weight === undefined ? 1 : toDouble(spec.weight);
  if (!(weight >= 0 && weight <= 1))
    throw badValue(`$score's weight must be a number between 0 and 1, but given ${String(spec.weight)}`);
  const wantsDetails = flagField(spec, 'scoreDetails', '$score');

  const rawScore = (doc: Doc): number => {
    const value = evaluate(doc);
    if (!isNumeric(value)) throw location(14, `$score's expression must evaluate to a number, found ${typeOf(value)}`);
    return toDouble(value);
  };
  const withScore = (doc: Doc, raw: number, score: number): Doc => {
    const meta: DocMeta = { ...metaOf(doc), score: score };
    if (wantsDetails) {
      meta.scoreDetails = {
        value: double(score),
        description: `the score calculated from multiplying a weight in the range [0,1] with either a normalized or nonnormalized value:`,
        rawScore: double(raw),
        normalization,
        weight: double(weight),
        details: [],
      };
    }
    return setMeta({ ...doc }, meta);
  };

  if (normalization !== 'minMaxScaler') {
    return stage('$score', (input) =>
      mapDocuments(input, pace, (doc) => {
        const raw = rawScore(doc);
        return withScore(doc, raw, normalizeScores([raw], normalization, weight)[0]!);
      }),
    );
  }
  return stage('$score', async function* (input) {
    const docs = await collectDocuments(input, pace, new MemoryBudget('$score'));
    const raw = docs.map(rawScore);
    const scores = normalizeScores(raw, normalization, weight);
    yield* batchesOf(
      docs.map((doc, index) => withScore(doc, raw[index]!, scores[index]!)),
      pace,
    );
  });
};
