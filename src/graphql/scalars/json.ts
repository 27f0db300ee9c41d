import { GraphQLError, GraphQLScalarType, Kind, type ObjectValueNode, type ValueNode } from 'graphql';

/**
 * JSON as it came in. An integer beyond ±(2^53 − 1) is a bigint here, so that whoever takes the value can refuse it
 * with its path instead of storing a neighbour (see http/exact-json.ts).
 */
export type JsonValue = string | number | bigint | boolean | null | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

export const JSONObject = new GraphQLScalarType<JsonObject, unknown>({
  name: 'JSONObject',
  serialize: (value) => value,
  parseValue: (value) => {
    if (isJsonObject(value)) return value;
    throw notAnObject();
  },
  parseLiteral: (node, variables) => {
    if (node.kind === Kind.OBJECT) return objectOfLiteral(node, variables ?? {});
    throw notAnObject();
  },
});

function notAnObject(): GraphQLError {
  return new GraphQLError('Expected a JSON object', { extensions: { code: 'BAD_USER_INPUT' } });
}

function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function objectOfLiteral(node: ObjectValueNode, variables: Readonly<Record<string, unknown>>): JsonObject {
  const entries = node.fields.flatMap((field) => {
    const value = valueOfLiteral(field.value, variables);
    return value === undefined ? [] : [[field.name.value, value] as const];
  });
  // fromEntries defines own properties: a key `__proto__` is a key like any other
  return Object.fromEntries(entries);
}

/** Undefined for a variable that was not supplied: the key is left out, as in an input object. */
function valueOfLiteral(node: ValueNode, variables: Readonly<Record<string, unknown>>): JsonValue | undefined {
  switch (node.kind) {
    case Kind.VARIABLE:
      return variables[node.name.value] as JsonValue | undefined;
    case Kind.NULL:
      return null;
    case Kind.INT:
      return exactInteger(node.value);
    case Kind.FLOAT:
      return Number(node.value);
    case Kind.BOOLEAN:
    case Kind.STRING:
    case Kind.ENUM:
      return node.value;
    case Kind.LIST:
      return node.values.map((item) => valueOfLiteral(item, variables) ?? null);
    case Kind.OBJECT:
      return objectOfLiteral(node, variables);
  }
}

/** A number where it is exact, else a bigint. */
export function exactInteger(digits: string): number | bigint {
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : BigInt(digits);
}
