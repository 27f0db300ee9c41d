import type { BsonValue, Doc } from '../bson/values.js';
import { ACCUMULATORS } from './accumulators/table.js';
import { location } from './errors.js';
import { isDocument } from './path.js';
import type { QueryVariables } from './query.js';

/** The state of one group (or window). */
export interface Accumulator {
  process(doc: Doc): void;
  /** May be asked for more than once, between documents. */
  value(): BsonValue;
  /** Roughly what it holds, in bytes; absent: a constant little. */
  readonly heldBytes?: number;
}

/** Compiles an accumulator's argument once; what it returns starts a group. */
export type CompileAccumulator = (argument: BsonValue, variables: QueryVariables, name: string) => () => Accumulator;

/** Compiles `{ $sum: "$x" }`. @throws CommandError 40234, 40238, 15952 with the server's texts. */
export function compileAccumulator(field: string, spec: BsonValue, variables: QueryVariables): () => Accumulator {
  if (!isDocument(spec)) throw location(40234, `The field '${field}' must be an accumulator object`);
  const names = Object.keys(spec);
  if (names.length !== 1) throw location(40238, `The field '${field}' must specify one accumulator`);
  const name = names[0]!;
  const compile = Object.hasOwn(ACCUMULATORS, name) ? ACCUMULATORS[name] : undefined;
  if (compile === undefined) throw location(15952, `unknown group operator '${name}'`);
  return compile(spec[name], variables, name);
}
