import { decodeSample } from './decode-text.js';
import { TEXT_TYPES } from './text-types.js';
import { isZip, zipNames, zipParts } from './zip-parts.js';

/** How a file is to be read. */
export type Kind = 'pdf' | 'docx' | 'flat-opc' | 'pptx' | 'odt' | 'epub' | 'rtf' | 'eml' | 'html' | 'text';

/** What a file is: a way to read it with its media type, or a kind that is not read, by its name for people. */
export type Sniffed = { readonly kind: Kind; readonly mediaType: string } | { readonly unsupported: string };

const OOXML = 'application/vnd.openxmlformats-officedocument';
export const DOCX_TYPE = `${OOXML}.wordprocessingml.document`;

/** Beginnings that no text has. */
const SIGNATURES: readonly (readonly [bytes: string, what: Sniffed])[] = [
  ['{\\rtf', { kind: 'rtf', mediaType: 'application/rtf' }],
  ['\x89PNG', { unsupported: 'a PNG picture' }],
  ['\xff\xd8\xff', { unsupported: 'a JPEG picture' }],
  ['GIF8', { unsupported: 'a GIF picture' }],
  ['II*\0', { unsupported: 'a TIFF picture' }],
  ['MM\0*', { unsupported: 'a TIFF picture' }],
  ['RIFF', { unsupported: 'a RIFF container (WebP, WAV or AVI)' }],
  ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', { unsupported: 'a file of Office before 2007: save it as DOCX or PDF' }],
  ['\x1f\x8b', { unsupported: 'a gzip archive' }],
  ['BZh', { unsupported: 'a bzip2 archive' }],
  ['7z\xbc\xaf\x27\x1c', { unsupported: 'a 7z archive' }],
  ['Rar!', { unsupported: 'a RAR archive' }],
  ['\xfd7zXZ\0', { unsupported: 'an xz archive' }],
  ['\x28\xb5\x2f\xfd', { unsupported: 'a Zstandard archive' }],
  ['\x7fELF', { unsupported: 'a program' }],
  ['MZ\x90', { unsupported: 'a program' }],
  ['\0asm', { unsupported: 'a WebAssembly module' }],
  ['SQLite format 3\0', { unsupported: 'an SQLite database' }],
  ['ID3', { unsupported: 'an MP3 recording' }],
  ['OggS', { unsupported: 'an Ogg recording' }],
  ['fLaC', { unsupported: 'a FLAC recording' }],
  ['%!PS', { unsupported: 'a PostScript program' }],
];

/** Where a PDF may begin: its readers have always passed over what comes before. */
const PDF_WITHIN = 1024;

/**
 * What a file is, told by its bytes. Only among texts, which look alike, does what was declared count, and then the name.
 */
export function sniff(bytes: Uint8Array, name: string, declared: string | null): Sniffed {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, PDF_WITHIN)).toString('latin1');
  if (/^[\s\S]{0,1019}%PDF-/.test(head) && !head.startsWith('<')) return { kind: 'pdf', mediaType: 'application/pdf' };
  if (isZip(bytes)) return sniffZip(bytes);
  const signed = SIGNATURES.find(([beginning]) => head.startsWith(beginning));
  if (signed) return signed[1];
  if (head.slice(4, 8) === 'ftyp') return { unsupported: 'a film or a recording' };
  return sniffText(decodeSample(bytes), name, declared);
}

const ZIP_MEDIA: Readonly<Record<string, Sniffed>> = {
  'application/epub+zip': { kind: 'epub', mediaType: 'application/epub+zip' },
  'application/vnd.oasis.opendocument.text': { kind: 'odt', mediaType: 'application/vnd.oasis.opendocument.text' },
};

const ZIP_PARTS: readonly (readonly [part: RegExp, what: Sniffed])[] = [
  [/^word\/document\d*\.xml$/, { kind: 'docx', mediaType: DOCX_TYPE }],
  [/^ppt\/(presentation|slides\/slide\d+)\.xml$/, { kind: 'pptx', mediaType: `${OOXML}.presentationml.presentation` }],
  [/^xl\//, { unsupported: 'a spreadsheet: save its sheets as CSV' }],
  [/^META-INF\/container\.xml$/, ZIP_MEDIA['application/epub+zip']!],
];

function sniffZip(bytes: Uint8Array): Sniffed {
  const names = zipNames(bytes);
  if (names.includes('mimetype')) {
    const { mimetype } = zipParts(bytes, (name) => name === 'mimetype');
    const type = Buffer.from(mimetype!.subarray(0, 200)).toString('latin1').trim();
    return ZIP_MEDIA[type] ?? { unsupported: 'an OpenDocument file that is no text document' };
  }
  for (const [part, what] of ZIP_PARTS) if (names.some((name) => part.test(name))) return what;
  // Word writes the main part where its relationships say, seldom elsewhere
  if (names.includes('[Content_Types].xml') && names.some((name) => name.startsWith('word/')))
    return { kind: 'docx', mediaType: DOCX_TYPE };
  return { unsupported: 'a ZIP archive: unpack it first' };
}

const TEXTUAL = /^(text\/|message\/rfc822$|application\/(.*\+)?(json|xml|yaml|toml|sql|graphql|x-ndjson|javascript)$)/;
const HTML_TYPES = new Set(['text/html', 'application/xhtml+xml']);
const HTML_START = /^\s*(<\?xml[^>]*>\s*)?(<!--[\s\S]{0,2000}?-->\s*)*<(!doctype\s+html|html)[\s>]/i;
const FLAT_OPC_START = /^\s*<\?xml[^>]*>\s*(<\?mso-application[^>]*>\s*)?<pkg:package\s/;
/** Enough of these at the very beginning, and nothing but headers before the first empty line, make a mail. */
const MAIL_HEADER = /^(From|To|Subject|Date|Message-ID|MIME-Version|Received|Return-Path|Delivered-To|Content-Type):/i;
const MIN_MAIL_HEADERS = 3;

function sniffText(sample: string, name: string, declared: string | null): Sniffed {
  if (FLAT_OPC_START.test(sample) && sample.includes('wordprocessingml'))
    return { kind: 'flat-opc', mediaType: DOCX_TYPE };
  const mediaType = textType(sample, name, declared);
  if (HTML_TYPES.has(mediaType)) return { kind: 'html', mediaType: 'text/html' };
  if (mediaType === 'message/rfc822') return { kind: 'eml', mediaType };
  return { kind: 'text', mediaType };
}

function textType(sample: string, name: string, declared: string | null): string {
  if (HTML_START.test(sample)) return 'text/html';
  const named = TEXT_TYPES[/\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''];
  // text/plain is what clients say who do not know
  if (declared !== null && declared !== 'text/plain' && TEXTUAL.test(declared)) return declared;
  if (named !== undefined) return named;
  if (isMail(sample)) return 'message/rfc822';
  return 'text/plain';
}

function isMail(sample: string): boolean {
  const headers = sample.split(/\r?\n\r?\n/, 1)[0]!.split(/\r?\n/);
  return (
    headers.every((line) => /^([!-9;-~]+:|\s)/.test(line)) &&
    headers.filter((line) => MAIL_HEADER.test(line)).length >= MIN_MAIL_HEADERS
  );
}
