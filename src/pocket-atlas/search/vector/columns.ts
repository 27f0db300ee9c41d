import { SealedPostings } from '../filter/sealed-postings.js';
import { decodeSections, type SectionArray, type Sections, section } from './sections.js';

/** All of a sealed segment but its codes, vectors and graph: the file `columns`. */
export interface Columns {
  /** Ascending. */
  readonly recordIds: Float64Array;
  /** `scalarsPerRow` numbers per row, as the codec left them. */
  readonly scalars: Float64Array;
  /** CRC-32 of each row of the file `vectors`; empty when there is none. */
  readonly checksums: Uint32Array;
  /** In the order of the lane's filter paths. */
  readonly postings: readonly SealedPostings[];
}

export function columnSections({ recordIds, scalars, checksums, postings }: Columns): Sections {
  const fields = postings.flatMap(({ sections }, field) =>
    Object.entries(sections).map(([name, array]) => [`${field}.${name}`, array as SectionArray]),
  );
  return { recordIds, scalars, checksums, ...Object.fromEntries(fields) };
}

export function readColumns(file: ArrayBuffer, fieldCount: number): Columns {
  const sections = decodeSections(file);
  const postings = Array.from({ length: fieldCount }, (_, field) => {
    const u32 = (name: string) => section(sections, `${field}.${name}`, Uint32Array);
    return new SealedPostings({
      keyBytes: section(sections, `${field}.keyBytes`, Uint8Array),
      keyEnds: u32('keyEnds'),
      rowEnds: u32('rowEnds'),
      rows: u32('rows'),
      existing: u32('existing'),
    });
  });
  return {
    recordIds: section(sections, 'recordIds', Float64Array),
    scalars: section(sections, 'scalars', Float64Array),
    checksums: section(sections, 'checksums', Uint32Array),
    postings,
  };
}
