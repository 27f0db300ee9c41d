import type {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  DBRef,
  Decimal128,
  Double,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
} from 'bson';

/**
 * How BSON values look inside the server. Types survive a round trip through `decode` and `encode`:
 * - a plain number is an Int32 when it is an integer within int32 (and not -0), else a Double;
 * - a Double that holds an int32-range integer is a `Double`; an Int64 is always a `Long`;
 * - undefined stands for a missing value, never for a stored one.
 */
export type BsonValue =
  | string
  | number
  | boolean
  | null
  | undefined
  | Date
  | RegExp
  | Double
  | Long
  | Decimal128
  | ObjectId
  | Binary
  | Timestamp
  | BSONRegExp
  | BSONSymbol
  | Code
  | DBRef
  | MinKey
  | MaxKey
  | BsonValue[]
  | Doc;

export interface Doc {
  [field: string]: BsonValue;
}

/**
 * What a stage knows of a document beside its fields (`$meta`): kept under a symbol, which neither `encode` nor
 * projections see. A stage that makes a new document from another carries it over with `copyMeta`.
 */
export const META: unique symbol = Symbol('meta');

export interface DocMeta {
  score?: number;
  vectorSearchScore?: number;
  searchScore?: number;
  searchHighlights?: BsonValue[];
  searchScoreDetails?: Doc;
  scoreDetails?: Doc;
  searchSequenceToken?: string;
  /** Values of `sortKey`, `recordId`… as they are needed. */
  [name: string]: BsonValue | undefined;
}

export function metaOf(doc: Doc): DocMeta | undefined {
  return (doc as { [META]?: DocMeta })[META];
}

export function setMeta(doc: Doc, meta: DocMeta | undefined): Doc {
  if (meta !== undefined) (doc as { [META]?: DocMeta })[META] = meta;
  return doc;
}

export function copyMeta(from: Doc, to: Doc): Doc {
  return setMeta(to, metaOf(from));
}
