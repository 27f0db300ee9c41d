import { DamagedIndex } from './damaged-index.js';

/**
 * Named typed arrays in one file: a header of JSON that says where each lies, then the arrays at multiples of eight bytes, so
 * that they can be viewed in place.
 */
const TYPES = { u8: Uint8Array, u32: Uint32Array, i32: Int32Array, f64: Float64Array } as const;
type SectionType = keyof typeof TYPES;
export type SectionArray = Uint8Array | Uint32Array | Int32Array | Float64Array;
export type Sections = Readonly<Record<string, SectionArray>>;

const PREFIX_BYTES = 8;
const ALIGNMENT = 8;

export function encodeSections(sections: Sections): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  const entries: [name: string, type: SectionType, offset: number, length: number][] = [];
  let offset = 0;
  for (const [name, array] of Object.entries(sections)) {
    entries.push([name, typeOf(array), offset, array.length]);
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    const padding = aligned(bytes.length) - bytes.length;
    chunks.push(bytes, new Uint8Array(padding));
    offset += bytes.length + padding;
  }
  const header = Buffer.from(JSON.stringify(entries));
  const start = new Uint8Array(aligned(PREFIX_BYTES + header.length));
  new DataView(start.buffer).setUint32(0, header.length, true);
  start.set(header, PREFIX_BYTES);
  return [start, ...chunks];
}

/** Views over `buffer`, which is the content of a whole, verified file. */
export function decodeSections(buffer: ArrayBuffer): Map<string, SectionArray> {
  const headerLength = new DataView(buffer).getUint32(0, true);
  const header = Buffer.from(buffer, PREFIX_BYTES, headerLength).toString();
  const start = aligned(PREFIX_BYTES + headerLength);
  const entries = JSON.parse(header) as [string, SectionType, number, number][];
  return new Map(
    entries.map(([name, type, offset, length]) => [name, new TYPES[type](buffer, start + offset, length)]),
  );
}

export function section<T extends SectionArray>(
  sections: ReadonlyMap<string, SectionArray>,
  name: string,
  type: new (...args: never[]) => T,
): T {
  const found = sections.get(name);
  if (found instanceof type) return found;
  throw new DamagedIndex(`section ${name} is missing`);
}

function typeOf(array: SectionArray): SectionType {
  const found = (Object.keys(TYPES) as SectionType[]).find((type) => array instanceof TYPES[type]);
  if (found === undefined) throw new Error('Expected one of the section types');
  return found;
}

function aligned(length: number): number {
  return Math.ceil(length / ALIGNMENT) * ALIGNMENT;
}
