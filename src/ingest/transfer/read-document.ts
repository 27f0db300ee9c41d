import { createHash } from 'node:crypto';
import { Refusal } from '../../errors.js';
import { checkLanguage, checkMediaType, checkSourceUri, checkTitle } from '../../store/check-attributes.js';
import { checkMetadata } from '../../store/check-metadata.js';
import type { Chunking, Metadata, NewChunk } from '../../store/records.js';
import { canonicalText, MAX_TEXT_BYTES } from '../canonical-text.js';
import { MAX_CHUNKS } from '../cut-text.js';
import { resolveChunking, sameChunking } from '../resolve-chunking.js';
import { decodeVector, MAX_LINE_BYTES } from './export-format.js';
import {
  BadLine,
  CHUNK,
  type ChunkFields,
  DOCUMENT,
  type DocumentFields,
  type ExportedSpace,
  fieldsOf,
  TEXT,
} from './line-shapes.js';
import { type Line, readLines } from './read-lines.js';
import { parseLine } from './receive-items.js';
import { vectorProblem } from './vector-problem.js';

/** A document as its exporter stored it. */
export interface ExportedDocument {
  readonly title: string;
  readonly text: string;
  readonly contentHash: string;
  readonly mediaType: string;
  readonly language: string | null;
  readonly languageGiven: boolean;
  readonly sourceUri: string | null;
  readonly agentIds: readonly string[];
  readonly metadata: Metadata;
  readonly chunking: Chunking;
  readonly chunks: readonly NewChunk[];
  /** By `embedHash`, in the file's space; chunks that had none there are missing. */
  readonly vectors: ReadonlyMap<string, Float32Array>;
}

/**
 * Reads the lines of one document and checks all that would otherwise be believed for ever: attributes as an upsert checks
 * them, the text against its hash, spans, parents, vectors. `firstLine` numbers them for messages. Throws `Refusal`
 * INVALID or TOO_LARGE that names the line.
 */
export async function readDocument(
  bytes: Buffer,
  options: { readonly firstLine: number; readonly space: ExportedSpace },
): Promise<ExportedDocument> {
  try {
    return await read(bytes, options);
  } catch (error) {
    if (error instanceof BadLine) throw new Refusal('INVALID', error.message, null, { cause: error });
    if (error instanceof Refusal)
      throw new Refusal(error.code, `Line ${options.firstLine}: ${error.message}`, null, { cause: error });
    throw error;
  }
}

async function read(
  bytes: Buffer,
  { firstLine, space }: { readonly firstLine: number; readonly space: ExportedSpace },
): Promise<ExportedDocument> {
  const lines = numberedFrom(firstLine, readLines([bytes], MAX_LINE_BYTES));
  const parts: string[] = [];
  let textBytes = 0;
  let fields: DocumentFields | null = null;
  let text: string | null = null;
  const chunks: NewChunk[] = [];
  const vectors = new Map<string, Float32Array>();
  for await (const line of lines) {
    const parsed = parseLine(line);
    const at = line.number;
    if (parsed.kind === 'document' && fields === null) fields = fieldsOf(DOCUMENT, parsed.fields, at);
    else if (parsed.kind === 'text' && fields !== null && text === null) {
      const part = fieldsOf(TEXT, parsed.fields, at).text;
      textBytes += Buffer.byteLength(part);
      if (textBytes > MAX_TEXT_BYTES)
        throw new Refusal('TOO_LARGE', `The text takes more than ${MAX_TEXT_BYTES} bytes as UTF-8`);
      parts.push(part);
    } else if (parsed.kind === 'chunk' && fields !== null) {
      text ??= checkedText(parts.join(''), fields, firstLine);
      const chunk = fieldsOf(CHUNK, parsed.fields, at);
      if (chunks.length >= MAX_CHUNKS)
        throw new Refusal('TOO_LARGE', `A document may have at most ${MAX_CHUNKS} chunks`);
      chunks.push(chunkOf(chunk, text, fields.language, at));
      if (chunk.vector !== null && !vectors.has(chunk.embedHash))
        vectors.set(chunk.embedHash, vectorOf(chunk.vector, space, at));
    } else throw new BadLine(at, `a line "${parsed.kind}" in the wrong place`);
  }
  if (fields === null) throw new BadLine(firstLine, 'expected a document');
  text ??= checkedText(parts.join(''), fields, firstLine);
  if (chunks.length !== fields.chunks)
    throw new BadLine(firstLine, `the document had ${fields.chunks} chunks, ${chunks.length} follow`);
  return { ...attributesOf(fields, firstLine), text, contentHash: fields.contentHash, chunks, vectors };
}

