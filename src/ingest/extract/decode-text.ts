import chardet from 'chardet';
import iconv from 'iconv-lite';
import { unreadable } from './extracted-file.js';

/**
 * Bytes of a text file as a string: by its byte-order mark, by what it declares of itself, as UTF-8 where that fits, else
 * by what its bytes look like. Throws NotExtractable when none of these gives text.
 */
export function decodeText(bytes: Uint8Array, declared: string | null = null): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const marked = byteOrderMark(buffer);
  if (marked !== null) return decodeAs(buffer, marked);
  const wide = unmarkedWide(buffer);
  if (wide !== null) return decodeAs(buffer, wide);
  const utf8 = asUtf8(buffer);
  if (utf8 !== null && isText(utf8.slice(0, SAMPLE_BYTES))) return utf8;
  if (declared !== null && iconv.encodingExists(declared)) return decodeAs(buffer, declared);
  return decodeAs(buffer, detect(buffer));
}

const MARKS: readonly (readonly [encoding: string, bytes: readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-32le', [0xff, 0xfe, 0, 0]],
  ['utf-32be', [0, 0, 0xfe, 0xff]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

function byteOrderMark(bytes: Buffer): string | null {
  return MARKS.find(([, mark]) => mark.every((byte, i) => bytes[i] === byte))?.[0] ?? null;
}

/** Looked at for detection; a text shows what it is at its beginning. */
const SAMPLE_BYTES = 64 * 1024;

/** The beginning of a file as text, as well as it can be told; what is not text comes out as noise. */
export function decodeSample(bytes: Uint8Array): string {
  const sample = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, SNIFFED_BYTES));
  const wide = byteOrderMark(sample) ?? unmarkedWide(sample);
  return wide === null ? sample.toString('latin1') : decodeAs(sample, wide);
}

const SNIFFED_BYTES = 4096;

/** Share of the characters that has to be below U+0100: spaces, digits, line ends. */
const MIN_NARROW = 0.01;

/** UTF-16 without a mark: some bytes are zero, always on the same side, and the rest is text when it is read so. */
function unmarkedWide(bytes: Buffer): string | null {
  const sample = bytes.subarray(0, SAMPLE_BYTES & ~1);
  const zeros = [0, 0];
  for (let i = 0; i < sample.length; i++) if (sample[i] === 0) zeros[i % 2]!++;
  const least = (sample.length / 2) * MIN_NARROW;
  const [first, second] = zeros as [number, number];
  const isFew = (few: number, many: number) => many > least && few < many * 0.05;
  if (isFew(first, second) && isText(decodeAs(sample, 'utf-16le'))) return 'utf-16le';
  if (isFew(second, first) && isText(decodeAs(sample, 'utf-16be'))) return 'utf-16be';
  return null;
}

function asUtf8(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // another encoding, then
    return null;
  }
}

/** Encodings that the detector names but that fit nearly anything: the ones seen in practice are tried before them. */
const LAST_RESORT = 'windows-1252';

function detect(bytes: Buffer): string {
  const guesses = chardet.analyse(bytes.subarray(0, SAMPLE_BYTES)).filter(({ name }) => iconv.encodingExists(name));
  for (const { name } of guesses) if (isText(decodeAs(bytes.subarray(0, SAMPLE_BYTES), name))) return name;
  const text = decodeAs(bytes.subarray(0, SAMPLE_BYTES), LAST_RESORT);
  if (isText(text)) return LAST_RESORT;
  throw unreadable('encoding');
}

const MAX_ODD_SHARE = 0.01;
/** Begins a colour on a terminal: logs are full of them, and texts. */
const ESCAPE = '\u001b';
/** In a short text, too. */
const MAX_ODD = 2;

/** Hardly any control or replacement characters: bytes of another kind are full of them. */
function isText(text: string): boolean {
  const odd = text.replaceAll(ESCAPE, '').match(/[^\P{Cc}\s]|\ufffd/gu)?.length ?? 0;
  return odd <= MAX_ODD + text.length * MAX_ODD_SHARE;
}

function decodeAs(bytes: Buffer, encoding: string): string {
  return iconv.decode(bytes, encoding, { stripBOM: true });
}
