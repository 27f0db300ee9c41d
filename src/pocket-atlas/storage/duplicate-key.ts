import type { Binary, BSONRegExp, BSONSymbol, Code, DBRef, Double, ObjectId, Timestamp } from 'bson';
import { regexParts, typeName } from '../bson/type.js';
import type { BsonValue, Doc } from '../bson/values.js';
import { CommandError } from '../errors.js';
import type { CollectionInfo, IndexInfo } from './engine.js';
import { namespaceOf } from './namespace.js';

/** E11000 with the server's text, keyPattern and keyValue. Source: ATLAS.md §6. */
export function duplicateKey(collection: CollectionInfo, index: IndexInfo, values: readonly BsonValue[]): CommandError {
  const keyValue: Doc = {};
  for (const [part, path] of Object.keys(index.key).entries()) keyValue[path] = values[part] ?? null;
  return new CommandError(
    11000,
    `E11000 duplicate key error collection: ${namespaceOf(collection)} index: ${index.name} dup key: ${shellText(keyValue)}`,
    { fields: { keyPattern: { ...index.key }, keyValue } },
  );
}

/** A value as the server prints it inside messages: `{ a: 1, b: "x" }`. */
export function shellText(value: BsonValue): string {
  switch (typeName(value)) {
    case 'string':
      return `"${value as string}"`;
    case 'double': {
      const number = Number(value);
      return Number.isInteger(number) && Math.abs(number) < 1e15 ? number.toFixed(1) : String(number);
    }
    case 'object':
      return fields(value as Doc);
    case 'array':
      return (value as BsonValue[]).length === 0 ? '[]' : `[ ${(value as BsonValue[]).map(shellText).join(', ')} ]`;
    case 'objectId':
      return `ObjectId('${(value as ObjectId).toHexString()}')`;
    case 'date':
      return `new Date(${(value as Date).getTime()})`;
    case 'timestamp':
      return `Timestamp(${(value as Timestamp).t}, ${(value as Timestamp).i})`;
    case 'binData':
      return binary(value as Binary);
    case 'regex': {
      const { pattern, options } = regexParts(value as RegExp | BSONRegExp);
      return `/${pattern}/${options}`;
    }
    case 'symbol':
      return `"${(value as BSONSymbol).value}"`;
    case 'dbPointer':
      return `DBRef('${(value as DBRef).collection}', ${(value as DBRef).oid.toHexString()})`;
    case 'javascript':
      return String((value as Code).code);
    case 'javascriptWithScope':
      return `CodeWScope( ${String((value as Code).code)}, ${fields((value as Code).scope as Doc)})`;
    case 'minKey':
      return 'MinKey';
    case 'maxKey':
      return 'MaxKey';
    case 'undefined':
    case 'null':
      return 'null';
    default:
      return String(value as Double);
  }
}

function fields(doc: Doc): string {
  const parts = Object.entries(doc).map(([name, value]) => `${name}: ${shellText(value)}`);
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`;
}

const UUID_SUBTYPE = 4;

function binary(value: Binary): string {
  const hex = Buffer.from(value.buffer.subarray(0, value.position)).toString('hex');
  if (value.sub_type === UUID_SUBTYPE && value.position === 16) {
    return `UUID("${hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')}")`;
  }
  return `BinData(${value.sub_type}, ${hex.toUpperCase()})`;
}