async function* numberedFrom(first: number, lines: AsyncGenerator<Line>): AsyncGenerator<Line> {
  for await (const { bytes, number } of lines) yield { bytes, number: number + first - 1 };
}

function checkedText(text: string, { textLength, contentHash }: DocumentFields, line: number): string {
  if (canonicalText(text) !== text) throw new BadLine(line, 'the text is not in the form in which texts are stored');
  if (text.length !== textLength)
    throw new BadLine(line, `the text had ${textLength} UTF-16 code units, ${text.length} follow`);
  if (createHash('sha256').update(text).digest('hex') !== contentHash)
    throw new BadLine(line, 'the text is not the one of its contentHash');
  return text;
}

function chunkOf(fields: ChunkFields, text: string, language: string | null, line: number): NewChunk {
  const { start, end, parentStart, parentEnd, vector: _vector, embedPrefix, ...rest } = fields;
  if (start >= end || end > text.length)
    throw new BadLine(line, `the span ${start} to ${end} is not one of a text of ${text.length} code units`);
  if ((parentStart === null) !== (parentEnd === null)) throw new BadLine(line, 'half a parent span');
  if (
    parentStart !== null &&
    parentEnd !== null &&
    !(parentStart <= start && end <= parentEnd && parentEnd <= text.length)
  )
    throw new BadLine(line, `the parent span ${parentStart} to ${parentEnd} does not hold the chunk's`);
  const own = text.slice(start, end);
  // Stored as UTF-8, half a character would come back as another one.
  if (!own.isWellFormed()) throw new BadLine(line, 'the span cuts a surrogate pair');
  return {
    ...rest,
    start,
    end,
    parentStart,
    parentEnd,
    headings: rest.headings.map((heading) => heading.toWellFormed()),
    language,
    text: own,
    ...(embedPrefix && { embedPrefix: embedPrefix.toWellFormed() }),
  };
}

function vectorOf(base64: string, space: ExportedSpace, line: number): Float32Array {
  const vector = decodeVector(base64, space.dimensions);
  if (vector === null)
    throw new BadLine(
      line,
      `expected a vector of ${space.dimensions} float32 numbers as base64 (${space.dimensions * 4} bytes)`,
    );
  const problem = vectorProblem(vector, space);
  if (problem !== null) throw new BadLine(line, problem);
  return vector;
}

function attributesOf(
  fields: DocumentFields,
  line: number,
): Omit<ExportedDocument, 'text' | 'contentHash' | 'chunks' | 'vectors'> {
  const { language, languageGiven, sourceUri } = fields;
  // Whatever the model of the space takes: sizes are checked against each other only.
  const chunking = resolveChunking(fields.chunking, Number.MAX_SAFE_INTEGER);
  if (!sameChunking(chunking, fields.chunking as Chunking))
    throw new BadLine(line, 'the chunking is not a complete one');
  return {
    title: checkTitle(fields.title),
    mediaType: checkMediaType(fields.mediaType),
    language: language === null ? null : checkLanguage(language),
    languageGiven,
    sourceUri: sourceUri === null ? null : checkSourceUri(sourceUri),
    agentIds: fields.agentIds,
    metadata: checkMetadata(fields.metadata),
    chunking,
  };
}
