import type { BsonValue, Doc } from '../../bson/values.js';
import { describe } from '../describe.js';
import { badValue, location } from '../errors.js';
import { arrayIndexOf, fieldOf, isDocument, setField } from '../path.js';

/** What a modifier sees beside the field's own value. */
export interface LeafContext {
  /** The document before the update. */
  readonly root: Doc;
  /** Dotted, with array indexes in place of positional operators. */
  readonly path: string;
}

/**
 * A modifier at the end of its path: old value to new value. Undefined is a missing field on both sides; giving back the
 * same value is a no-op.
 */
export interface UpdateLeaf {
  readonly kind: 'leaf';
  /** Whether missing documents on the way are made (`$set`) or make it a no-op (`$unset`, `$pull`). */
  readonly createsPath: boolean;
  apply(value: BsonValue, context: LeafContext): BsonValue;
}

/** `kind: 'array'`: children are named by array filter identifier; the empty one is `$[]`. */
export interface UpdateTree {
  readonly kind: 'fields' | 'array';
  readonly children: Map<string, UpdateNode>;
}

export type UpdateNode = UpdateLeaf | UpdateTree;

/** Whether an element satisfies the array filter of an identifier. */
export type ElementFilters = ReadonlyMap<string, (element: BsonValue) => boolean>;

const ARRAY_COMPONENT = /^\$\[([^\]]*)\]$/;

/** @throws CommandError 40 ConflictingUpdateOperators when two paths overlap. */
export function addUpdate(tree: UpdateTree, path: string, leaf: UpdateLeaf): void {
  const parts = path.split('.');
  let at = tree;
  parts.forEach((part, depth) => {
    const array = ARRAY_COMPONENT.exec(part);
    const name = array === null ? part : array[1]!;
    const existing = at.children.get(name);
    if (depth === parts.length - 1) {
      if (existing !== undefined) throw conflict(path, path);
      at.children.set(name, leaf);
      return;
    }
    const nextKind = ARRAY_COMPONENT.test(parts[depth + 1]!) ? 'array' : 'fields';
    if (existing !== undefined && (existing.kind === 'leaf' || existing.kind !== nextKind)) {
      throw conflict(path, parts.slice(0, depth + 1).join('.'));
    }
    const next: UpdateTree = existing ?? { kind: nextKind, children: new Map() };
    at.children.set(name, next);
    at = next;
  });
}

export function conflict(path: string, at: string): Error {
  return location(40, `Updating the path '${path}' would create a conflict at '${at}'`);
}

/** Joins two nodes that turn out to be about the same element (`$[a]` and `$[b]` both matching it). */
function mergeNodes(a: UpdateNode, b: UpdateNode, path: string): UpdateNode {
  if (a.kind === 'leaf' || b.kind === 'leaf' || a.kind !== b.kind) throw conflict(path, path);
  const children = new Map(a.children);
  for (const [name, node] of b.children) {
    const existing = children.get(name);
    children.set(name, existing === undefined ? node : mergeNodes(existing, node, `${path}.${name}`));
  }
  return { kind: a.kind, children };
}

/** The order in which modifiers act, and in which new fields are added: names as text, array indexes as numbers. */
function inOrder(children: ReadonlyMap<string, UpdateNode>): [string, UpdateNode][] {
  return [...children].sort(([a], [b]) => {
    const [left, right] = [arrayIndexOf(a), arrayIndexOf(b)];
    if (left >= 0 && right >= 0) return left - right;
    return a < b ? -1 : a > b ? 1 : 0;
  });
}

/** Sorts every level of a tree once, after all paths are in. */
export function sortTree(tree: UpdateTree): UpdateTree {
  const children = inOrder(tree.children).map(([name, node]): [string, UpdateNode] => [
    name,
    node.kind === 'leaf' ? node : sortTree(node),
  ]);
  return { kind: tree.kind, children: new Map(children) };
}

/** The new document; `doc` itself when nothing changes. Shares with it what did not change. */
export function applyTree(doc: Doc, tree: UpdateTree, root: Doc, filters: ElementFilters): Doc {
  return applyToDocument(doc, tree, { root, path: '' }, filters);
}

