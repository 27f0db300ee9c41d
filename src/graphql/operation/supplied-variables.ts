import {
  type ASTNode,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { AppError } from '../../errors.js';

const FILTERS: ReadonlySet<string> = new Set(['DocumentFilter', 'SearchFilter', 'MetadataCondition']);

/**
 * Two places where GraphQL lets a variable without a value vanish, and vanishing would change the meaning:
 * - inside a filter, where a dropped condition widens the result (a filter must never fail open);
 * - inside a `@oneOf` object, where exactly one field was promised and none would arrive.
 * Both are refused with BAD_USER_INPUT that names the variable. `variables` are the coerced ones: those with a default
 * hold it, those that were not supplied are absent.
 */
export function checkSuppliedVariables(
  schema: GraphQLSchema,
  node: ASTNode,
  variables: Readonly<Record<string, unknown>>,
): void {
  const typeInfo = new TypeInfo(schema);
  /** The input objects around the current node, outermost first. */
  const around: { readonly name: string; readonly isOneOf: boolean }[] = [];
  visit(
    node,
    visitWithTypeInfo(typeInfo, {
      ObjectValue: {
        enter: () => {
          const type = getNamedType(typeInfo.getInputType());
          around.push({ name: type?.name ?? '', isOneOf: isInputObjectType(type) && type.isOneOf });
        },
        leave: () => {
          around.pop();
        },
      },
      Variable: ({ name: { value: name } }) => {
        const object = around.at(-1);
        if (object?.isOneOf && variables[name] == null)
          throw unsupplied(name, `${object.name} takes exactly one field, and null is none`);
        if (around.some((outer) => FILTERS.has(outer.name)) && !Object.hasOwn(variables, name))
          throw unsupplied(name, 'a condition inside a filter must not vanish');
      },
    }),
  );
}

function unsupplied(name: string, why: string): AppError {
  return new AppError('BAD_USER_INPUT', `Variable "$${name}" was not supplied: ${why}`, {
    details: { variable: name },
  });
}
