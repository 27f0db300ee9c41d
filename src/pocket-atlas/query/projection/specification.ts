import type { BsonValue, Doc } from '../../bson/values.js';
import { location } from '../errors.js';
import { compileExpression } from '../expression.js';
import { isTrue } from '../expressions/operator.js';
import { isNumeric } from '../numeric.js';
import { isDocument } from '../path.js';
import type { QueryVariables } from '../query.js';
import { addLeaf, type FieldNode, type FieldTree, newTree } from './field-tree.js';

export interface ParsedProjection {
  readonly mode: 'inclusion' | 'exclusion';
  readonly tree: FieldTree;
}

/** What a projection allows beside inclusion, exclusion and expressions: `find` knows `$slice`, `$elemMatch`, `a.$`. */
export interface ProjectionDialect {
  /** Undefined: not an operator of the dialect's own. */
  operator(path: string, name: string, argument: BsonValue): ProjectionLeaf | undefined;
  /** Whether `{ f: { $meta: … } }` alone keeps all other fields (`find`) or none (`$project`). */
  readonly metaAloneKeepsAll: boolean;
}

/** `mode` undefined: the leaf goes with either mode. */
export interface ProjectionLeaf {
  readonly node: FieldNode;
  readonly mode?: 'inclusion';
}

/** @throws CommandError 31253, 31254 for a mix of inclusion and exclusion, and others. */
export function parseProjection(spec: Doc, variables: QueryVariables, dialect: ProjectionDialect): ParsedProjection {
  const tree = newTree();
  let mode: ParsedProjection['mode'] | undefined;
  let id: 'keep' | 'drop' | undefined;
  let hasMeta = false;

  const setMode = (wanted: ParsedProjection['mode'], path: string, what: string) => {
    if (mode !== undefined && mode !== wanted) {
      if (what === 'expression') {
        throw location(31252, 'Cannot use expression other than $meta in exclusion projection');
      }
      throw wanted === 'inclusion'
        ? location(31253, `Cannot do inclusion on field ${path} in exclusion projection`)
        : location(31254, `Cannot do exclusion on field ${path} in inclusion projection`);
    }
    mode = wanted;
  };

  const visit = (path: string, value: BsonValue): void => {
    if (typeof value === 'boolean' || isNumeric(value)) {
      const kind = isTrue(value) ? 'keep' : 'drop';
      if (path === '_id') {
        if (id !== undefined) throw location(31250, 'Path collision at _id');
        id = kind;
        return;
      }
      setMode(kind === 'keep' ? 'inclusion' : 'exclusion', path, kind);
      addLeaf(tree, path, { kind });
      return;
    }
    if (isDocument(value)) {
      const names = Object.keys(value);
      const [first] = names;
      if (first === undefined) {
        throw location(51270, `An empty sub-projection is not a valid value. Found empty object at path ${path}`);
      }
      if (!first.startsWith('$')) {
        for (const name of names) {
          if (name.includes('.'))
            throw location(16412, `FieldPath field names may not contain '.'. Found: ${path}.${name}`);
          visit(`${path}.${name}`, value[name]);
        }
        return;
      }
      const own = names.length === 1 ? dialect.operator(path, first, value[first]) : undefined;
      if (own !== undefined) {
        if (own.mode !== undefined && mode === undefined) mode = own.mode;
        addLeaf(tree, path, own.node);
        return;
      }
      if (first === '$meta' && dialect.metaAloneKeepsAll) {
        hasMeta = true;
        addLeaf(tree, path, { kind: 'compute', evaluate: compileExpression(value, variables) });
        return;
      }
    }
    setMode('inclusion', path, 'expression');
    addLeaf(tree, path, { kind: 'compute', evaluate: compileExpression(value, variables) });
  };

  for (const [path, value] of Object.entries(spec)) visit(path, value);

  const settled = mode ?? (id === 'keep' && !hasMeta ? 'inclusion' : 'exclusion');
  // _id stays unless it is told to go, whatever the mode; "_id.x" has said its own
  const wantsIdLeaf = settled === 'inclusion' ? id !== 'drop' && !tree.children.has('_id') : id === 'drop';
  if (wantsIdLeaf) addLeaf(tree, '_id', { kind: settled === 'inclusion' ? 'keep' : 'drop' });
  return { mode: settled, tree };
}
