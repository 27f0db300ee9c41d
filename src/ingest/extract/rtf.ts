import iconv from 'iconv-lite';
import { type ExtractedFile, unreadable } from './extracted-file.js';

/** Groups that hold no text of the document. */
const LEFT_OUT = new Set(
  'fonttbl colortbl stylesheet info pict object themedata colorschememapping datastore latentstyles listtable listoverridetable rsidtbl generator xmlnstbl filetbl revtbl fldinst header headerl headerr headerf footer footerl footerr footerf bkmkstart bkmkend panose falt nonshppict pgptbl wgrffmtfilter mmathPr'.split(
    ' ',
  ),
);

/** Control words that are characters. */
const CHARACTERS: Readonly<Record<string, string>> = {
  par: '\n\n',
  sect: '\n\n',
  page: '\n\n',
  line: '\n',
  row: '\n',
  cell: ' | ',
  tab: '\t',
  emdash: '\u2014',
  endash: '\u2013',
  bullet: '\u2022',
  lquote: '\u2018',
  rquote: '\u2019',
  ldblquote: '\u201c',
  rdblquote: '\u201d',
  emspace: '\u2003',
  enspace: '\u2002',
};

/** Windows' code page of a font's character set. */
const CODE_PAGES: Readonly<Record<number, string>> = {
  0: 'cp1252',
  128: 'cp932',
  129: 'cp949',
  134: 'cp936',
  136: 'cp950',
  161: 'cp1253',
  162: 'cp1254',
  163: 'cp1258',
  177: 'cp1255',
  178: 'cp1256',
  186: 'cp1257',
  204: 'cp1251',
  222: 'cp874',
  238: 'cp1250',
};

interface Group {
  readonly isLeftOut: boolean;
  readonly isFontTable: boolean;
  /** Characters that follow a \u for readers that do not know it. */
  fallback: number;
  encoding: string;
}

const TOKEN = /\\([a-z]+)(-?\d+)? ?|\\'([0-9a-f]{2})|\\([^a-z])|([{}])|[\r\n]+|([^\\{}\r\n]+)/gi;

/** A rich text file's text: paragraphs, cells of tables, characters of any code page. */
export function extractRtf(bytes: Uint8Array): ExtractedFile {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const fonts = new Map<number, string>();
  const stack: Group[] = [];
  let group: Group = { isLeftOut: false, isFontTable: false, fallback: 1, encoding: 'cp1252' };
  let fontOfTable = 0;
  let text = '';
  let pending: number[] = [];
  let skip = 0;

  // characters of two bytes come in halves: bytes are collected until something else comes
  const flush = () => {
    if (pending.length > 0) text += iconv.decode(Buffer.from(pending), group.encoding);
    pending = [];
  };
  const say = (piece: string) => {
    if (group.isLeftOut) return;
    flush();
    text += piece;
  };
  const sayByte = (byte: number) => {
    if (skip > 0) skip--;
    else if (!group.isLeftOut) pending.push(byte);
  };
  const control = (word: string, value: number | null) => {
    if (LEFT_OUT.has(word)) group = { ...group, isLeftOut: true, isFontTable: word === 'fonttbl' };
    else if (word === 'ansicpg' && iconv.encodingExists(`cp${value}`)) group.encoding = `cp${value}`;
    else if (word === 'uc') group.fallback = value ?? 1;
    else if (word === 'bin') TOKEN.lastIndex += Math.max(0, value ?? 0);
    else if (word === 'f' && group.isFontTable) fontOfTable = value ?? 0;
    else if (word === 'fcharset' && group.isFontTable) fonts.set(fontOfTable, CODE_PAGES[value ?? 0] ?? group.encoding);
    else if (word === 'f') {
      flush();
      group.encoding = fonts.get(value ?? 0) ?? group.encoding;
    } else if (word === 'u') {
      say(String.fromCharCode((value ?? 0) & 0xffff));
      skip = group.fallback;
    } else if (Object.hasOwn(CHARACTERS, word)) say(CHARACTERS[word]!);
  };

  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(source); match !== null; match = TOKEN.exec(source)) {
    const [, word, value, hex, symbol, brace, run] = match;
    if (brace === '{') {
      flush();
      stack.push(group);
      group = { ...group };
    } else if (brace === '}') {
      flush();
      skip = 0;
      const outer = stack.pop();
      if (!outer) break;
      group = outer;
    } else if (word !== undefined) control(word, value === undefined ? null : Number(value));
    else if (hex !== undefined) sayByte(Number.parseInt(hex, 16));
    else if (symbol === '*') group = { ...group, isLeftOut: true };
    else if (symbol === '~') say('\u00a0');
    else if (symbol === '_') say('\u2011');
    else if (symbol !== undefined && '\\{}'.includes(symbol)) say(symbol);
    else if (run !== undefined) for (let i = 0; i < run.length; i++) sayByte(run.charCodeAt(i));
  }
  flush();
  // a file that ends inside its own text was cut off
  if (stack.length > 1 && text.trim() === '') throw unreadable('corrupt');
  const tidy = text
    .replace(/ \| (?=\n)/g, '')
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n');
  return { text: tidy.trim(), mediaType: 'application/rtf', pageStarts: null, warnings: [] };
}
