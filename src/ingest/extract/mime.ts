import iconv from 'iconv-lite';

/** A mail or a part of one (RFC 2045). */
export interface MimePart {
  /** Decoded; empty when there is none. */
  header(name: string): string;
  /** In lower case, e.g. "text/plain". */
  readonly type: string;
  readonly charset: string | null;
  readonly isAttachment: boolean;
  readonly parts: readonly MimePart[];
  content(): Uint8Array;
}

/** Mails in mails in mails; more is not read. */
const MAX_DEPTH = 20;
const MAX_PARTS = 1_000;

export function mimePart(source: Buffer, depth = 0): MimePart {
  const text = source.toString('latin1');
  const end = /\r?\n\r?\n/.exec(text);
  const headers = headersOf(end ? text.slice(0, end.index) : text);
  const body = end ? text.slice(end.index + end[0].length) : '';
  const contentType = headers.get('content-type') ?? 'text/plain';
  const type = /^\s*([\w.+-]+\/[\w.+-]+)/.exec(contentType)?.[1]?.toLowerCase() ?? 'text/plain';
  const boundary = parameter(contentType, 'boundary');
  return {
    header: (name) => decodedWords(headers.get(name.toLowerCase()) ?? ''),
    type,
    charset: parameter(contentType, 'charset'),
    isAttachment: /^\s*attachment/i.test(headers.get('content-disposition') ?? ''),
    parts:
      type.startsWith('multipart/') && boundary !== null && depth < MAX_DEPTH
        ? between(body, boundary).map((part) => mimePart(Buffer.from(part, 'latin1'), depth + 1))
        : [],
    content: () => decoded(body, headers.get('content-transfer-encoding') ?? ''),
  };
}

function headersOf(text: string): Map<string, string> {
  const headers = new Map<string, string>();
  for (const line of text.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    const at = line.indexOf(':');
    const name = line.slice(0, Math.max(at, 0)).trim().toLowerCase();
    if (at > 0 && !headers.has(name)) headers.set(name, line.slice(at + 1).trim());
  }
  return headers;
}

function parameter(header: string, name: string): string | null {
  const found = new RegExp(`;\\s*${name}\\s*=\\s*(?:"([^"]*)"|([^\\s;]+))`, 'i').exec(header);
  return found?.[1] ?? found?.[2] ?? null;
}

function between(body: string, boundary: string): string[] {
  return body
    .split(`--${boundary}`)
    .slice(1, MAX_PARTS)
    .filter((part) => !part.startsWith('--'))
    .map((part) => part.replace(/^[ \t]*\r?\n/, ''));
}

function decoded(body: string, encoding: string): Uint8Array {
  switch (encoding.trim().toLowerCase()) {
    case 'base64':
      return Buffer.from(body, 'base64');
    case 'quoted-printable':
      return Buffer.from(unquoted(body.replace(/[ \t]*=\r?\n/g, '')), 'latin1');
    default:
      return Buffer.from(body, 'latin1');
  }
}

function unquoted(text: string): string {
  return text.replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

const WORD = /=\?([\w:.-]+?)(?:\*[\w-]+)?\?([BQ])\?([^?]*)\?=/gi;

/** Words in other characters than ASCII (RFC 2047). */
function decodedWords(value: string): string {
  const raw = value.replace(/\?=\s+=\?/g, '?==?');
  const words = raw.replace(WORD, (word, charset: string, how: string, content: string) => {
    if (!iconv.encodingExists(charset)) return word;
    const bytes =
      how.toUpperCase() === 'B'
        ? Buffer.from(content, 'base64')
        : Buffer.from(unquoted(content.replaceAll('_', ' ')), 'latin1');
    return iconv.decode(bytes, charset);
  });
  // a header without an encoding is UTF-8 today, where it is that
  const utf8 = Buffer.from(words, 'latin1').toString('utf8');
  return /^[\x20-\xff]*$/.test(words) && !utf8.includes('\ufffd') ? utf8 : words;
}
