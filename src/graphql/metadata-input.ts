import { Refusal } from '../errors.js';
import type { Metadata } from '../store/records.js';
import type { JsonObject, JsonValue } from './scalars/json.js';

/** As JSON in UTF-8. */
export const MAX_METADATA_BYTES = 16 * 1024;

/**
 * Metadata as it arrives → metadata as it is stored: flat, exact, small. Throws `Refusal` INVALID or TOO_LARGE with the
 * path to the value at fault.
 */
export function checkedMetadata(metadata: JsonObject, path: readonly string[]): Metadata {
  for (const [key, value] of Object.entries(metadata)) checkValue(value, [...path, key]);
  const bytes = Buffer.byteLength(JSON.stringify(metadata), 'utf8');
  if (bytes > MAX_METADATA_BYTES)
    throw new Refusal('TOO_LARGE', `Metadata may have at most ${MAX_METADATA_BYTES} bytes as JSON, got ${bytes}`, path);
  return metadata as Metadata;
}

function checkValue(value: JsonValue, path: readonly string[]): void {
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) checkScalar(item, [...path, String(i)]);
  } else checkScalar(value, path);
}

function checkScalar(value: JsonValue, path: readonly string[]): void {
  if (typeof value === 'bigint')
    throw new Refusal(
      'INVALID',
      'Integers beyond ±(2^53 − 1) cannot be kept exactly: give the value as a string',
      path,
    );
  if (typeof value === 'object' && value !== null)
    throw new Refusal(
      'INVALID',
      'Metadata is flat: expected a string, number, Boolean, null or a list of those, got something nested',
      path,
    );
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new Refusal('INVALID', 'Numbers must be finite', path);
}
