import type { BsonValue, Doc } from '../../bson/values.js';
import type { CompileAccumulator } from '../accumulator.js';
import { location } from '../errors.js';
import { isNullish, typeOf } from '../expressions/operator.js';
import { approximateSize } from '../memory.js';
import { isDocument, setField } from '../path.js';
import { ValueSet } from '../value-set.js';
import { ofValues } from './of-values.js';
import type { ValueAccumulator } from './value-accumulators.js';

/** Accumulators whose result grows with the group. */
export const COLLECTING: Readonly<Record<string, CompileAccumulator>> = {
  $push: ofValues(push),
  $addToSet: ofValues(addToSet),
  $mergeObjects: ofValues(mergeObjects),
  $concatArrays: ofValues(() => joinArrays('$concatArrays', push())),
  $setUnion: ofValues(() => joinArrays('$setUnion', addToSet())),
};

function push(): ValueAccumulator {
  const values: BsonValue[] = [];
  let heldBytes = 0;
  return {
    add(value) {
      if (value === undefined) return;
      values.push(value);
      heldBytes += approximateSize(value);
    },
    value: () => values.slice(),
    get heldBytes() {
      return heldBytes;
    },
  };
}

function addToSet(): ValueAccumulator {
  const values = new ValueSet();
  let heldBytes = 0;
  return {
    add(value) {
      if (value !== undefined && values.add(value)) heldBytes += approximateSize(value);
    },
    value: () => values.values(),
    get heldBytes() {
      return heldBytes;
    },
  };
}

function joinArrays(name: string, into: ValueAccumulator): ValueAccumulator {
  return {
    add(value) {
      if (value === undefined) return;
      if (!Array.isArray(value))
        throw location(14, `${name} requires array inputs, but input ${typeOf(value)} is not an array`);
      for (const item of value) into.add(item);
    },
    value: () => into.value(),
    get heldBytes() {
      return into.heldBytes ?? 0;
    },
  };
}

function mergeObjects(): ValueAccumulator {
  const merged: Doc = {};
  return {
    add(value) {
      if (isNullish(value)) return;
      if (!isDocument(value)) {
        throw location(
          40400,
          `$mergeObjects requires object inputs, but input ${typeOf(value)} is of type ${typeOf(value)}`,
        );
      }
      for (const name of Object.keys(value)) setField(merged, name, value[name]);
    },
    value: () => ({ ...merged }),
  };
}
