import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { AppError } from '../../errors.js';

/** Exports shrink to a fifth at the most; what claims more is made to fill disks. */
const MAX_RATIO = 100;
/** Small files of repeated words may have any ratio. */
const FREE_BYTES = 64 * 1024 * 1024;
/** Of a request that was refused, so that its sender gets to read the answer. */
const DISCARDED_BYTES = 64 * 1024 * 1024;

/** A request's body, unpacked where it says that it is gzip. It leaves the socket alone, which the answer needs. */
export async function* unpackedBody(raw: IncomingMessage): AsyncGenerator<Uint8Array> {
  const encoding = raw.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity' || encoding === '') yield* raw.iterator({ destroyOnReturn: false });
  else if (encoding === 'gzip' || encoding === 'x-gzip') yield* gunzipped(raw);
  else
    throw new AppError(
      'BAD_USER_INPUT',
      `Expected Content-Encoding gzip or none, got ${JSON.stringify(encoding.slice(0, 100))}`,
    );
}

/** Unpacks as fast as it is read and no faster. Throws `AppError` BAD_USER_INPUT for a stream that is cut, damaged or a bomb. */
export async function* gunzipped(source: Readable): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip();
  let packed = 0;
  let unpacked = 0;
  const count = (chunk: Buffer) => {
    packed += chunk.length;
  };
  const fail = (error: Error) => gunzip.destroy(error);
  source.on('data', count);
  source.once('error', fail);
  source.pipe(gunzip);
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      unpacked += chunk.length;
      if (unpacked > FREE_BYTES && unpacked > MAX_RATIO * packed)
        throw new AppError('BAD_USER_INPUT', `The gzip stream unpacks to more than ${MAX_RATIO} times its size`);
      yield chunk;
    }
  } catch (error) {
    if (!isZlibError(error)) throw error;
    throw new AppError('BAD_USER_INPUT', `The gzip stream is cut or damaged (${error.code})`, { cause: error });
  } finally {
    source.off('data', count);
    source.off('error', fail);
    source.unpipe(gunzip);
    gunzip.destroy();
  }
}

function isZlibError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && /^Z_/.test(String(error.code));
}

/** Lets a body that nobody wants run out, for a while: a client that is cut off in the middle never reads why. */
export function discardRest(raw: IncomingMessage): void {
  if (raw.complete || raw.destroyed) return;
  let left = DISCARDED_BYTES;
  raw.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) raw.destroy();
  });
  raw.resume();
}
