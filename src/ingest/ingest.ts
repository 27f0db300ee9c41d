import type { Alongside } from '../store/alongside.js';
import type { QueuedOn } from '../store/jobs/job-records.js';
import type { ChunkingStrategy, DocumentRecord, Metadata } from '../store/records.js';
import type { Scope } from '../store/scope.js';

/** What chunks and embeds: made by `createIngest({ store, embedders, … })`. */
export interface Ingest {
  /** Throws `Refusal` for what the caller can act on (path starting at `['input', …]`), `AppError` for outages. */
  upsertDocument(
    scope: Scope,
    input: UpsertInput,
    options: {
      signal?: AbortSignal;
      onProgress?: (progress: UpsertProgress) => void;
      /** The document of the title as the caller has just read it, null for none: saves a read. */
      found?: DocumentRecord | null;
      /** A process died in the middle of it before: vectors are kept at once, so that nothing is embedded thrice. */
      wasInterrupted?: boolean;
      /** Written with the document, or neither is. Its `CalledOff` is thrown. */
      alongside?: Alongside;
      /** It waited in a job: `Refusal` CONFLICT where something newer would be undone. */
      queuedOn?: QueuedOn | null;
    },
  ): Promise<UpsertResult>;
  /** Ends the worker threads; they keep no process alive by themselves. */
  close(): Promise<void>;
}

/** A field left out keeps its stored value; null clears it. Schema: `UpsertDocumentInput`. */
export interface UpsertInput {
  readonly title: string;
  readonly text?: string | null;
  /** Bytes that are given away may be used up: the caller has them no more. */
  readonly file?: { readonly name: string; readonly bytes: Uint8Array; readonly isGivenAway?: boolean } | null;
  readonly mediaType?: string | null;
  readonly language?: string | null;
  readonly sourceUri?: string | null;
  readonly agentIds?: readonly string[] | null;
  readonly metadata?: Metadata | null;
  readonly chunking?: ChunkingInput | null;
  readonly expectedVersion?: number | null;
  readonly dryRun: boolean;
  readonly waitUntil: 'STORED' | 'SEARCHABLE';
}

export interface ChunkingInput {
  readonly strategy: ChunkingStrategy;
  readonly maxTokens?: number | null;
  readonly maxCharacters?: number | null;
  readonly overlap?: number | null;
  readonly parentMaxTokens?: number | null;
  readonly contextual: boolean;
}

export interface UpsertProgress {
  readonly phase: 'extracting' | 'chunking' | 'embedding' | 'storing' | 'indexing';
  readonly done: number;
  readonly total: number;
}

export interface UpsertResult {
  /** Null with `dryRun` of a document that does not exist. */
  readonly document: DocumentRecord | null;
  readonly outcome: 'CREATED' | 'UPDATED' | 'UNCHANGED';
  readonly changes: {
    readonly chunksAdded: number;
    readonly chunksKept: number;
    readonly chunksRemoved: number;
    readonly chunksEmbedded: number;
    readonly embeddingTokens: number;
  };
  readonly searchable: boolean;
  readonly warnings: readonly string[];
}
