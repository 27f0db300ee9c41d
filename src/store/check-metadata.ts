import { Refusal } from '../errors.js';
import type { Metadata, MetadataScalar } from './records.js';

/** As JSON in UTF-8. */
export const MAX_METADATA_BYTES = 16 * 1024;
const MAX_SAFE_INTEGER = Number.MAX_SAFE_INTEGER;

/**
 * Checks metadata as it came from outside and returns it in the form that is stored: flat, of strings, finite numbers,
 * Booleans, null, or arrays of those; lone surrogates become U+FFFD, because UTF-8 cannot hold them. Keys named like
 * system fields are ordinary keys. Throws `Refusal` INVALID or TOO_LARGE with the path of the value at fault.
 */
export function checkMetadata(input: unknown, path: readonly string[] = ['input', 'metadata']): Metadata {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw new Refusal('INVALID', `Expected metadata to be an object, got ${kindOf(input)}`, path);
  const entries: [string, MetadataScalar | MetadataScalar[]][] = [];
  for (const [key, value] of Object.entries(input)) {
    checkKey(key, path);
    const at = [...path, key];
    entries.push([
      key.toWellFormed(),
      Array.isArray(value) ? value.map((element) => scalar(element, at)) : scalar(value, at),
    ]);
  }
  // fromEntries defines own properties, so a key such as "__proto__" stays a key.
  const metadata = Object.fromEntries(entries);
  const size = Buffer.byteLength(JSON.stringify(metadata));
  if (size > MAX_METADATA_BYTES)
    throw new Refusal(
      'TOO_LARGE',
      `Metadata takes ${size} bytes as JSON, at most ${MAX_METADATA_BYTES} are allowed`,
      path,
    );
  return metadata;
}

/** Whether two metadata say the same, whatever the order of their keys. */
export function sameMetadata(a: Metadata, b: Metadata): boolean {
  return canonical(a) === canonical(b);
}

function canonical(metadata: Metadata): string {
  return JSON.stringify(Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function checkKey(key: string, path: readonly string[]): void {
  if (key === '') throw new Refusal('INVALID', 'A metadata key is empty', path);
  if (key.startsWith('$') || /[.\0]/.test(key))
    throw new Refusal(
      'INVALID',
      `Metadata key ${JSON.stringify(key.slice(0, 100))} is not allowed: keys neither start with $ nor hold dots or NUL`,
      path,
    );
}

function scalar(value: unknown, path: readonly string[]): MetadataScalar {
  switch (typeof value) {
    case 'string':
      return value.toWellFormed();
    case 'boolean':
      return value;
    case 'number':
      if (!Number.isFinite(value)) throw new Refusal('INVALID', `Expected a finite number, got ${value}`, path);
      // Beyond this a JSON number has been rounded before it arrived here, and would answer for its neighbours.
      if (Number.isInteger(value) && Math.abs(value) > MAX_SAFE_INTEGER)
        throw new Refusal(
          'INVALID',
          `Integers are exact up to ±${MAX_SAFE_INTEGER} only; give a larger one as a string`,
          path,
        );
      return value;
    default:
      if (value === null) return null;
      throw new Refusal(
        'INVALID',
        `Metadata values are strings, numbers, Booleans, null or lists of those, got ${kindOf(value)}`,
        path,
      );
  }
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `a value of type ${typeof value}`;
}
