import { createHash, type Hash } from 'node:crypto';
import type { WholeChunk } from '../../store/read-whole.js';
import type { DocumentRecord, SpaceRecord } from '../../store/records.js';

/**
 * The file that `GET /export` writes and `POST /import` reads: UTF-8, one JSON object per line, its `kind` first.
 *
 *     header
 *     document  text*  chunk*  (end | discard)      once per document
 *     …
 *     checksum
 *
 * A document is spread over lines because one may hold hundreds of megabytes of text and vectors. Its `end` line carries the
 * SHA-256 of its lines before; the last line that of everything before it, and how many documents there are: a file
 * without it was cut. `discard` takes back the document's lines before it: it moved while it was read, and follows anew.
 * Every hash counts a line with one line feed.
 *
 * A chunk has no text of its own, it is the document's text from `start` to `end` in UTF-16 code units; `embedPrefix` is what
 * the model was given before it, `embedHash` the SHA-256 of both. Vectors are those of the header's `space`: float32,
 * little-endian, base64. There are no ids and no owner: they are the importer's.
 */
export const FORMAT = 'gazetteer-export';
export const FORMAT_VERSION = 1;

export const LINE_KINDS = ['header', 'document', 'text', 'chunk', 'end', 'discard', 'checksum'] as const;
export type LineKind = (typeof LINE_KINDS)[number];

/** A text part has at most a MiB, of which JSON may make six; a vector of 8 192 dimensions has 44 KB. */
export const MAX_LINE_BYTES = 8 * 1024 * 1024;

export function headerLine(space: SpaceRecord, spaces: readonly SpaceRecord[], exportedAt: Date): string {
  return line('header', {
    format: FORMAT,
    version: FORMAT_VERSION,
    exportedAt: exportedAt.toISOString(),
    space: space.id,
    spaces: spaces.map(({ id, provider, model, dimensions, similarity, maxInputTokens, languages, state }) => ({
      id,
      provider,
      model,
      dimensions,
      similarity,
      maxInputTokens,
      languages,
      state,
    })),
  });
}

export function documentLine(document: DocumentRecord): string {
  const { title, mediaType, language, languageGiven, sourceUri, agentIds, metadata, chunking } = document;
  return line('document', {
    title,
    mediaType,
    language,
    languageGiven,
    sourceUri,
    agentIds,
    metadata,
    chunking,
    contentHash: document.contentHash,
    textLength: document.textLength,
    chunks: document.chunkCount,
  });
}

export function textLine(text: string): string {
  return line('text', { text });
}

export function chunkLine({ vector, ...chunk }: WholeChunk): string {
  return line('chunk', { ...chunk, vector: vector && encodeVector(vector) });
}

export function endLine(sha256: string): string {
  return line('end', { sha256 });
}

export const DISCARD_LINE = line('discard', {});

export function checksumLine(counts: { documents: number; chunks: number }, sha256: string): string {
  return line('checksum', { ...counts, sha256 });
}

function line(kind: LineKind, fields: object): string {
  return JSON.stringify({ kind, ...fields });
}

/** SHA-256 over lines, each with one line feed. */
export class LineHash {
  #hash: Hash = createHash('sha256');

  add(line: string | Uint8Array): void {
    this.#hash.update(line).update('\n');
  }

  hex(): string {
    return this.#hash.digest('hex');
  }
}

function encodeVector({ buffer, byteOffset, byteLength }: Float32Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}

/** Null for what is not base64 in its one spelling, or not of `dimensions` numbers. */
export function decodeVector(base64: string, dimensions: number): Float32Array | null {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length !== dimensions * Float32Array.BYTES_PER_ELEMENT || bytes.toString('base64') !== base64) return null;
  const vector = new Float32Array(dimensions);
  bytes.copy(Buffer.from(vector.buffer));
  return vector;
}
