import { type FieldNode, GraphQLError, type GraphQLField, getArgumentValues } from 'graphql';
import { AppError } from '../../errors.js';
import type { Operation } from './cost.js';

/** A field's arguments, coerced. What execution would refuse anyway is refused here already, with a code. */
export function argumentValues(
  { variables }: Operation,
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
): Readonly<Record<string, unknown>> {
  try {
    return getArgumentValues(field, node, variables);
  } catch (error) {
    if (error instanceof GraphQLError && error.extensions.code === undefined)
      throw new AppError('BAD_USER_INPUT', `${node.name.value}: ${error.message}`, { cause: error });
    throw error;
  }
}
