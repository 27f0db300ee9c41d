import { createCipheriv, createDecipheriv, createHash, createHmac } from 'node:crypto';

/**
 * Opaque, tamper-proof tokens for cursors. A token is bound to the listing it was made for (owner, kind, filter, order):
 * it opens for no other, and a token with one byte changed opens nowhere.
 */
export interface Sealer {
  seal(listing: string, position: unknown): string;
  /** undefined: not a token of this listing. */
  open(listing: string, token: string): unknown;
}

export const SEALING_KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Longer tokens are refused unread. */
const MAX_TOKEN_LENGTH = 8_192;

/**
 * AES-256-GCM, the listing's hash as additional data. The nonce is a keyed hash of all that is sealed (as in RFC 8452's
 * synthetic nonces), so one position always has one cursor and no nonce ever serves two messages.
 */
export function createSealer(key: Uint8Array): Sealer {
  if (key.length !== SEALING_KEY_BYTES) throw new TypeError(`Expected a key of 32 bytes, got ${key.length}`);
  const encryptionKey = createHmac('sha256', key).update('cursor encryption').digest();
  const nonceKey = createHmac('sha256', key).update('cursor nonce').digest();

  return {
    seal(listing, position) {
      const plain = Buffer.from(JSON.stringify(position));
      const bound = bindingOf(listing);
      const iv = createHmac('sha256', nonceKey).update(bound).update(plain).digest().subarray(0, IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', encryptionKey, iv).setAAD(bound);
      const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
    },
    open(listing, token) {
      if (token.length > MAX_TOKEN_LENGTH || !/^[\w-]+$/.test(token)) return undefined;
      const bytes = Buffer.from(token, 'base64url');
      // One byte string has several base64url spellings (unused last bits): only the one we wrote is ours.
      if (bytes.length <= IV_BYTES + TAG_BYTES || bytes.toString('base64url') !== token) return undefined;
      const decipher = createDecipheriv('aes-256-gcm', encryptionKey, bytes.subarray(0, IV_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(bindingOf(listing));
      decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      try {
        const plain = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
        return JSON.parse(plain.toString());
      } catch {
        // The tag does not fit: forged, damaged, or a token of another listing.
        return undefined;
      }
    },
  };
}

function bindingOf(listing: string): Buffer {
  return createHash('sha256').update(listing).digest();
}
