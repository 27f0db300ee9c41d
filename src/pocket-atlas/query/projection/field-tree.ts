import type { BsonValue, Doc } from '../../bson/values.js';
import { location } from '../errors.js';
import { fieldPathParts } from '../expressions/field-path.js';
import { fieldOf, isDocument, setField } from '../path.js';

/**
 * What a specification such as `{ a: 1, "b.c": <expression> }` says, as a tree of field names. Leaves:
 * - keep, drop: inclusion and exclusion;
 * - compute: the value of an expression on the whole document; a missing value removes the field;
 * - transform: another form of the field's own value (`$slice`).
 */
export type FieldNode =
  | { readonly kind: 'keep' | 'drop' }
  | { readonly kind: 'compute'; readonly evaluate: (root: Doc) => BsonValue }
  | { readonly kind: 'transform'; readonly transform: (value: BsonValue) => BsonValue }
  | FieldTree;

export interface FieldTree {
  readonly kind: 'tree';
  readonly children: Map<string, FieldNode>;
  /** Some leaf below computes, so the branch is made where it is missing. */
  computes: boolean;
}

export function newTree(): FieldTree {
  return { kind: 'tree', children: new Map(), computes: false };
}

/** @throws CommandError 31249, 31250 when one path is the beginning of another, or given twice. */
export function addLeaf(tree: FieldTree, path: string, leaf: FieldNode): void {
  const parts = fieldPathParts(path);
  let at = tree;
  parts.forEach((part, depth) => {
    if (leaf.kind === 'compute') at.computes = true;
    const child = at.children.get(part);
    if (depth === parts.length - 1) {
      if (child !== undefined) throw location(31250, `Path collision at ${path}`);
      at.children.set(part, leaf);
      return;
    }
    if (child !== undefined && child.kind !== 'tree') {
      throw location(31249, `Path collision at ${path} remaining portion ${parts.slice(depth + 1).join('.')}`);
    }
    const next = child ?? newTree();
    at.children.set(part, next);
    at = next;
  });
}

/** Only what the tree names, in the document's order; computed fields that are new come last, in the tree's order. */
export function includeFields(doc: Doc, tree: FieldTree, root: Doc): Doc {
  const result: Doc = {};
  for (const name of Object.keys(doc)) {
    const child = tree.children.get(name);
    if (child === undefined || child.kind === 'compute') continue;
    const value = includeValue(doc[name], child, root);
    if (value !== undefined) setField(result, name, value);
  }
  if (tree.computes) {
    for (const [name, child] of tree.children) {
      if (child.kind === 'compute' || (child.kind === 'tree' && child.computes && !Object.hasOwn(doc, name))) {
        const value = child.kind === 'compute' ? child.evaluate(root) : includeValue(undefined, child, root);
        if (value !== undefined) setField(result, name, value);
      }
    }
  }
  return result;
}

function includeValue(value: BsonValue, node: FieldNode, root: Doc): BsonValue {
  switch (node.kind) {
    case 'keep':
      return value;
    case 'transform':
      return node.transform(value);
    case 'tree':
      if (Array.isArray(value)) {
        return value.map((item) => includeValue(item, node, root)).filter((item) => item !== undefined);
      }
      if (isDocument(value)) return includeFields(value, node, root);
      return node.computes ? includeFields({}, node, root) : undefined;
    default:
      return undefined;
  }
}

/** Everything but what the tree drops; `doc` itself when nothing is to be dropped. */
export function excludeFields(doc: Doc, tree: FieldTree): Doc {
  let isChanged = false;
  const result: Doc = {};
  for (const name of Object.keys(doc)) {
    const value = doc[name];
    const kept = excludeValue(value, tree.children.get(name));
    if (kept !== value) isChanged = true;
    if (kept !== undefined) setField(result, name, kept);
  }
  return isChanged ? result : doc;
}

function excludeValue(value: BsonValue, node: FieldNode | undefined): BsonValue {
  switch (node?.kind) {
    case 'drop':
    case 'compute':
      return undefined;
    case 'transform':
      return node.transform(value);
    case 'tree': {
      if (isDocument(value)) return excludeFields(value, node);
      if (!Array.isArray(value)) return value;
      const kept = value.map((item) => (isDocument(item) || Array.isArray(item) ? excludeValue(item, node) : item));
      return kept.every((item, index) => item === value[index]) ? value : kept;
    }
    default:
      return value;
  }
}

/** Sets what the tree computes on a copy of the document: existing fields keep their place, new ones come last. */
export function setFields(doc: Doc, tree: FieldTree, root: Doc): Doc {
  const result = { ...doc };
  for (const [name, child] of tree.children) {
    if (child.kind !== 'compute' && !(child.kind === 'tree' && child.computes)) continue;
    const value = child.kind === 'compute' ? child.evaluate(root) : setInValue(fieldOf(doc, name), child, root);
    if (value === undefined) delete result[name];
    else setField(result, name, value);
  }
  return result;
}

function setInValue(value: BsonValue, node: FieldNode, root: Doc): BsonValue {
  if (node.kind !== 'tree') return value;
  if (Array.isArray(value)) return value.map((item) => setInValue(item, node, root));
  return setFields(isDocument(value) ? value : {}, node, root);
}
