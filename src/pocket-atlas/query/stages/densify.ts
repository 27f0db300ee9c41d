import { compare } from '../../bson/compare.js';
import type { BsonValue, Doc } from '../../bson/values.js';
import { addNumbers } from '../arithmetic.js';
import { failedToParse, location } from '../errors.js';
import { addUnits, dateUnit } from '../expressions/date-units.js';
import { compilePath, fieldPathParts } from '../expressions/field-path.js';
import { isNullish, typeOf } from '../expressions/operator.js';
import { UTC } from '../expressions/time-zone.js';
import { MemoryBudget } from '../memory.js';
import { count, isNumeric, toDouble } from '../numeric.js';
import { isDocument } from '../path.js';
import { ValueMap } from '../value-set.js';
import { batchesOf, forEachDocument } from './flow.js';
import { sortInRuns } from './sort-runs.js';
import { type CompileStage, stage } from './stage.js';
import { withValue } from './unwind.js';

/** The server's bound on documents that one `$densify` makes (internalQueryMaxAllowedDensifyDocs). */
const DOCUMENTS_MAX = 500_000;

interface Range {
  readonly bounds: 'full' | 'partition' | readonly [BsonValue, BsonValue];
  next(value: BsonValue): BsonValue;
}

/** Adds documents where a sequence of numbers or dates has gaps, in each partition. */
export const compileDensify: CompileStage = (spec, { pace }) => {
  if (!isDocument(spec)) throw failedToParse(`The $densify specification must be an object, found ${typeOf(spec)}`);
  const { field, partitionByFields = [], range: given } = spec;
  if (typeof field !== 'string') throw location(40414, "BSON field '$densify.field' is missing but a required field");
  if (!Array.isArray(partitionByFields) || !partitionByFields.every((name) => typeof name === 'string')) {
    throw failedToParse("'partitionByFields' must be an array of strings");
  }
  const range = parseRange(given);
  const parts = fieldPathParts(field);
  const read = compilePath(parts);
  const partitionParts = partitionByFields.map(fieldPathParts);
  const readPartition = partitionParts.map(compilePath);

  return stage('$densify', async function* (input) {
    const budget = new MemoryBudget('$densify');
    const partitions = new ValueMap<{
      readonly key: readonly BsonValue[];
      readonly items: { doc: Doc; keys: BsonValue[] }[];
    }>();
    const others: Doc[] = [];
    let [least, greatest]: BsonValue[] = [];
    await forEachDocument(input, pace, (doc) => {
      budget.hold(doc);
      const value = read(doc);
      if (isNullish(value)) {
        others.push(doc);
        return;
      }
      if (!isNumeric(value) && !(value instanceof Date)) {
        throw location(5733201, `Densify field type must be numeric or a date, found ${typeOf(value)}`);
      }
      if (least === undefined || compare(value, least) < 0) least = value;
      if (greatest === undefined || compare(value, greatest) > 0) greatest = value;
      const key = readPartition.map((readField) => readField(doc) ?? null);
      partitions.getOrInsert(key, () => ({ key, items: [] })).items.push({ doc, keys: [value] });
    });
    yield* batchesOf(others, pace);
    let made = 0;
    for (const { value: partition } of partitions.entries()) {
      const items = await sortInRuns(
        partition.items,
        { keysOf: () => [], compareKeys: (a, b) => compare(a[0], b[0]) },
        pace,
      );
      const filled = function* (): Generator<Doc> {
        const [first, last] = [items[0]!.keys[0], items[items.length - 1]!.keys[0]];
        const isFixed = typeof range.bounds !== 'string';
        let next = isFixed ? range.bounds[0] : range.bounds === 'full' ? least : first;
        const end = isFixed ? range.bounds[1] : range.bounds === 'full' ? greatest : last;
        const isBeforeEnd = (value: BsonValue) => compare(value, end) < (isFixed ? 0 : 1);
        const fillUpTo = function* (limit: BsonValue): Generator<Doc> {
          while (isBeforeEnd(next) && (limit === undefined || compare(next, limit) < 0)) {
            if (++made > DOCUMENTS_MAX)
              throw location(
                5897900,
                `Generated ${made} documents in $densify, which is over the limit of ${DOCUMENTS_MAX}`,
              );
            let doc: Doc = {};
            partitionParts.forEach((path, index) => {
              doc = withValue(doc, path, partition.key[index]);
            });
            yield withValue(doc, parts, next);
            next = range.next(next);
          }
        };
        for (const { doc, keys } of items) {
          yield* fillUpTo(keys[0]);
          if (compare(next, keys[0]) === 0) next = range.next(next);
          yield doc;
        }
        yield* fillUpTo(undefined);
      };
      yield* batchesOf(filled(), pace);
    }
  });
};

function parseRange(given: BsonValue): Range {
  if (!isDocument(given)) throw location(40414, "BSON field '$densify.range' is missing but a required field");
  const { step, unit, bounds } = given;
  if (!isNumeric(step) || !(toDouble(step) > 0))
    throw location(5733401, 'The step parameter in a range statement must be a strictly positive numeric value');
  const isPair = Array.isArray(bounds) && bounds.length === 2;
  if (bounds !== 'full' && bounds !== 'partition' && !isPair) {
    throw location(5946802, "Bounds in a range statement must be 'full', 'partition' or an array of two values");
  }
  if (isPair && compare(bounds[0], bounds[1]) > 0)
    throw location(5733402, 'Lower bound must not be greater than the upper one');
  const range = bounds as Range['bounds'];
  if (unit === undefined) {
    return {
      bounds: range,
      next(value) {
        if (!isNumeric(value)) throw location(6053600, 'Encountered a date while $densify has no unit');
        return addNumbers(value, step);
      },
    };
  }
  const amount = count(step);
  if (amount === undefined)
    throw location(
      6586400,
      'The step parameter in a range statement must be a whole number when densifying a date range',
    );
  const size = dateUnit(unit, '$densify');
  return {
    bounds: range,
    next(value) {
      if (!(value instanceof Date)) throw location(6053600, 'Encountered a number while $densify has a unit');
      return addUnits(value, size, amount, UTC);
    },
  };
}
