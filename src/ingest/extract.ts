import { AppError, Refusal } from '../errors.js';
import { checkMediaType } from '../store/check-attributes.js';

/** What a caller brought: a text, or a file's bytes. `mediaType` null: not named. */
export type Source =
  | { readonly kind: 'text'; readonly text: string; readonly mediaType: string }
  | { readonly kind: 'file'; readonly name: string; readonly bytes: Uint8Array; readonly mediaType: string | null };

export interface Extracted {
  readonly text: string;
  readonly mediaType: string;
  readonly warnings: readonly string[];
}

/** Turns a source into a text. Throws `Refusal` UNREADABLE or UNSUPPORTED_MEDIA_TYPE. */
export type Extract = (source: Source) => Promise<Extracted>;

const TEXT_BY_EXTENSION: Readonly<Record<string, string>> = {
  txt: 'text/plain',
  text: 'text/plain',
  log: 'text/plain',
  md: 'text/markdown',
  markdown: 'text/markdown',
  html: 'text/html',
  htm: 'text/html',
  csv: 'text/csv',
};

/** Texts as they are, and files that are UTF-8 text. Other files are `AppError` NOT_IMPLEMENTED. */
export const extractUtf8: Extract = async (source) => {
  if (source.kind === 'text') return { text: source.text, mediaType: source.mediaType, warnings: [] };
  const mediaType = source.mediaType === null ? mediaTypeOf(source.name) : checkMediaType(source.mediaType);
  if (mediaType === null || !mediaType.startsWith('text/'))
    throw new AppError('NOT_IMPLEMENTED', 'Only files of UTF-8 text, Markdown and HTML can be read yet');
  return { text: decode(source.bytes), mediaType, warnings: [] };
};

function mediaTypeOf(name: string): string | null {
  const extension = /\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(TEXT_BY_EXTENSION, extension) ? (TEXT_BY_EXTENSION[extension] as string) : null;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new Refusal('UNREADABLE', 'The file is not UTF-8 text', ['input', 'file'], { cause: error });
  }
}
