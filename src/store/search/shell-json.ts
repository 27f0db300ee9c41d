import { Binary, BSON, type Document } from 'mongodb';
import type { Pipeline } from './search-store.js';

/**
 * A pipeline as plain JSON to look at or to paste into a shell: vectors as arrays of numbers, which every server takes;
 * object ids and dates as Extended JSON (`EJSON.deserialize` in mongosh reads them), everything else as it is.
 * https://www.mongodb.com/docs/manual/reference/mongodb-extended-json/
 */
export function shellJson(pipeline: readonly Document[]): Pipeline {
  return BSON.EJSON.serialize(withPlainVectors(pipeline) as Document, { relaxed: true }) as unknown as Pipeline;
}

function withPlainVectors(value: unknown): unknown {
  if (value instanceof Binary && value.sub_type === Binary.SUBTYPE_VECTOR) return Array.from(value.toFloat32Array());
  if (Array.isArray(value)) return value.map(withPlainVectors);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withPlainVectors(member)]));
}
