import type { UpsertInput } from '../ingest.js';

/** What an INGEST item is run with: an upsert's input as JSON, and behind it the bytes of its file. */
export function encodeIngest({ file, ...rest }: UpsertInput): Uint8Array {
  const json = Buffer.from(
    JSON.stringify({ ...rest, ...(file !== undefined && { file: file && { name: file.name } }) }),
  );
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(json.length);
  return Buffer.concat([length, json, file?.bytes ?? new Uint8Array()]);
}

/** The file's bytes are given away: the payload is read for this once. */
export function decodeIngest(payload: Buffer): UpsertInput {
  const end = LENGTH_BYTES + payload.readUInt32LE();
  const { file, ...rest } = JSON.parse(payload.toString('utf8', LENGTH_BYTES, end)) as UpsertInput;
  if (file === undefined) return rest;
  return { ...rest, file: file && { name: file.name, bytes: payload.subarray(end), isGivenAway: true } };
}

const LENGTH_BYTES = 4;
