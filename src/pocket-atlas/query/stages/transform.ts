import type { BsonValue, Doc } from '../../bson/values.js';
import { CommandError } from '../../errors.js';
import type { QueryVariables } from '../query.js';

/** What a stage does that works on each document by itself. The result carries the document's metadata. */
export type Transform = (doc: Doc) => Doc;

export type CompileTransform = (spec: BsonValue, variables: QueryVariables, stage: string) => Transform;

/** The server says in which stage a specification was wrong. */
export function withinStage<T>(stage: string, compile: () => T): T {
  try {
    return compile();
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new CommandError(error.code, `Invalid ${stage} :: caused by :: ${error.message}`, { cause: error });
  }
}
