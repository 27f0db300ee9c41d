import type { Binary, ObjectId } from 'mongodb';
import type { EmbedderSpace } from '../embed/embedder.js';
import type { ChunkingStrategy, DocumentStatus, Metadata, Role, SpaceState } from './records.js';

/** The rows as they lie in MongoDB: snake_case, ObjectIds, BSON binaries. They never leave `store/`. */

/** A filterable value as rows hold it: dates as instants, nulls left out. */
export type FilterableScalar = string | number | boolean | Date;
export type FilterableValues = Record<string, FilterableScalar | FilterableScalar[]>;

export interface ChunkingRow {
  strategy: ChunkingStrategy;
  max_tokens: number | null;
  max_characters: number | null;
  overlap: number;
  parent_max_tokens: number | null;
  contextual: boolean;
}

export interface DocumentRow {
  _id: ObjectId;
  owner: string;
  /** As given. */
  title: string;
  /** `normalizeTitle(title)`; unique with the owner. */
  title_key: string;
  media_type: string;
  language: string | null;
  /** The language was given, not detected: a new text does not change it. */
  language_given: boolean;
  source_uri: string | null;
  agent_ids: string[];
  metadata: Metadata;
  /** The declared keys of `metadata`, typed for filters; chunk rows carry the same under `metadata`. */
  filterable: FilterableValues;
  content_hash: string | null;
  text_length: number;
  version: number;
  revision: number;
  status: DocumentStatus;
  last_error: string | null;
  chunking: ChunkingRow;
  chunk_count: number;
  space: string | null;
  created_at: Date;
  updated_at: Date;
  /** Since when the last write waited in a job; null or absent: it came at once. */
  queued_at?: Date | null;
  /** A staged version is being written (see stage-version.ts). Absent otherwise. */
  attempt?: AttemptClaim;
  /** Versions whose dropped rows and texts still lie there for readers that began before the flip. */
  superseded?: { version: number; at: Date }[];
  /**
   * Chunk rows may still carry attributes of an earlier revision (see propagate-attributes.ts). The number only grows,
   * so that each step of the walk over them is a real write, which conflicts with a change that comes in between.
   */
  attributes_pending?: number;
  /** Jobs that accepted the document and wait. They say something while `version` is 0 only (see jobs/pending-documents.ts). */
  pending_jobs?: ObjectId[];
}

export interface AttemptClaim {
  id: string;
  /** Heartbeat. A claim whose heartbeat is older than the lease may be taken over. */
  at: Date;
}

export interface TextRow {
  _id: ObjectId;
  document_id: ObjectId;
  version: number;
  part: number;
  text: string;
}

export interface ChunkRow {
  _id: ObjectId;
  document_id: ObjectId;
  owner: string;
  agent_ids: string[];
  /** Declared filterable keys only. */
  metadata: FilterableValues;
  from_version: number;
  /** The first version that no longer has the row; absent while there is none. */
  to_version?: number;
  ordinal: number;
  start: number;
  end: number;
  parent_start?: number;
  parent_end?: number;
  page: number | null;
  headings: string[];
  language: string | null;
  token_count: number;
  /** What words are searched in: see own-text.ts. */
  text: string;
  /** Where the chunk's own text begins in it, in UTF-16 code units; absent: at 0. */
  text_start?: number;
  /** What the embedder was given before that (title and headings, a table's header row); absent: nothing. */
  embed_prefix?: string;
  embed_hash: string;
  written_at: Date;
  /** Space id → BSON vector of float32. */
  embeddings: Record<string, Binary>;
}

export interface SpaceRow {
  _id: string;
  provider: EmbedderSpace['provider'];
  model: string;
  dimensions: number;
  similarity: EmbedderSpace['similarity'];
  max_input_tokens: number;
  languages: string[] | null;
  state: SpaceState;
  weights: { vector: number; text: number } | null;
  /** Every chunk has a vector since then, and goes on having one: see space-fence.ts. */
  complete_at?: Date;
  /** The job that fills it, 24 hex digits. */
  job?: string;
}

/** A slot of space-fence.ts. */
export interface SpaceFenceRow {
  _id: number;
  /** Of the list of spaces; only grows. */
  generation: number;
  /** The ids, e.g. "s1,s2". */
  spaces: string;
  /** The signature of the filterable keys that rows carry. */
  keys: string;
  passed: number;
}

export interface ApiKeyRow {
  _id: ObjectId;
  name: string;
  owner: string;
  role: Role;
  agent_ids: string[] | null;
  /** SHA-256 of the secret, hex. The secret itself is kept nowhere. */
  secret_hash: string;
  created_at: Date;
  expires_at: Date | null;
  last_used_at: Date | null;
}

/** See kept-work.ts. Exactly one of `vector` and `line`. */
export interface KeptWorkRow {
  /** The digest of whose it is and of which model, a blank, then the hash of what was asked. */
  _id: string;
  owner: string;
  written_at: Date;
  vector?: Binary;
  line?: string;
}

export interface RankingRow {
  _id: ObjectId;
  owner: string;
  [field: string]: unknown;
}

/**
 * Rows of a document that does not exist (any more) and so are invisible: a deleted one's, or those of a staged first
 * version that may yet be joined by its document. `creating` holds the attempt that may still flip.
 */
export interface CleanupRow {
  /** The document's id. */
  _id: ObjectId;
  owner: string;
  attempt: AttemptClaim | null;
  at: Date;
}

export type SettingRow =
  | { _id: 'sealing_key'; key: Binary }
  | { _id: 'api_keys'; ever_created: true }
  /** `declared`: what every row written now carries; `projected`: what rows from before carry too; `copying`: who sees to it. */
  | {
      _id: 'filterable';
      projected: Record<string, string>;
      declared?: Record<string, string>;
      copying?: { by: string; at: Date };
    }
  /** `last`: the highest number that a space ever had; `generation`: how often the list of spaces changed; `dropped`: those whose vectors still lie there. */
  | { _id: 'spaces'; last: number; generation: number; dropped?: string[] };
