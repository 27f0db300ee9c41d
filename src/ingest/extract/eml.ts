import { decodeText } from './decode-text.js';
import type { ExtractedFile } from './extracted-file.js';
import { htmlText } from './html.js';
import { type MimePart, mimePart } from './mime.js';

const SHOWN = ['From', 'To', 'Cc', 'Date'] as const;

/** A mail as text: subject, who wrote to whom and when, and what was written; attachments are named in a warning. */
export function extractEml(bytes: Uint8Array): ExtractedFile {
  // the envelope of a mail is ASCII; one that was saved as something wider is brought back first
  const isWide = bytes[0] === 0xff || bytes[0] === 0xfe || bytes[0] === 0 || bytes[1] === 0;
  const source = isWide
    ? Buffer.from(decodeText(bytes))
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const mail = mimePart(source);
  const body = bodyOf(mail);
  const subject = mail.header('subject');
  const envelope = SHOWN.flatMap((name) => (mail.header(name) === '' ? [] : [`${name}: ${mail.header(name)}`]));
  const text = [subject === '' ? '' : `# ${subject}`, envelope.join('\n'), body.text].filter((part) => part !== '');
  const attached = countAttachments(mail);
  const warnings =
    attached === 0 ? [] : [`${attached} attached ${attached === 1 ? 'file was' : 'files were'} left out`];
  return {
    text: text.join('\n\n'),
    mediaType: 'message/rfc822',
    pageStarts: null,
    warnings: [...body.warnings, ...warnings],
  };
}

/** The plain version where there is one, else the page. */
function bodyOf(mail: MimePart): { readonly text: string; readonly warnings: readonly string[] } {
  const plain = textsOf(mail, 'text/plain');
  if (plain.length > 0) return { text: plain.join('\n\n').trim(), warnings: [] };
  const pages = textsOf(mail, 'text/html').map(htmlText);
  return { text: pages.map(({ text }) => text).join('\n\n'), warnings: pages.flatMap(({ warnings }) => warnings) };
}

function textsOf(part: MimePart, type: string): string[] {
  if (part.parts.length > 0) return part.parts.flatMap((one) => textsOf(one, type));
  if (part.type !== type || part.isAttachment) return [];
  return [decodeText(part.content(), part.charset)];
}

function countAttachments(part: MimePart): number {
  if (part.parts.length > 0) return part.parts.reduce((sum, one) => sum + countAttachments(one), 0);
  return part.isAttachment || !/^text\/(plain|html)$/.test(part.type) ? 1 : 0;
}
