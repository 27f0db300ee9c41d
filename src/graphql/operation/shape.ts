import { type DocumentNode, type FragmentDefinitionNode, Kind, type SelectionSetNode } from 'graphql';
import { LIMITS, limitExceeded } from '../limits.js';

/**
 * Depth, root fields and size of every operation in a document, fragments spread. Needs no schema, so that it runs
 * before validation, some of whose rules take quadratic time in the number of fields. Throws QUERY_TOO_COMPLEX.
 */
export function checkShape(document: DocumentNode): void {
  const measure = makeMeasure(document);
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    const { depth, fields, rootFields } = measure(definition.selectionSet);
    if (rootFields > LIMITS.rootFields.maximum) throw limitExceeded('rootFields', rootFields);
    if (depth > LIMITS.selectionDepth.maximum) throw limitExceeded('selectionDepth', depth);
    if (fields > LIMITS.selectedFields.maximum)
      throw limitExceeded('selectedFields', Number.isFinite(fields) ? fields : 'far more');
  }
}

interface Shape {
  readonly depth: number;
  readonly fields: number;
  /** Fields at this level, type names not counted. */
  readonly rootFields: number;
}

const NOTHING: Shape = { depth: 0, fields: 0, rootFields: 0 };

function makeMeasure(document: DocumentNode): (selection: SelectionSetNode) => Shape {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  // Each fragment is measured once, however often it is spread; one that is being measured spreads itself, which
  // validation refuses.
  const measured = new Map<string, Shape>();

  const fragment = (name: string): Shape => {
    const known = measured.get(name);
    if (known) return known;
    measured.set(name, NOTHING);
    const definition = fragments.get(name);
    const shape = definition ? measure(definition.selectionSet) : NOTHING;
    measured.set(name, shape);
    return shape;
  };

  const measure = ({ selections }: SelectionSetNode): Shape => {
    let [depth, fields, rootFields] = [0, 0, 0];
    for (const selection of selections) {
      const shape =
        selection.kind === Kind.FIELD
          ? field(selection.name.value, selection.selectionSet)
          : selection.kind === Kind.INLINE_FRAGMENT
            ? measure(selection.selectionSet)
            : fragment(selection.name.value);
      depth = Math.max(depth, shape.depth);
      fields += shape.fields;
      rootFields += shape.rootFields;
    }
    return { depth, fields, rootFields };
  };

  const field = (name: string, selection: SelectionSetNode | undefined): Shape => {
    const below = selection ? measure(selection) : NOTHING;
    return {
      // introspection is exempt: tools send a query that is deeper than any other
      depth: name.startsWith('__') ? 0 : below.depth + 1,
      fields: below.fields + 1,
      rootFields: name === '__typename' ? 0 : 1,
    };
  };

  return measure;
}
