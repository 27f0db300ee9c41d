import { Bitmap } from '../../bitmap.js';
import { Dictionary } from './dictionary.js';
import type { ExactField, NumericField, Segment, WordsField } from './segment.js';

/**
 * A segment as one run of bytes: a JSON header that lists the arrays, then the arrays, each aligned to 8 bytes, so that
 * reading makes views and copies nothing. Deletions are not in it: they change, the segment does not.
 */
interface ArrayEntry {
  readonly at: number;
  readonly bytes: number;
}
interface Header {
  readonly format: 1;
  readonly id: number;
  readonly rowCount: number;
  readonly recordIds: ArrayEntry;
  readonly words: Record<string, { arrays: ArrayEntry[]; fieldRows: number; totalLength: number }>;
  readonly exact: Record<string, { arrays: ArrayEntry[] }>;
  readonly numeric: Record<string, { arrays: ArrayEntry[] }>;
}

const align = (length: number): number => (length + 7) & ~7;

/** The pieces of those bytes in order: together they may be too much to copy in one go. */
export function encodeSegment(segment: Segment): Uint8Array[] {
  const parts: Uint8Array[] = [];
  let at = 0;
  const put = (array: ArrayBufferView): ArrayEntry => {
    const bytes = Buffer.from(array.buffer, array.byteOffset, array.byteLength);
    const entry = { at, bytes: bytes.length };
    parts.push(bytes, Buffer.alloc(align(bytes.length) - bytes.length));
    at += align(bytes.length);
    return entry;
  };
  const exactArrays = (field: ExactField): ArrayEntry[] =>
    [field.dictionary.bytes, field.dictionary.offsets, field.postingStarts, field.rows].map(put);
  const header: Header = {
    format: 1,
    id: segment.id,
    rowCount: segment.rowCount,
    recordIds: put(segment.recordIds),
    words: fromMap(segment.words, (field) => ({
      arrays: [...exactArrays(field), ...[field.freqs, field.positionStarts, field.positions, field.lengths].map(put)],
      fieldRows: field.fieldRows,
      totalLength: field.totalLength,
    })),
    exact: fromMap(segment.exact, (field) => ({ arrays: exactArrays(field) })),
    numeric: fromMap(segment.numeric, (field) => ({ arrays: [field.values, field.rows].map(put) })),
  };
  const head = Buffer.from(JSON.stringify(header));
  const lead = Buffer.alloc(align(4 + head.length));
  lead.writeUInt32LE(head.length, 0);
  head.copy(lead, 4);
  return [lead, ...parts];
}

/** `bytes` must start at an address that is a multiple of 8, as a fresh Buffer of its own does. */
export function decodeSegment(bytes: Buffer, deleted: Uint32Array<ArrayBuffer> | null): Segment {
  const headLength = bytes.readUInt32LE(0);
  const header = JSON.parse(bytes.toString('utf8', 4, 4 + headLength)) as Header;
  const base = bytes.byteOffset + align(4 + headLength);
  const u32 = ({ at, bytes: n }: ArrayEntry): Uint32Array => new Uint32Array(bytes.buffer, base + at, n / 4);
  const u16 = ({ at, bytes: n }: ArrayEntry): Uint16Array => new Uint16Array(bytes.buffer, base + at, n / 2);
  const u8 = ({ at, bytes: n }: ArrayEntry): Buffer => Buffer.from(bytes.buffer, base + at, n);
  const f64 = ({ at, bytes: n }: ArrayEntry): Float64Array => new Float64Array(bytes.buffer, base + at, n / 8);
  const exactField = (arrays: readonly ArrayEntry[]): ExactField => ({
    dictionary: new Dictionary(u8(arrays[0]!), u32(arrays[1]!)),
    postingStarts: u32(arrays[2]!),
    rows: u32(arrays[3]!),
  });
  return {
    id: header.id,
    rowCount: header.rowCount,
    recordIds: f64(header.recordIds),
    deleted: new Bitmap(header.rowCount, deleted ?? undefined),
    words: toMap(
      header.words,
      ({ arrays, fieldRows, totalLength }): WordsField => ({
        ...exactField(arrays),
        freqs: u16(arrays[4]!),
        positionStarts: u32(arrays[5]!),
        positions: u8(arrays[6]!),
        lengths: u32(arrays[7]!),
        fieldRows,
        totalLength,
      }),
    ),
    exact: toMap(header.exact, ({ arrays }) => exactField(arrays)),
    numeric: toMap(header.numeric, ({ arrays }): NumericField => ({ values: f64(arrays[0]!), rows: u32(arrays[1]!) })),
  };
}

function fromMap<A, B>(map: ReadonlyMap<string, A>, convert: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Array.from(map, ([key, value]) => [key, convert(value)]));
}

function toMap<A, B>(record: Readonly<Record<string, A>>, convert: (value: A) => B): Map<string, B> {
  return new Map(Object.entries(record).map(([key, value]) => [key, convert(value)]));
}
