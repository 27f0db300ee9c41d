import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { AppError } from '../../errors.js';
import { LIMITS, limitExceeded } from '../limits.js';
import { argumentValues } from './argument-values.js';

/** Lists without `first` are short; these are the ones that are not as short as the rest. */
const LIST_LENGTHS: Readonly<Record<string, number>> = {
  'Admin.apiKeys': 100,
  'SearchExplanation.candidates': 200,
  'SearchEdge.highlights': 5,
};
const SHORT_LIST = 3;

export interface Operation {
  readonly schema: GraphQLSchema;
  readonly definition: OperationDefinitionNode;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly variables: Readonly<Record<string, unknown>>;
}

/**
 * How many objects the operation may return at most: each object field counts one, times `first` of the connection it
 * is in, or the number of `ids`. Also holds `first` and `ids` to their limits, wherever they stand.
 * Throws QUERY_TOO_COMPLEX or BAD_USER_INPUT.
 */
export function checkCost(operation: Operation): void {
  const root = operation.schema.getRootType(operation.definition.operation);
  if (!root) return;
  const cost = selectionCost(operation, operation.definition.selectionSet, root, 1, new Map());
  if (cost > LIMITS.cost.maximum)
    throw limitExceeded('cost', cost, 'ask for smaller pages (`first`), or for less under each item');
}

/** Cost of a fragment by its name and the page size that its fields stand under. */
type Memo = Map<string, number>;

/** `page` is what a list directly below holds: the `first` of the connection whose fields these are. */
function selectionCost(
  operation: Operation,
  { selections }: SelectionSetNode,
  type: GraphQLCompositeType,
  page: number,
  memo: Memo,
): number {
  let cost = 0;
  for (const selection of selections) {
    if (selection.kind === Kind.FIELD) cost += fieldCost(operation, selection, type, page, memo);
    else if (selection.kind === Kind.INLINE_FRAGMENT)
      cost += selectionCost(operation, selection.selectionSet, conditionOf(operation, selection, type), page, memo);
    else cost += fragmentCost(operation, selection.name.value, type, page, memo);
  }
  return cost;
}

function fragmentCost(operation: Operation, name: string, type: GraphQLCompositeType, page: number, memo: Memo) {
  const key = `${name} ${page}`;
  const known = memo.get(key);
  if (known !== undefined) return known;
  const fragment = operation.fragments.get(name);
  if (!fragment) return 0;
  const cost = selectionCost(operation, fragment.selectionSet, conditionOf(operation, fragment, type), page, memo);
  memo.set(key, cost);
  return cost;
}

function conditionOf(
  { schema }: Operation,
  node: { readonly typeCondition?: { readonly name: { readonly value: string } } | undefined },
  type: GraphQLCompositeType,
): GraphQLCompositeType {
  const condition = node.typeCondition && schema.getType(node.typeCondition.name.value);
  return isCompositeType(condition) ? condition : type;
}

function fieldCost(
  operation: Operation,
  node: FieldNode,
  parent: GraphQLCompositeType,
  page: number,
  memo: Memo,
): number {
  const name = node.name.value;
  const field = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined;
  const type = field && getNamedType(field.type);
  if (!field || !isCompositeType(type)) return 0;
  const args = argumentValues(operation, field, node);
  const items = isListType(getNullableType(field.type)) ? listLength(parent, field, args, page) : 1;
  const below = node.selectionSet ? selectionCost(operation, node.selectionSet, type, pageSize(args) ?? 1, memo) : 0;
  return items * (1 + below);
}

function listLength(
  parent: GraphQLCompositeType,
  field: GraphQLField<unknown, unknown>,
  args: Readonly<Record<string, unknown>>,
  page: number,
): number {
  if (Array.isArray(args.ids)) {
    if (args.ids.length > LIMITS.ids.maximum) throw limitExceeded('ids', args.ids.length);
    return args.ids.length;
  }
  const isPage = parent.name.endsWith('Connection') && (field.name === 'edges' || field.name === 'nodes');
  return isPage ? page : (LIST_LENGTHS[`${parent.name}.${field.name}`] ?? SHORT_LIST);
}

function pageSize({ first }: Readonly<Record<string, unknown>>): number | undefined {
  if (typeof first !== 'number') return undefined;
  if (first < 1) throw new AppError('BAD_USER_INPUT', `Expected \`first\` to be at least 1, got ${first}`);
  if (first > LIMITS.first.maximum) throw limitExceeded('first', first);
  return first;
}
