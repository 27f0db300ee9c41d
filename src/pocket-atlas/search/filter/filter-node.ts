import type { FilterKey } from './filter-key.js';

/** A parsed filter: what `$vectorSearch` takes, reduced to five shapes. */
export type FilterNode =
  | { readonly op: 'all' }
  /** Some value of the path equals one of the keys. */
  | { readonly op: 'equal'; readonly path: string; readonly keys: readonly FilterKey[] }
  /** Some value of the path lies in the range; both bounds have the same type tag. */
  | { readonly op: 'range'; readonly path: string; readonly range: KeyBounds }
  | { readonly op: 'exists'; readonly path: string }
  | { readonly op: 'and' | 'or'; readonly nodes: readonly FilterNode[] }
  | { readonly op: 'not'; readonly node: FilterNode };

/** Half-open or closed; a missing side ends with the type of the other. */
export interface KeyBounds {
  readonly tag: number;
  readonly lower?: { readonly key: FilterKey; readonly inclusive: boolean };
  readonly upper?: { readonly key: FilterKey; readonly inclusive: boolean };
}

/** Every path that a filter names, once. */
export function pathsOf(node: FilterNode): ReadonlySet<string> {
  const paths = new Set<string>();
  const visit = (inner: FilterNode): void => {
    if ('path' in inner) paths.add(inner.path);
    else if ('nodes' in inner) inner.nodes.forEach(visit);
    else if ('node' in inner) visit(inner.node);
  };
  visit(node);
  return paths;
}
