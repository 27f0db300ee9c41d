import { ObjectId } from 'mongodb';

const HEX = /^[0-9a-f]{24}$/i;

/** The ids that can exist; a malformed id is one of an absent object. */
export function objectIds(ids: readonly string[]): ObjectId[] {
  return ids.filter((id) => HEX.test(id)).map((id) => ObjectId.createFromHexString(id));
}
