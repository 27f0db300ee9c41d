import type { BsonValue, Doc } from '../../bson/values.js';
import { describe } from '../describe.js';
import { location } from '../errors.js';
import { count, isNumeric } from '../numeric.js';
import { type CompileStage, stage } from './stage.js';

export const compileLimit: CompileStage = (spec) => {
  const limit = limitOf(spec);
  return stage('$limit', async function* (input) {
    let left = limit;
    let last: readonly Doc[] = [];
    for await (const batch of input) {
      last = batch.length <= left ? batch : batch.slice(0, left);
      left -= last.length;
      // leaving the loop ends the stages before, and so before the last batch is handed on
      if (left === 0) break;
      yield last;
    }
    if (left === 0) yield last;
  });
};

/** @throws CommandError 15957, 15958 for what is no positive whole number. */
export function limitOf(spec: BsonValue): number {
  const limit = wholeArgument('$limit', spec, 2107201);
  if (limit <= 0) throw location(15958, 'the limit must be positive');
  return limit;
}

export const compileSkip: CompileStage = (spec) => {
  const skip = skipOf(spec);
  return stage('$skip', async function* (input) {
    let left = skip;
    for await (const batch of input) {
      if (left >= batch.length) left -= batch.length;
      else {
        yield left === 0 ? batch : batch.slice(left);
        left = 0;
      }
    }
  });
};

export function skipOf(spec: BsonValue): number {
  const skip = wholeArgument('$skip', spec, 5107200);
  if (skip < 0) {
    throw location(
      5107200,
      `invalid argument to $skip stage: Expected a non-negative number in: $skip: ${describe(spec)}`,
    );
  }
  return skip;
}

function wholeArgument(name: string, spec: BsonValue, code: number): number {
  if (!isNumeric(spec)) {
    throw location(code, `invalid argument to ${name} stage: Expected a number in: ${name}: ${describe(spec)}`);
  }
  const whole = count(spec);
  if (whole === undefined) {
    throw location(code, `invalid argument to ${name} stage: Expected an integer: ${name}: ${describe(spec)}`);
  }
  return whole;
}
