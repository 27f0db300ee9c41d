import { crc32 } from 'node:zlib';
import { CommandError } from '../errors.js';

/**
 * LMDB has no checksums: a flipped bit would be served as data. Every stored value begins with the CRC-32 of its key and
 * its bytes. CRC-32 and not CRC-32C: Node computes the former natively (`zlib.crc32`, from 20.15) and has none of the
 * latter; for errors in what a disk returns both find every burst of up to 32 bits, and miss others once in 2^32.
 */
export const CHECKSUM_BYTES = 4;

/** The value to store: its checksum, then its bytes. */
export function seal(key: Uint8Array, bytes: Uint8Array): Uint8Array {
  const value = Buffer.allocUnsafeSlow(CHECKSUM_BYTES + bytes.length);
  value.writeUInt32LE(bytes.length === 0 ? crc32(key) : crc32(bytes, crc32(key)), 0);
  value.set(bytes, CHECKSUM_BYTES);
  return value;
}

/** Whether a stored value is whole. */
export function isSealed(key: Uint8Array, value: Uint8Array): boolean {
  return wholeBytes(key, value) !== undefined;
}

/**
 * The bytes of a stored value, without a copy.
 *
 * @throws CommandError 1 InternalError naming `what` when the checksum does not match.
 */
export function unseal(key: Uint8Array, value: Uint8Array, what: () => string): Uint8Array {
  const bytes = wholeBytes(key, value);
  if (bytes === undefined) throw damaged(what());
  return bytes;
}

const NO_BYTES = new Uint8Array(0);

function wholeBytes(key: Uint8Array, value: Uint8Array): Uint8Array | undefined {
  if (value.length < CHECKSUM_BYTES) return undefined;
  const expected = (value[0]! | (value[1]! << 8) | (value[2]! << 16) | (value[3]! << 24)) >>> 0;
  // Most index entries have no bytes: a view of none would cost as much as the check.
  const bytes = value.length === CHECKSUM_BYTES ? NO_BYTES : value.subarray(CHECKSUM_BYTES);
  const keyChecksum = crc32(key);
  return (bytes === NO_BYTES ? keyChecksum : crc32(bytes, keyChecksum)) === expected ? bytes : undefined;
}

export function damaged(what: string): CommandError {
  return new CommandError(
    1,
    `Damaged data: ${what} does not match its checksum. Restore the data directory from a copy, or salvage what is whole.`,
  );
}
