import { extname } from 'node:path';
import { TEXT_TYPES } from '../../src/ingest/extract/text-types.js';

const OOXML = 'application/vnd.openxmlformats-officedocument';

/** Kinds of files that the server reads beside texts. Others are passed over in folders. */
const FILE_TYPES: Readonly<Record<string, string>> = {
  docx: `${OOXML}.wordprocessingml.document`,
  pdf: 'application/pdf',
};

const MEDIA_TYPES: Readonly<Record<string, string>> = { ...TEXT_TYPES, ...FILE_TYPES };

export const KNOWN_EXTENSIONS = Object.keys(MEDIA_TYPES).map((extension) => `.${extension}`);

/** By the name's extension; null for a kind that is not read. The server looks at the bytes and has the last word. */
export function mediaTypeOf(path: string): string | null {
  const extension = extname(path).slice(1).toLowerCase();
  return Object.hasOwn(MEDIA_TYPES, extension) ? (MEDIA_TYPES[extension] as string) : null;
}
