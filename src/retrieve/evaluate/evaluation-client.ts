import type { ChunkingStrategy } from '../../store/records.js';
import type { Configuration } from './configuration.js';

/** The API as an evaluation uses it: a running server behind HTTP (scripts/evaluate.ts), or anything that answers so. */
export interface EvaluationClient {
  /** Resolves when the document is stored; `isLast`: when search can find it and all before it. */
  upsert(document: { title: string; text: string; chunking?: EvaluatedChunking }, isLast: boolean): Promise<void>;
  search(search: EvaluatedSearch): Promise<EvaluatedResult>;
  /** All chunks of a document, in order. */
  chunks(title: string): Promise<readonly FoundChunk[]>;
}

export interface EvaluatedChunking {
  readonly strategy: ChunkingStrategy;
  readonly maxTokens?: number;
  readonly maxCharacters?: number;
  readonly overlap?: number;
}

export interface EvaluatedSearch {
  readonly query: string;
  readonly configuration: Pick<Configuration, 'mode' | 'weights' | 'rerank'>;
  readonly first: number;
  readonly exact?: boolean;
  /** One hit per document: its best chunk. */
  readonly perDocument?: boolean;
}

export interface EvaluatedResult {
  /** Best first. */
  readonly hits: readonly (FoundChunk & { readonly score: number })[];
  /** From sending the request to having the answer. */
  readonly tookMs: number;
}

export interface FoundChunk {
  readonly id: string;
  readonly title: string;
  readonly start: number;
  readonly end: number;
}
