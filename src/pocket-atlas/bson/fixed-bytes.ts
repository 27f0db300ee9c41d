/** Bytes of the values that always have the same, by BSON type. Source: bsonspec.org, version 1.1. */
export const FIXED_BYTES: Readonly<Record<number, number>> = {
  1: 8, // double
  6: 0, // undefined
  7: 12, // ObjectId
  8: 1, // bool
  9: 8, // date
  10: 0, // null
  16: 4, // int32
  17: 8, // timestamp
  18: 8, // int64
  19: 16, // decimal128
  127: 0, // MaxKey
  255: 0, // MinKey
};
