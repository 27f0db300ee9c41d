import { z } from 'zod';
import { CHUNKING_STRATEGIES } from '../../store/records.js';
import { FORMAT, FORMAT_VERSION } from './export-format.js';

/** What the lines of an export must hold. Fields that a later version of the server adds are passed over. */

const count = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
const size = z.int().min(1).max(Number.MAX_SAFE_INTEGER).nullable();
const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'expected 64 hex digits');

const space = z.object({
  id: z.string().max(20),
  provider: z.string().max(100),
  model: z.string().max(200),
  dimensions: z.int().min(1).max(8_192),
  similarity: z.enum(['cosine', 'dotProduct', 'euclidean']),
});

export const HEADER = z.object({
  format: z.literal(FORMAT, `expected ${FORMAT}`),
  version: z.literal(FORMAT_VERSION, `expected version ${FORMAT_VERSION} of the format`),
  space: z.string(),
  spaces: z.array(space).min(1).max(100),
});

export const DOCUMENT = z.object({
  title: z.string(),
  mediaType: z.string(),
  language: z.string().nullable(),
  languageGiven: z.boolean(),
  sourceUri: z.string().nullable(),
  agentIds: z.array(z.string()).max(1_000),
  metadata: z.record(z.string(), z.unknown()),
  chunking: z.looseObject({
    strategy: z.enum(CHUNKING_STRATEGIES),
    maxTokens: size,
    maxCharacters: size,
    overlap: count,
    parentMaxTokens: size,
    contextual: z.boolean(),
  }),
  contentHash: sha256,
  textLength: count,
  chunks: count,
});

export const TEXT = z.object({ text: z.string() });

export const CHUNK = z.object({
  start: count,
  end: count,
  parentStart: count.nullable(),
  parentEnd: count.nullable(),
  page: z.int().min(1).nullable(),
  headings: z.array(z.string()).max(1_000),
  tokenCount: count,
  embedPrefix: z.string().optional(),
  embedHash: sha256,
  vector: z.string().nullable(),
});

export const END = z.object({ sha256 });
export const CHECKSUM = z.object({ documents: count, chunks: count, sha256 });

export type ExportedSpace = z.infer<typeof space>;
export type Header = z.infer<typeof HEADER>;
export type DocumentFields = z.infer<typeof DOCUMENT>;
export type ChunkFields = z.infer<typeof CHUNK>;

/** A line that cannot be meant, with its number; never quotes what it holds. */
export class BadLine extends Error {
  readonly line: number;

  constructor(line: number, problem: string) {
    super(`Line ${line}: ${problem}`);
    this.name = 'BadLine';
    this.line = line;
  }
}

/** The fields of a line of a known kind. Throws `BadLine`. */
export function fieldsOf<T extends z.ZodType>(shape: T, fields: unknown, line: number): z.infer<T> {
  const parsed = shape.safeParse(fields);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const at = issue?.path.join('.');
  throw new BadLine(line, `${at ? `${at}: ` : ''}${issue?.message ?? 'not understood'}`);
}
