import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  visit,
} from 'graphql';
import { checkCost } from './cost.js';
import { checkSuppliedVariables } from './supplied-variables.js';

/**
 * What a validated operation must satisfy before it runs, on every transport. Throws `AppError` QUERY_TOO_COMPLEX or
 * BAD_USER_INPUT. Unknown operation names and variables that do not coerce are left to execution, which reports them.
 */
export function checkOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null | undefined,
  inputs: Readonly<Record<string, unknown>>,
): void {
  const definition = getOperationAST(document, operationName);
  if (!definition) return;
  const { coerced: variables } = getVariableValues(schema, definition.variableDefinitions ?? [], inputs);
  if (!variables) return;
  const fragments = fragmentsOf(document, definition);
  for (const node of [definition, ...fragments.values()]) checkSuppliedVariables(schema, node, variables);
  checkCost({ schema, definition, fragments, variables });
}

/** Those that the operation spreads, directly or not: others may use variables that this one does not have. */
function fragmentsOf(
  document: DocumentNode,
  operation: OperationDefinitionNode,
): ReadonlyMap<string, FragmentDefinitionNode> {
  const reached = new Map<string, FragmentDefinitionNode>();
  const follow = (node: OperationDefinitionNode | FragmentDefinitionNode): void => {
    visit(node, {
      FragmentSpread: ({ name: { value: name } }) => {
        if (reached.has(name)) return;
        const fragment = document.definitions.find(
          (definition) => definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === name,
        );
        if (fragment?.kind !== Kind.FRAGMENT_DEFINITION) return;
        reached.set(name, fragment);
        follow(fragment);
      },
    });
  };
  follow(operation);
  return reached;
}
