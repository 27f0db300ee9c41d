import { GraphQLError, GraphQLScalarType, Kind, print } from 'graphql';
import type { FilterScalar } from '../../store/filter.js';
import { exactInteger } from './json.js';

/** A scalar and nothing else: an object such as `{"$ne": ""}` never reaches the store as a filter value. */
export const MetadataValue = new GraphQLScalarType<FilterScalar, unknown>({
  name: 'MetadataValue',
  serialize: (value) => value,
  parseValue: metadataValue,
  parseLiteral: (node) => {
    switch (node.kind) {
      case Kind.INT:
        return metadataValue(exactInteger(node.value));
      case Kind.FLOAT:
        return metadataValue(Number(node.value));
      case Kind.STRING:
      case Kind.BOOLEAN:
        return node.value;
      default:
        throw refusal(node.kind === Kind.OBJECT ? 'an object' : print(node).slice(0, 40));
    }
  },
});

function metadataValue(value: unknown): FilterScalar {
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value === 'bigint') throw refusal('an integer beyond ±(2^53 − 1), which numbers cannot tell apart');
  throw refusal(Array.isArray(value) ? 'a list' : value === null ? 'null' : `a value of type ${typeof value}`);
}

function refusal(got: string): GraphQLError {
  return new GraphQLError(`A filter value must be a string, a number or a Boolean, got ${got}`, {
    extensions: { code: 'BAD_USER_INPUT' },
  });
}
