import { location } from '../errors.js';

const POSITIONAL = '$';

/** @throws CommandError 56 EmptyFieldName, 52 DollarPrefixedFieldName, 2 for a `$` where there is no array before it. */
export function checkUpdatePath(path: string): void {
  // Nearly all updates name plain fields.
  if (path !== '' && !path.includes('.') && !path.includes('$')) return;
  if (path === '') throw location(56, 'An empty update path is not valid.');
  const parts = path.split('.');
  parts.forEach((part, index) => {
    if (part === '') {
      throw location(56, `The update path '${path}' contains an empty field name, which is not allowed.`);
    }
    const isOperator = part === POSITIONAL || /^\$\[.*\]$/.test(part);
    if (isOperator && index === 0) {
      throw location(2, `Cannot have positional (i.e. '$') element in the first position in path '${path}'`);
    }
    if (part.startsWith('$') && !isOperator && !isReferencePart(part)) {
      throw location(52, `The dollar ($) prefixed field '${part}' in '${path}' is not valid for storage.`);
    }
  });
  if (parts.filter((part) => part === POSITIONAL).length > 1) {
    throw location(2, `Too many positional (i.e. '$') elements found in path '${path}'`);
  }
}

function isReferencePart(part: string): boolean {
  return part === '$ref' || part === '$id' || part === '$db';
}

export function isPositional(path: string): boolean {
  return path.includes(POSITIONAL) && path.split('.').includes(POSITIONAL);
}

/** `a.$.b` with the index that the query matched. */
export function atMatchedIndex(path: string, index: number): string {
  return path
    .split('.')
    .map((part) => (part === POSITIONAL ? String(index) : part))
    .join('.');
}

/** Identifiers of `$[identifier]` in a path. */
export function identifiersIn(path: string): string[] {
  if (!path.includes('$[')) return [];
  return path.split('.').flatMap((part) => /^\$\[(.+)\]$/.exec(part)?.[1] ?? []);
}