function applyNode(
  value: BsonValue,
  node: UpdateNode,
  context: LeafContext,
  filters: ElementFilters,
  name: string,
): BsonValue {
  if (node.kind === 'leaf') return node.apply(value, context);
  if (node.kind === 'array') return applyToElements(value, node, context, filters, name);
  if (isDocument(value)) return applyToDocument(value, node, context, filters);
  if (Array.isArray(value)) return applyToIndexes(value, node, context, filters, name);
  if (value === undefined) {
    if (!createsPath(node)) return undefined;
    const made: Doc = {};
    const filled = applyToDocument(made, node, context, filters);
    // a modifier that did nothing after all (`$rename` of a missing field) leaves no empty document behind
    return filled === made ? undefined : filled;
  }
  const [blocked] = [...node.children].find(([, child]) => createsPath(child)) ?? [];
  if (blocked === undefined) return value;
  throw location(28, `Cannot create field '${blocked}' in element {${name}: ${describe(value)}}`);
}

function createsPath(node: UpdateNode): boolean {
  if (node.kind === 'leaf') return node.createsPath;
  // `$[]` needs an array that is there
  if (node.kind === 'array') return true;
  return [...node.children.values()].some(createsPath);
}

function join(path: string, name: string | number): string {
  return path === '' ? String(name) : `${path}.${name}`;
}

function applyToDocument(doc: Doc, tree: UpdateTree, context: LeafContext, filters: ElementFilters): Doc {
  let result = doc;
  for (const [name, node] of tree.children) {
    const before = fieldOf(doc, name);
    const place = { root: context.root, path: join(context.path, name) };
    const after = applyNode(before, node, place, filters, name);
    if (after === before) continue;
    if (result === doc) result = { ...doc };
    if (after === undefined) delete result[name];
    else setField(result, name, after);
  }
  return result;
}

/** Filling an array up with nulls, as a far index makes the server do, ends here. */
const BACKFILL_MAX = 1_500_000;

function applyToIndexes(
  array: readonly BsonValue[],
  tree: UpdateTree,
  context: LeafContext,
  filters: ElementFilters,
  arrayName: string,
): BsonValue {
  let result: BsonValue[] | undefined;
  for (const [name, node] of tree.children) {
    const index = arrayIndexOf(name);
    if (index < 0) {
      if (!createsPath(node)) continue;
      throw location(28, `Cannot create field '${name}' in element {${arrayName}: ${describe(array as BsonValue[])}}`);
    }
    const before = array[index];
    const place = { root: context.root, path: join(context.path, name) };
    const applied = applyNode(before, node, place, filters, name);
    // removing an element leaves null, so that the others keep their places
    const after = applied === undefined && before !== undefined ? null : applied;
    if (after === before) continue;
    if (index - array.length > BACKFILL_MAX) {
      throw location(120, `Cannot backfill array to element ${index}: at most ${BACKFILL_MAX} elements are added`);
    }
    result ??= [...array];
    while (result.length < index) result.push(null);
    result[index] = after;
  }
  return result ?? (array as BsonValue[]);
}

function applyToElements(
  value: BsonValue,
  tree: UpdateTree,
  context: LeafContext,
  filters: ElementFilters,
  name: string,
): BsonValue {
  if (value === undefined) {
    throw badValue(`The path '${context.path}' must exist in the document in order to apply array updates.`);
  }
  if (!Array.isArray(value)) {
    throw badValue(`Cannot apply array updates to non-array element ${name}: ${describe(value)}`);
  }
  const updated = value.map((element, index) => {
    let node: UpdateNode | undefined;
    for (const [identifier, child] of tree.children) {
      if (identifier !== '' && !filters.get(identifier)!(element)) continue;
      node = node === undefined ? child : mergeNodes(node, child, join(context.path, index));
    }
    if (node === undefined) return element;
    const place = { root: context.root, path: join(context.path, index) };
    return applyNode(element, node, place, filters, String(index)) ?? null;
  });
  return updated.every((element, index) => element === value[index]) ? value : updated;
}
