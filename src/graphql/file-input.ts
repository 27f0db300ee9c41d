import { Refusal } from '../errors.js';
import type { FileInput } from './schema.generated.js';

/** Strict: `Buffer.from` skips what is not base64, which would store something else than was sent. */
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** The bytes of a file carried in the request. Throws `Refusal` INVALID for what is not standard base64. */
export function fileBytes({ name, base64 }: FileInput): { name: string; bytes: Uint8Array } {
  if (base64.length % 4 !== 0 || !BASE64.test(base64))
    throw new Refusal('INVALID', 'Expected standard base64 (RFC 4648) with padding and without line breaks', [
      'input',
      'file',
      'base64',
    ]);
  return { name, bytes: Buffer.from(base64, 'base64') };
}
