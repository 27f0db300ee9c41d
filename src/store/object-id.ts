import { ObjectId } from 'mongodb';

const HEX_24 = /^[0-9a-f]{24}$/i;

/** Null for anything but 24 hex digits: a malformed id is like one of nothing. */
export function parseObjectId(id: string): ObjectId | null {
  return HEX_24.test(id) ? new ObjectId(id) : null;
}

/** The well-formed ones. */
export function parseObjectIds(ids: readonly string[]): ObjectId[] {
  return ids.map(parseObjectId).filter((id) => id !== null);
}
