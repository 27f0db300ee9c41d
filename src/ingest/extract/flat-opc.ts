import { decodeText } from './decode-text.js';
import { docxText } from './docx.js';
import type { ExtractedFile } from './extracted-file.js';

const PART = /<pkg:part\s[^>]*pkg:name="\/([^"]+)"[^>]*>\s*<pkg:xmlData[^>]*>([\s\S]*?)<\/pkg:xmlData>\s*<\/pkg:part>/g;

/** A Word document as one XML file: the same parts that a DOCX has in its archive. */
export async function extractFlatOpc(bytes: Uint8Array): Promise<ExtractedFile> {
  const parts: Record<string, Uint8Array> = {};
  for (const [, name, xml] of decodeText(bytes).matchAll(PART)) parts[name!] = Buffer.from(xml!);
  return docxText({ '[Content_Types].xml': Buffer.from(CONTENT_TYPES), ...parts });
}

/** The one part that the flat form leaves out. */
const CONTENT_TYPES = `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/></Types>`;
