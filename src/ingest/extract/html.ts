import { dataUriWarnings, withoutDataUris } from './data-uris.js';
import { decodeText } from './decode-text.js';
import type { ExtractedFile } from './extracted-file.js';
import { mainContent } from './main-content.js';
import { markdownOf } from './markdown-writer.js';
import { parsePage } from './markup.js';
import { removeInvisible } from './visible-html.js';

/** A page's main content as Markdown, without scripts, navigation and what a visitor does not see. */
export function extractHtml(bytes: Uint8Array): ExtractedFile {
  return { ...htmlText(decodeText(bytes, declaredCharset(bytes))), mediaType: 'text/html', pageStarts: null };
}

export function htmlText(html: string): { readonly text: string; readonly warnings: readonly string[] } {
  const page = parsePage(html);
  const title = (page.querySelector('title')?.textContent ?? '').replace(/\s+/g, ' ').trim();
  removeInvisible(page);
  const body = markdownOf(mainContent(page));
  const isTitled = title === '' || /^# /m.test(body);
  const { text, removed } = withoutDataUris(isTitled || body === '' ? body : `# ${title}\n\n${body}`);
  return { text, warnings: dataUriWarnings(removed) };
}

/** Browsers look no further either. */
const DECLARED_WITHIN = 4096;

function declaredCharset(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(DECLARED_WITHIN, bytes.byteLength)).toString(
    'latin1',
  );
  const declared =
    /<meta[^>]*\bcharset\s*=\s*["']?\s*([\w:.-]+)/i.exec(head) ??
    /<\?xml[^>]*\bencoding\s*=\s*["']([\w:.-]+)/i.exec(head);
  return declared?.[1]?.toLowerCase() ?? null;
}
