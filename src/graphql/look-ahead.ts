import {
  type FieldNode,
  GraphQLIncludeDirective,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  getDirectiveValues,
  Kind,
  type SelectionSetNode,
} from 'graphql';

/**
 * Whether the selection under the resolved field reaches one of the paths, e.g. `edges.node.text`. Field names, not
 * aliases; fragments are followed whatever their type condition (all types below a connection are fixed).
 */
export function selects(info: GraphQLResolveInfo, ...paths: readonly string[]): boolean {
  return paths.some((path) => reaches(info, info.fieldNodes, path.split('.')));
}

function reaches(info: GraphQLResolveInfo, fields: readonly FieldNode[], path: readonly string[]): boolean {
  const [name, ...rest] = path;
  if (name === undefined) return fields.length > 0;
  const named = fields.flatMap((field) =>
    field.selectionSet ? fieldsOf(info, field.selectionSet).filter((child) => child.name.value === name) : [],
  );
  return named.length > 0 && reaches(info, named, rest);
}

function fieldsOf(info: GraphQLResolveInfo, { selections }: SelectionSetNode): FieldNode[] {
  return selections.flatMap((selection) => {
    if (
      getDirectiveValues(GraphQLSkipDirective, selection, info.variableValues)?.if === true ||
      getDirectiveValues(GraphQLIncludeDirective, selection, info.variableValues)?.if === false
    )
      return [];
    if (selection.kind === Kind.FIELD) return [selection];
    const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : info.fragments[selection.name.value];
    return fragment ? fieldsOf(info, fragment.selectionSet) : [];
  });
}
