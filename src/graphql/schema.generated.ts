import type { JsonObject } from './scalars/json.js';
import type { FilterScalar } from '../store/filter.js';
import type { GraphQLResolveInfo, GraphQLScalarType, GraphQLScalarTypeConfig } from 'graphql';
import type { DocumentRecord, ChunkRecord, Chunking as ChunkingSource, SpaceRecord, SearchIndexRecord, ApiKeyRecord } from '../store/records.js';
import type { JobRecord, JobItemRecord, JobProgress as JobProgressSource } from '../store/jobs/job-records.js';
import type { JobListing, JobItemListing, DocumentListing, ChunkListing, SearchListing, Leg, Span } from './connections.js';
import type { Viewer as ViewerSource, AdminDoor, RequestContext } from './context.js';
import type { SearchHit, SearchExplanation as SearchExplanationSource, CandidateExplanation as CandidateExplanationSource, WhyNot as WhyNotSource } from '../retrieve/retrieve.js';
export type Maybe<T> = T | null;
export type InputMaybe<T> = Maybe<T>;
export type Omit<T, K extends keyof T> = Pick<T, Exclude<keyof T, K>>;
export type RequireFields<T, K extends keyof T> = Omit<T, K> & { [P in K]-?: NonNullable<T[P]> };
/** All built-in and custom scalars, mapped to their actual values */
export type Scalars = {
  ID: { input: string; output: string; }
  String: { input: string; output: string; }
  Boolean: { input: boolean; output: boolean; }
  Int: { input: number; output: number; }
  Float: { input: number; output: number; }
  /** An instant, RFC 3339 in UTC. */
  DateTime: { input: Date; output: Date; }
  /** A JSON object whose keys are chosen by the caller. */
  JSONObject: { input: JsonObject; output: { readonly [key: string]: unknown }; }
  /** A metadata value in a filter: String, Int, Float, Boolean, or an RFC 3339 date-time string for a key declared as a date. */
  MetadataValue: { input: FilterScalar; output: FilterScalar; }
};

/** Administrators only; null for anyone else. */
export type Admin = {
  readonly __typename?: 'Admin';
  /** Those that the running configuration needs, and what is wrong with them. */
  readonly searchIndexes: ReadonlyArray<SearchIndex>;
  readonly embeddingSpaces: ReadonlyArray<EmbeddingSpace>;
  /** Every key that is not revoked, secrets never. */
  readonly apiKeys: ReadonlyArray<ApiKey>;
};

/** Deletes everything an owner has. */
export type EraseOwnerInput = {
  readonly ownerId: Scalars['ID']['input'];
  /** Count, and delete nothing. */
  readonly dryRun: Scalars['Boolean']['input'];
};

/** What went, or with dryRun would go. */
export type EraseOwnerPayload = {
  readonly __typename?: 'EraseOwnerPayload';
  readonly documents: Scalars['Int']['output'];
  readonly chunks: Scalars['Int']['output'];
  readonly jobs: Scalars['Int']['output'];
  readonly apiKeys: Scalars['Int']['output'];
  readonly userErrors: ReadonlyArray<UserError>;
};

/** A credential for one owner. Its secret is stored as a hash only. */
export type ApiKey = {
  readonly __typename?: 'ApiKey';
  readonly id: Scalars['ID']['output'];
  readonly name: Scalars['String']['output'];
  readonly ownerId: Scalars['ID']['output'];
  readonly role: Role;
  /** The agents that the key is bound to; null: none, it sees all of its owner. */
  readonly agentIds?: Maybe<ReadonlyArray<Scalars['ID']['output']>>;
  readonly createdAt: Scalars['DateTime']['output'];
  /** Null: it does not expire. */
  readonly expiresAt?: Maybe<Scalars['DateTime']['output']>;
  /** To the minute; null while it was never used. */
  readonly lastUsedAt?: Maybe<Scalars['DateTime']['output']>;
};

/** What the key is for. */
export type CreateApiKeyInput = {
  /** At most 256 printable characters. */
  readonly ownerId: Scalars['ID']['input'];
  /** To recognise it by; need not be unique. */
  readonly name: Scalars['String']['input'];
  readonly role: Role;
  /** Binds the key to these agents: at least one, when given. */
  readonly agentIds?: InputMaybe<ReadonlyArray<Scalars['ID']['input']>>;
  readonly expiresAt?: InputMaybe<Scalars['DateTime']['input']>;
};

/** `secret` is shown this once. */
export type CreateApiKeyPayload = {
  readonly __typename?: 'CreateApiKeyPayload';
  readonly apiKey?: Maybe<ApiKey>;
  readonly secret?: Maybe<Scalars['String']['output']>;
  readonly userErrors: ReadonlyArray<UserError>;
};

/** Which key to revoke. */
export type RevokeApiKeyInput = {
  readonly apiKeyId: Scalars['ID']['input'];
};

/** The id of the key that is gone. */
export type RevokeApiKeyPayload = {
  readonly __typename?: 'RevokeApiKeyPayload';
  readonly revokedApiKeyId?: Maybe<Scalars['ID']['output']>;
  readonly userErrors: ReadonlyArray<UserError>;
};

/** A passage of a document: the unit that is embedded and retrieved. */
export type Chunk = Node & {
  readonly __typename?: 'Chunk';
  readonly id: Scalars['ID']['output'];
  readonly document: Document;
  /** Position among the document's chunks, from 0. */
  readonly ordinal: Scalars['Int']['output'];
  /** The text, equal to `document.text` from `start` up to `end`. */
  readonly text: Scalars['String']['output'];
  /** UTF-16 offset into `document.text` where the passage begins (what JavaScript's String.slice takes). */
  readonly start: Scalars['Int']['output'];
  /** UTF-16 offset just behind the passage. */
  readonly end: Scalars['Int']['output'];
  /** The headings above the passage, outermost first. */
  readonly headings: ReadonlyArray<Scalars['String']['output']>;
  /** 1-based page of the source where the passage starts, when the source has pages. */
  readonly page?: Maybe<Scalars['Int']['output']>;
  /** Tokens as the embedding model counts them. */
  readonly tokenCount: Scalars['Int']['output'];
  /** The chunk before this one, for context around a hit; null at the beginning. */
  readonly previous?: Maybe<Chunk>;
  /** The chunk after this one; null at the end. */
  readonly next?: Maybe<Chunk>;
  /** The larger passage around this one under PARENT_CHILD, else null. */
  readonly parent?: Maybe<TextSpan>;
};

/** A piece of `document.text`. */
export type TextSpan = {
  readonly __typename?: 'TextSpan';
  readonly text: Scalars['String']['output'];
  readonly start: Scalars['Int']['output'];
  readonly end: Scalars['Int']['output'];
};

/** A page of a document's chunks by ordinal. */
export type ChunkConnection = {
  readonly __typename?: 'ChunkConnection';
  readonly edges: ReadonlyArray<ChunkEdge>;
  /** The edges' nodes. */
  readonly nodes: ReadonlyArray<Chunk>;
  readonly pageInfo: PageInfo;
  readonly totalCount: Scalars['Int']['output'];
};

/** A chunk's place in its document. */
export type ChunkEdge = {
  readonly __typename?: 'ChunkEdge';
  readonly cursor: Scalars['String']['output'];
  readonly node: Chunk;
};

/** How a document was cut into chunks. */
export type Chunking = {
  readonly __typename?: 'Chunking';
  readonly strategy: ChunkingStrategy;
  /** In tokens of the embedding model; null where the strategy does not count tokens. */
  readonly maxTokens?: Maybe<Scalars['Int']['output']>;
  /** In UTF-16 code units; null where the strategy does not count characters. */
  readonly maxCharacters?: Maybe<Scalars['Int']['output']>;
  /** In the strategy's own unit. */
  readonly overlap: Scalars['Int']['output'];
  /** Whether each chunk was embedded behind its title and headings. */
  readonly contextual: Scalars['Boolean']['output'];
};

/** Ways to cut a text. */
export type ChunkingStrategy =
  /** Paragraphs, then sentences, then words, then graphemes, up to `maxTokens`. The default: 400 tokens or the active space's limit where that is less, overlap 50. */
  | 'RECURSIVE'
  /** Fixed windows of `maxCharacters`, each starting `overlap` characters before the previous one ended (1000 / 100). */
  | 'SLIDING_WINDOW'
  /** Whole sentences packed up to `maxTokens`. */
  | 'SENTENCE'
  /** Fixed windows of `maxTokens` model tokens. */
  | 'TOKEN'
  /** Markdown and HTML sections by heading, each section split like RECURSIVE when it is too long. */
  | 'STRUCTURE'
  /** Boundaries where the topic shifts, found by the similarity of neighbouring sentences' embeddings. */
  | 'SEMANTIC'
  /** Small chunks for search inside larger parents that answers are given. */
  | 'PARENT_CHILD'
  /** One chunk holding the whole text: FAQs, blurbs, tickets. */
  | 'NONE';

/** What to change about the default chunking. Fields left out take the strategy's defaults. */
export type ChunkingInput = {
  readonly strategy: ChunkingStrategy;
  /** Above the active space's limit: INVALID. */
  readonly maxTokens?: InputMaybe<Scalars['Int']['input']>;
  readonly maxCharacters?: InputMaybe<Scalars['Int']['input']>;
  /** In the strategy's own unit; must be smaller than the window. */
  readonly overlap?: InputMaybe<Scalars['Int']['input']>;
  /** PARENT_CHILD: the parents' size. Default 4 × maxTokens. */
  readonly parentMaxTokens?: InputMaybe<Scalars['Int']['input']>;
  /** Embed each chunk behind its title and headings (the stored text stays bare). */
  readonly contextual: Scalars['Boolean']['input'];
};

/** A text that was given to the service: one per owner and title. */
export type Document = Node & {
  readonly __typename?: 'Document';
  readonly id: Scalars['ID']['output'];
  /** As it was given; unique within the owner after normalisation (NFC, trimmed, white space folded). */
  readonly title: Scalars['String']['output'];
  /** The canonical text, exactly what chunk spans point into; empty while no version was stored. */
  readonly text: Scalars['String']['output'];
  /** Characters (UTF-16 code units) in `text`. */
  readonly textLength: Scalars['Int']['output'];
  /** What the text was read as, e.g. text/plain or text/markdown. */
  readonly mediaType: Scalars['String']['output'];
  /** BCP 47, given or detected; null when it cannot be told. */
  readonly language?: Maybe<Scalars['String']['output']>;
  /** Where the text came from, as the caller said; never fetched. */
  readonly sourceUri?: Maybe<Scalars['String']['output']>;
  /** The agents whose credentials may read the document. None: only credentials that are not bound to agents see it. */
  readonly agentIds: ReadonlyArray<Scalars['ID']['output']>;
  /** Flat: strings, numbers, Booleans, null, or arrays of those. */
  readonly metadata: Scalars['JSONObject']['output'];
  /** Starts at 1 and grows by one with every change of content or chunking; 0 while none was ever stored. */
  readonly version: Scalars['Int']['output'];
  /** Grows by one with every change of anything, metadata and agents included. */
  readonly revision: Scalars['Int']['output'];
  readonly status: DocumentStatus;
  /** Why the latest attempt failed; cleared by the next success. READY with a lastError: the version before is served. */
  readonly lastError?: Maybe<Scalars['String']['output']>;
  readonly chunkCount: Scalars['Int']['output'];
  /** The passages in the order of the text. */
  readonly chunks: ChunkConnection;
  readonly chunking: Chunking;
  /** The active embedding space, in which each chunk has its vector; null while no version was stored. */
  readonly embeddingSpace?: Maybe<EmbeddingSpace>;
  readonly createdAt: Scalars['DateTime']['output'];
  readonly updatedAt: Scalars['DateTime']['output'];
};


/** A text that was given to the service: one per owner and title. */
export type DocumentChunksArgs = {
  first: Scalars['Int']['input'];
  after?: InputMaybe<Scalars['String']['input']>;
};

/** How far a document has got. */
export type DocumentStatus =
  /** A version is searchable, whatever happened since. */
  | 'READY'
  /** Accepted by a job; no version was stored yet. */
  | 'PENDING'
  /** No version was ever stored: see `lastError`. */
  | 'FAILED';

/** A page of documents in the order asked for, ties broken by id. */
export type DocumentConnection = {
  readonly __typename?: 'DocumentConnection';
  readonly edges: ReadonlyArray<DocumentEdge>;
  /** The edges' nodes. */
  readonly nodes: ReadonlyArray<Document>;
  readonly pageInfo: PageInfo;
  /** Documents in the whole listing, counted only when selected. */
  readonly totalCount: Scalars['Int']['output'];
};

/** A document's place in a listing. */
export type DocumentEdge = {
  readonly __typename?: 'DocumentEdge';
  readonly cursor: Scalars['String']['output'];
  readonly node: Document;
};

/** Exactly one. */
export type DocumentBy =
  { readonly id: Scalars['ID']['input']; readonly title?: never; }
  |  { readonly id?: never; readonly title: Scalars['String']['input']; };

/**
 * Every given condition must hold. `ids`, `titles`, `agentIds`, `statuses`, `in` and `or` given as [] match nothing; `and`, `metadata` and `nin` given as []
 * restrict nothing. A filter never fails open: null for a field, a condition without an operator, an empty object inside and/or/not, and
 * an operation that uses a variable inside a filter without supplying it are refused with BAD_USER_INPUT.
 */
export type DocumentFilter = {
  readonly ids?: InputMaybe<ReadonlyArray<Scalars['ID']['input']>>;
  readonly titles?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  /** Documents that name at least one of these agents. */
  readonly agentIds?: InputMaybe<ReadonlyArray<Scalars['ID']['input']>>;
  readonly statuses?: InputMaybe<ReadonlyArray<DocumentStatus>>;
  /** Documents whose latest attempt failed (true) or did not (false). */
  readonly hasLastError?: InputMaybe<Scalars['Boolean']['input']>;
  readonly metadata?: InputMaybe<ReadonlyArray<MetadataCondition>>;
  readonly and?: InputMaybe<ReadonlyArray<DocumentFilter>>;
  readonly or?: InputMaybe<ReadonlyArray<DocumentFilter>>;
  readonly not?: InputMaybe<DocumentFilter>;
};

/**
 * A condition on one metadata key, which must be declared filterable; several operators all hold. A missing key and null are the same:
 * `exists: false`. `eq`/`in` hold if the value, or any element of an array, equals; `ne`/`nin` are their exact complement, so documents
 * without the key match. `gt…lte` compare only values of the key's declared type; several bounds on an array must hold for one element. Strings
 * compare exactly and case-sensitive, numbers by value, dates as instants.
 */
export type MetadataCondition = {
  readonly key: Scalars['String']['input'];
  readonly eq?: InputMaybe<Scalars['MetadataValue']['input']>;
  readonly ne?: InputMaybe<Scalars['MetadataValue']['input']>;
  readonly in?: InputMaybe<ReadonlyArray<Scalars['MetadataValue']['input']>>;
  readonly nin?: InputMaybe<ReadonlyArray<Scalars['MetadataValue']['input']>>;
  readonly gt?: InputMaybe<Scalars['MetadataValue']['input']>;
  readonly gte?: InputMaybe<Scalars['MetadataValue']['input']>;
  readonly lt?: InputMaybe<Scalars['MetadataValue']['input']>;
  readonly lte?: InputMaybe<Scalars['MetadataValue']['input']>;
  readonly exists?: InputMaybe<Scalars['Boolean']['input']>;
};

/** What a listing is sorted by. */
export type DocumentOrder =
  /** By `updatedAt`, latest first. */
  | 'UPDATED_NEWEST'
  /** By `createdAt`, latest first. */
  | 'CREATED_NEWEST'
  /** By the normalised title, in code-unit order. */
  | 'TITLE';

/**
 * UNCHANGED only if content, chunking, space and every attribute given equal what is stored. The same content with other attributes is UPDATED with
 * nothing embedded and `version` as it was. A field left out keeps its stored value, null clears it. `expectedVersion` is checked first.
 */
export type UpsertDocumentInput = {
  readonly title: Scalars['String']['input'];
  /** Exactly one of `text` and `file`. */
  readonly text?: InputMaybe<Scalars['String']['input']>;
  readonly file?: InputMaybe<FileInput>;
  /** On creation text/plain for `text`; a `file` is always read anew from its bytes; else the stored one is kept. */
  readonly mediaType?: InputMaybe<Scalars['String']['input']>;
  /** BCP 47; detected when left out. */
  readonly language?: InputMaybe<Scalars['String']['input']>;
  readonly sourceUri?: InputMaybe<Scalars['String']['input']>;
  /** A document that credentials bound to agents create gets those agents when left out. */
  readonly agentIds?: InputMaybe<ReadonlyArray<Scalars['ID']['input']>>;
  /** At most 16 KB as JSON; flat. */
  readonly metadata?: InputMaybe<Scalars['JSONObject']['input']>;
  /** Left out: the stored chunking (RECURSIVE on creation). null: the defaults. Given: exactly this, its left-out fields taking the strategy's defaults. */
  readonly chunking?: InputMaybe<ChunkingInput>;
  /** Refuse with CONFLICT unless the stored document is at this version (0: must not exist). */
  readonly expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  /** Report what would change and cost, and change nothing. */
  readonly dryRun: Scalars['Boolean']['input'];
  /** When to answer: once stored, or once search can find the new version (or a time limit passed, see `searchable`). */
  readonly waitUntil: WaitUntil;
};

/** A file carried in the request; the CLI and POST /upload take larger ones. */
export type FileInput = {
  /** Its name with extension; a hint, the kind of file is told from its bytes. */
  readonly name: Scalars['String']['input'];
  /** Standard base64 (RFC 4648). */
  readonly base64: Scalars['String']['input'];
};

/** What a write waits for. */
export type WaitUntil =
  /** The transaction is durable. */
  | 'STORED'
  /** The search indexes return the version. */
  | 'SEARCHABLE';

/** What became of an upsert. */
export type UpsertDocumentPayload = {
  readonly __typename?: 'UpsertDocumentPayload';
  /** The document as it is now; null when it was refused, or with `dryRun` of one that does not exist. */
  readonly document?: Maybe<Document>;
  readonly outcome?: Maybe<UpsertOutcome>;
  readonly changes?: Maybe<UpsertChanges>;
  /** Whether search can find this version already. */
  readonly searchable: Scalars['Boolean']['output'];
  /** Quality warnings, e.g. pages without text. */
  readonly warnings: ReadonlyArray<Scalars['String']['output']>;
  readonly userErrors: ReadonlyArray<UserError>;
};

/** What an upsert came to. */
export type UpsertOutcome =
  | 'CREATED'
  | 'UPDATED'
  | 'UNCHANGED';

/** What an upsert did, or with dryRun would do. */
export type UpsertChanges = {
  readonly __typename?: 'UpsertChanges';
  readonly chunksAdded: Scalars['Int']['output'];
  /** Chunks whose text and vector stayed. */
  readonly chunksKept: Scalars['Int']['output'];
  readonly chunksRemoved: Scalars['Int']['output'];
  /** Chunks that were given to the embedding model. */
  readonly chunksEmbedded: Scalars['Int']['output'];
  /** Tokens given to the embedding model. */
  readonly embeddingTokens: Scalars['Int']['output'];
};

/** Exactly one of `documentId` and `by`. Omitted fields stay; null clears. */
export type UpdateDocumentInput = {
  readonly documentId?: InputMaybe<Scalars['ID']['input']>;
  readonly by?: InputMaybe<DocumentBy>;
  /** Refuse with CONFLICT unless the stored document is at this revision. */
  readonly expectedRevision?: InputMaybe<Scalars['Int']['input']>;
  readonly title?: InputMaybe<Scalars['String']['input']>;
  readonly agentIds?: InputMaybe<ReadonlyArray<Scalars['ID']['input']>>;
  /** Replaces the whole object. */
  readonly metadata?: InputMaybe<Scalars['JSONObject']['input']>;
  readonly sourceUri?: InputMaybe<Scalars['String']['input']>;
};

/** What became of an update. */
export type UpdateDocumentPayload = {
  readonly __typename?: 'UpdateDocumentPayload';
  readonly document?: Maybe<Document>;
  readonly userErrors: ReadonlyArray<UserError>;
};

/** Exactly one of `documentId` and `by`. */
export type DeleteDocumentInput = {
  readonly documentId?: InputMaybe<Scalars['ID']['input']>;
  readonly by?: InputMaybe<DocumentBy>;
  /** Refuse with CONFLICT unless the stored document is at this revision. */
  readonly expectedRevision?: InputMaybe<Scalars['Int']['input']>;
};

/** What was deleted. */
export type DeleteDocumentPayload = {
  readonly __typename?: 'DeleteDocumentPayload';
  readonly deletedDocumentId?: Maybe<Scalars['ID']['output']>;
  readonly deletedChunks: Scalars['Int']['output'];
  readonly userErrors: ReadonlyArray<UserError>;
};

/** The filter must hold a condition outside `not`: {} is refused. All that an owner has goes by `eraseOwner`. */
export type DeleteDocumentsInput = {
  readonly filter: DocumentFilter;
  /** Count, and delete nothing. */
  readonly dryRun: Scalars['Boolean']['input'];
};

/** What was deleted, or with dryRun would be. */
export type DeleteDocumentsPayload = {
  readonly __typename?: 'DeleteDocumentsPayload';
  readonly deletedDocuments: Scalars['Int']['output'];
  readonly deletedChunks: Scalars['Int']['output'];
  readonly userErrors: ReadonlyArray<UserError>;
};

/** A model with its dimensions: vectors of different spaces are never compared. */
export type EmbeddingSpace = Node & {
  readonly __typename?: 'EmbeddingSpace';
  readonly id: Scalars['ID']['output'];
  readonly provider: Scalars['String']['output'];
  readonly model: Scalars['String']['output'];
  readonly dimensions: Scalars['Int']['output'];
  readonly similarity: Similarity;
  readonly state: EmbeddingSpaceState;
};

/** What a space is used for now. */
export type EmbeddingSpaceState =
  /** Searches use it and upserts write to it. */
  | 'ACTIVE'
  /** Being filled beside the active one. */
  | 'BUILDING'
  /** No longer searched; kept for a roll-back until it is dropped. */
  | 'RETIRED';

/** How two vectors of a space are compared. */
export type Similarity =
  | 'COSINE'
  | 'DOT_PRODUCT'
  | 'EUCLIDEAN';

/** Embed every chunk in another space beside the active one; searches go on in the old one. Administrators only. */
export type ReembedInput = {
  readonly provider: Scalars['String']['input'];
  readonly model: Scalars['String']['input'];
  /** Left out: the model's own. */
  readonly dimensions?: InputMaybe<Scalars['Int']['input']>;
  /** Switch searches over when it is complete. */
  readonly activate: Scalars['Boolean']['input'];
};

/** The job that fills the new space. */
export type ReembedPayload = {
  readonly __typename?: 'ReembedPayload';
  readonly job?: Maybe<Job>;
  readonly embeddingSpace?: Maybe<EmbeddingSpace>;
  readonly userErrors: ReadonlyArray<UserError>;
};

/** Which space to switch to. */
export type ActivateEmbeddingSpaceInput = {
  readonly embeddingSpaceId: Scalars['ID']['input'];
};

/** The space that is active now. */
export type ActivateEmbeddingSpacePayload = {
  readonly __typename?: 'ActivateEmbeddingSpacePayload';
  readonly embeddingSpace?: Maybe<EmbeddingSpace>;
  readonly userErrors: ReadonlyArray<UserError>;
};

/** Which space to drop. */
export type DropEmbeddingSpaceInput = {
  readonly embeddingSpaceId: Scalars['ID']['input'];
};

/** The id of the space that is gone. */
export type DropEmbeddingSpacePayload = {
  readonly __typename?: 'DropEmbeddingSpacePayload';
  readonly droppedEmbeddingSpaceId?: Maybe<Scalars['ID']['output']>;
  readonly userErrors: ReadonlyArray<UserError>;
};

/** Background work of one owner, kept for seven days after its end. REEMBED is the operator's and visible to ADMIN only. */
export type Job = Node & {
  readonly __typename?: 'Job';
  readonly id: Scalars['ID']['output'];
  readonly kind: JobKind;
  readonly state: JobState;
  /** Items in all. */
  readonly total: Scalars['Int']['output'];
  /** Items finished well. */
  readonly done: Scalars['Int']['output'];
  /** Items that failed. */
  readonly failed: Scalars['Int']['output'];
  readonly items: JobItemConnection;
  readonly createdAt: Scalars['DateTime']['output'];
  readonly startedAt?: Maybe<Scalars['DateTime']['output']>;
  readonly finishedAt?: Maybe<Scalars['DateTime']['output']>;
  /** How far the item has got that has run longest, twice a second; null while none takes long. */
  readonly progress?: Maybe<JobProgress>;
};


/** Background work of one owner, kept for seven days after its end. REEMBED is the operator's and visible to ADMIN only. */
export type JobItemsArgs = {
  states?: InputMaybe<ReadonlyArray<JobItemState>>;
  first: Scalars['Int']['input'];
  after?: InputMaybe<Scalars['String']['input']>;
};

/** How far one item has got. */
export type JobProgress = {
  readonly __typename?: 'JobProgress';
  /** Its name. */
  readonly item: Scalars['String']['output'];
  readonly phase: JobPhase;
  /** Pages of a PDF, characters looked at for where to cut, chunks embedded, chunks stored; 0 of 1 where nobody counts. */
  readonly done: Scalars['Int']['output'];
  readonly total: Scalars['Int']['output'];
  readonly at: Scalars['DateTime']['output'];
};

/** What is being done with a document. */
export type JobPhase =
  | 'EXTRACTING'
  | 'CHUNKING'
  | 'EMBEDDING'
  | 'STORING'
  | 'INDEXING';

/** What a job does. */
export type JobKind =
  | 'INGEST'
  | 'REEMBED'
  | 'IMPORT';

/** PARTIAL: finished, some items failed; FAILED: all did. CANCELLED: some items were taken out before they began. */
export type JobState =
  | 'QUEUED'
  | 'RUNNING'
  | 'SUCCEEDED'
  | 'PARTIAL'
  | 'FAILED'
  | 'CANCELLED';

/** One document's part of a job. */
export type JobItem = {
  readonly __typename?: 'JobItem';
  /** The document's title; for REEMBED: the listing of the chunks, chunks 1 to 500 and so on, the verification. */
  readonly name: Scalars['String']['output'];
  readonly state: JobItemState;
  readonly outcome?: Maybe<UpsertOutcome>;
  /** The document of that title: PENDING until its first version is stored. Null where there is none, or none that the caller sees. */
  readonly document?: Maybe<Document>;
  readonly error?: Maybe<JobError>;
};

/** How far an item has got. */
export type JobItemState =
  | 'QUEUED'
  | 'RUNNING'
  | 'SUCCEEDED'
  | 'FAILED'
  | 'CANCELLED';

/** Why an item failed. */
export type JobError = {
  readonly __typename?: 'JobError';
  /** A UserErrorCode or a code of extensions.code. */
  readonly code: Scalars['String']['output'];
  readonly message: Scalars['String']['output'];
  /** Whether `retryJob` may help without a change of the input. */
  readonly retryable: Scalars['Boolean']['output'];
};

/** A page of a job's items in the order given. */
export type JobItemConnection = {
  readonly __typename?: 'JobItemConnection';
  readonly edges: ReadonlyArray<JobItemEdge>;
  /** The edges' nodes. */
  readonly nodes: ReadonlyArray<JobItem>;
  readonly pageInfo: PageInfo;
  readonly totalCount: Scalars['Int']['output'];
};

/** An item's place in its job. */
export type JobItemEdge = {
  readonly __typename?: 'JobItemEdge';
  readonly cursor: Scalars['String']['output'];
  readonly node: JobItem;
};

/** A page of jobs, latest first. */
export type JobConnection = {
  readonly __typename?: 'JobConnection';
  readonly edges: ReadonlyArray<JobEdge>;
  /** The edges' nodes. */
  readonly nodes: ReadonlyArray<Job>;
  readonly pageInfo: PageInfo;
  readonly totalCount: Scalars['Int']['output'];
};

/** A job's place in the listing. */
export type JobEdge = {
  readonly __typename?: 'JobEdge';
  readonly cursor: Scalars['String']['output'];
  readonly node: Job;
};

/** Several documents as one job; each commits or fails by itself. `waitUntil` applies to each item's end; `dryRun` is not for jobs. */
export type IngestDocumentsInput = {
  /** 1 to 100; the CLI and POST /import take more. */
  readonly documents: ReadonlyArray<UpsertDocumentInput>;
};

/** The job that was queued. */
export type IngestDocumentsPayload = {
  readonly __typename?: 'IngestDocumentsPayload';
  readonly job?: Maybe<Job>;
  readonly userErrors: ReadonlyArray<UserError>;
};

/** Which job is meant. */
export type JobInput = {
  readonly jobId: Scalars['ID']['input'];
};

/** The job after the change. */
export type JobPayload = {
  readonly __typename?: 'JobPayload';
  readonly job?: Maybe<Job>;
  readonly userErrors: ReadonlyArray<UserError>;
};

/** An object that can be refetched by its globally unique, opaque id. */
export type Node = {
  readonly id: Scalars['ID']['output'];
};

/** Where a page stands in its connection. Connections page forward only: `hasPreviousPage` says whether `after` was given. */
export type PageInfo = {
  readonly __typename?: 'PageInfo';
  readonly hasNextPage: Scalars['Boolean']['output'];
  readonly hasPreviousPage: Scalars['Boolean']['output'];
  readonly startCursor?: Maybe<Scalars['String']['output']>;
  /** Give it as `after` to get the next page. */
  readonly endCursor?: Maybe<Scalars['String']['output']>;
};

/** Reads. Fields that call a provider or the store are nullable, so that one failure does not null its siblings. */
export type Query = {
  readonly __typename?: 'Query';
  /** What an operator sees of the instance; null without role ADMIN. */
  readonly admin?: Maybe<Admin>;
  /** One document by id or title; null where there is none. */
  readonly document?: Maybe<Document>;
  /** The caller's documents. */
  readonly documents?: Maybe<DocumentConnection>;
  /** The caller's jobs. */
  readonly jobs?: Maybe<JobConnection>;
  /** Any object by its id; null for an id that is malformed, unknown or not the caller's. */
  readonly node?: Maybe<Node>;
  /** At most 100; null where there is none. */
  readonly nodes?: Maybe<ReadonlyArray<Maybe<Node>>>;
  /** The passages that answer a question best. Null only when a provider or the index failed; see errors. */
  readonly search?: Maybe<SearchConnection>;
  /** What `search` would do with the same input, step by step. */
  readonly explainSearch?: Maybe<SearchExplanation>;
  /** Why a document of the caller is not among the first hits. */
  readonly whyNot?: Maybe<WhyNot>;
  /** Chunks nearest to a chunk, without an embedding call. */
  readonly similarChunks?: Maybe<SearchConnection>;
  /** Who the server takes the caller to be. */
  readonly viewer: Viewer;
};


/** Reads. Fields that call a provider or the store are nullable, so that one failure does not null its siblings. */
export type QueryDocumentArgs = {
  by: DocumentBy;
};


/** Reads. Fields that call a provider or the store are nullable, so that one failure does not null its siblings. */
export type QueryDocumentsArgs = {
  filter?: InputMaybe<DocumentFilter>;
  orderBy: DocumentOrder;
  first: Scalars['Int']['input'];
  after?: InputMaybe<Scalars['String']['input']>;
};


/** Reads. Fields that call a provider or the store are nullable, so that one failure does not null its siblings. */
export type QueryJobsArgs = {
  states?: InputMaybe<ReadonlyArray<JobState>>;
  first: Scalars['Int']['input'];
  after?: InputMaybe<Scalars['String']['input']>;
};


/** Reads. Fields that call a provider or the store are nullable, so that one failure does not null its siblings. */
export type QueryNodeArgs = {
  id: Scalars['ID']['input'];
};


/** Reads. Fields that call a provider or the store are nullable, so that one failure does not null its siblings. */
export type QueryNodesArgs = {
  ids: ReadonlyArray<Scalars['ID']['input']>;
};


/** Reads. Fields that call a provider or the store are nullable, so that one failure does not null its siblings. */
export type QuerySearchArgs = {
  input: SearchInput;
  first: Scalars['Int']['input'];
  after?: InputMaybe<Scalars['String']['input']>;
};


/** Reads. Fields that call a provider or the store are nullable, so that one failure does not null its siblings. */
export type QueryExplainSearchArgs = {
  input: SearchInput;
  first: Scalars['Int']['input'];
};


/** Reads. Fields that call a provider or the store are nullable, so that one failure does not null its siblings. */
export type QueryWhyNotArgs = {
  input: SearchInput;
  documentId: Scalars['ID']['input'];
  first: Scalars['Int']['input'];
};


/** Reads. Fields that call a provider or the store are nullable, so that one failure does not null its siblings. */
export type QuerySimilarChunksArgs = {
  chunkId: Scalars['ID']['input'];
  filter?: InputMaybe<SearchFilter>;
  first: Scalars['Int']['input'];
};

/** Writes, run one after another in the order given; what is selected under a payload is the state after that mutation. */
export type Mutation = {
  readonly __typename?: 'Mutation';
  /** Deletes everything an owner has. Administrators only. */
  readonly eraseOwner?: Maybe<EraseOwnerPayload>;
  /** Creates a key. Administrators only; the first key ends development mode, so it must have role ADMIN. */
  readonly createApiKey?: Maybe<CreateApiKeyPayload>;
  /** Makes a key useless at once. Administrators only. */
  readonly revokeApiKey?: Maybe<RevokeApiKeyPayload>;
  /** Creates the owner's document of this title, or replaces it in place; atomically with its chunks. */
  readonly upsertDocument?: Maybe<UpsertDocumentPayload>;
  /** Changes title, metadata or agents without chunking or embedding again. */
  readonly updateDocument?: Maybe<UpdateDocumentPayload>;
  /** Removes a document with its chunks, vectors and text. */
  readonly deleteDocument?: Maybe<DeleteDocumentPayload>;
  /** Removes every document that a filter matches. */
  readonly deleteDocuments?: Maybe<DeleteDocumentsPayload>;
  /**
   * Embeds every chunk in another space beside the active one, as a job; for a space that a cancelled or failed job left, goes
   * on with it. CONFLICT beside another space, INVALID for the active one. Administrators only.
   */
  readonly reembed?: Maybe<ReembedPayload>;
  /** Switches searches over to a complete space, forwards or back. CONFLICT while a chunk lacks a vector. Administrators only. */
  readonly activateEmbeddingSpace?: Maybe<ActivateEmbeddingSpacePayload>;
  /** Deletes a space that is not active with its vectors and its index, and cancels the job that fills it. Administrators only. */
  readonly dropEmbeddingSpace?: Maybe<DropEmbeddingSpacePayload>;
  /**
   * Queues several documents as one job, for the caller's owner and agents; it fails where the caller's API key is revoked.
   * Documents are stored in no order, so a title may stand in a call once (INVALID).
   */
  readonly ingestDocuments?: Maybe<IngestDocumentsPayload>;
  /** Stops what has not started; what runs finishes or rolls back. */
  readonly cancelJob?: Maybe<JobPayload>;
  /** Queues the failed items again, from now on under the caller's API key. */
  readonly retryJob?: Maybe<JobPayload>;
  /** Creates or updates the search indexes that the configuration needs. Administrators only. */
  readonly ensureSearchIndexes?: Maybe<EnsureSearchIndexesPayload>;
};


/** Writes, run one after another in the order given; what is selected under a payload is the state after that mutation. */
export type MutationEraseOwnerArgs = {
  input: EraseOwnerInput;
};


/** Writes, run one after another in the order given; what is selected under a payload is the state after that mutation. */
export type MutationCreateApiKeyArgs = {
  input: CreateApiKeyInput;
};


/** Writes, run one after another in the order given; what is selected under a payload is the state after that mutation. */
export type MutationRevokeApiKeyArgs = {
  input: RevokeApiKeyInput;
};


/** Writes, run one after another in the order given; what is selected under a payload is the state after that mutation. */
export type MutationUpsertDocumentArgs = {
  input: UpsertDocumentInput;
};


/** Writes, run one after another in the order given; what is selected under a payload is the state after that mutation. */
export type MutationUpdateDocumentArgs = {
  input: UpdateDocumentInput;
};


/** Writes, run one after another in the order given; what is selected under a payload is the state after that mutation. */
export type MutationDeleteDocumentArgs = {
  input: DeleteDocumentInput;
};


/** Writes, run one after another in the order given; what is selected under a payload is the state after that mutation. */
export type MutationDeleteDocumentsArgs = {
  input: DeleteDocumentsInput;
};


/** Writes, run one after another in the order given; what is selected under a payload is the state after that mutation. */
export type MutationReembedArgs = {
  input: ReembedInput;
};


/** Writes, run one after another in the order given; what is selected under a payload is the state after that mutation. */
export type MutationActivateEmbeddingSpaceArgs = {
  input: ActivateEmbeddingSpaceInput;
};


/** Writes, run one after another in the order given; what is selected under a payload is the state after that mutation. */
export type MutationDropEmbeddingSpaceArgs = {
  input: DropEmbeddingSpaceInput;
};


/** Writes, run one after another in the order given; what is selected under a payload is the state after that mutation. */
export type MutationIngestDocumentsArgs = {
  input: IngestDocumentsInput;
};


/** Writes, run one after another in the order given; what is selected under a payload is the state after that mutation. */
export type MutationCancelJobArgs = {
  input: JobInput;
};


/** Writes, run one after another in the order given; what is selected under a payload is the state after that mutation. */
export type MutationRetryJobArgs = {
  input: JobInput;
};

/** Streams of changes, over graphql-ws or server-sent events. */
export type Subscription = {
  readonly __typename?: 'Subscription';
  /** The job now, and again after every change until it has ended. */
  readonly job: Job;
};


/** Streams of changes, over graphql-ws or server-sent events. */
export type SubscriptionJobArgs = {
  id: Scalars['ID']['input'];
};

/** A failure that the caller can act on. Bugs and outages are GraphQL errors with extensions.code instead. */
export type UserError = {
  readonly __typename?: 'UserError';
  readonly code: UserErrorCode;
  /** One sentence: what was wrong, what was got, and what to do. */
  readonly message: Scalars['String']['output'];
  /** Path to the input field at fault, e.g. ["input","title"]. */
  readonly path?: Maybe<ReadonlyArray<Scalars['String']['output']>>;
};

/** Why an input was refused. Clients must tolerate values that are added later. */
export type UserErrorCode =
  /** A value that the field does not take. */
  | 'INVALID'
  /** Nothing of that id or title in the caller's scope. */
  | 'NOT_FOUND'
  /** The stored state is not the expected one, or a title is taken. */
  | 'CONFLICT'
  /** Above a documented limit, which the message names. */
  | 'TOO_LARGE'
  /** No text was left to store. */
  | 'EMPTY_TEXT'
  /** A kind of file that is not read. */
  | 'UNSUPPORTED_MEDIA_TYPE'
  /** A file that is damaged or encrypted. */
  | 'UNREADABLE'
  /** The owner's quota is used up. */
  | 'QUOTA_EXCEEDED';

/** A search index on the database server. */
export type SearchIndex = {
  readonly __typename?: 'SearchIndex';
  readonly name: Scalars['String']['output'];
  readonly kind: SearchIndexKind;
  readonly status: SearchIndexStatus;
  /** Whether the server answers searches from it now. */
  readonly queryable: Scalars['Boolean']['output'];
  /** The definition as the server reports it. */
  readonly definition: Scalars['JSONObject']['output'];
  /** What the running configuration needs that the index lacks; empty when it fits. */
  readonly problems: ReadonlyArray<Scalars['String']['output']>;
};

/** What an index is for. */
export type SearchIndexKind =
  | 'VECTOR'
  | 'TEXT';

/** The state that the database server reports. */
export type SearchIndexStatus =
  | 'PENDING'
  | 'BUILDING'
  | 'READY'
  /** Served, but behind the collection. */
  | 'STALE'
  | 'FAILED'
  | 'DELETING'
  | 'DOES_NOT_EXIST';

/** The indexes as they are after the call; builds go on in the background. */
export type EnsureSearchIndexesPayload = {
  readonly __typename?: 'EnsureSearchIndexesPayload';
  readonly searchIndexes: ReadonlyArray<SearchIndex>;
  readonly userErrors: ReadonlyArray<UserError>;
};

/** What a search is restricted to, before ranking. Same rules as DocumentFilter; titles (at most 100) are resolved to documents first. */
export type SearchFilter = {
  readonly ids?: InputMaybe<ReadonlyArray<Scalars['ID']['input']>>;
  readonly titles?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
  readonly agentIds?: InputMaybe<ReadonlyArray<Scalars['ID']['input']>>;
  readonly metadata?: InputMaybe<ReadonlyArray<MetadataCondition>>;
  readonly and?: InputMaybe<ReadonlyArray<SearchFilter>>;
  readonly or?: InputMaybe<ReadonlyArray<SearchFilter>>;
  readonly not?: InputMaybe<SearchFilter>;
};

/** A question and how to look for its answer. An option of a leg that does not run (numCandidates with exact, minSimilarity with TEXT) is ignored. */
export type SearchInput = {
  /** The question in natural language. Exactly one of `query` and `vector`. */
  readonly query?: InputMaybe<Scalars['String']['input']>;
  /** A ready-made query vector of the active embedding space's dimensions; mode must be VECTOR. */
  readonly vector?: InputMaybe<ReadonlyArray<Scalars['Float']['input']>>;
  /** Default: HYBRID, or VECTOR when `vector` is given. */
  readonly mode?: InputMaybe<SearchMode>;
  readonly filter?: InputMaybe<SearchFilter>;
  /** Nearest-neighbour candidates gathered before the best are kept. Default: 20 × `first`, at least 200, at most 10000; raised to what the search needs when lower. */
  readonly numCandidates?: InputMaybe<Scalars['Int']['input']>;
  /** Compare against every vector in scope instead of the approximate index. */
  readonly exact: Scalars['Boolean']['input'];
  /** Drop hits whose vector similarity score (0 to 1, higher is closer) is lower. */
  readonly minSimilarity?: InputMaybe<Scalars['Float']['input']>;
  /** At most this many hits from one document. */
  readonly maxPerDocument?: InputMaybe<Scalars['Int']['input']>;
  /** Reorder the best candidates with the configured reranker. */
  readonly rerank: Scalars['Boolean']['input'];
  /** How much each leg of HYBRID counts; given, the legs are fused by reciprocal rank. Default: calibrated per embedding space and by how well it knows the query's language. */
  readonly weights?: InputMaybe<HybridWeights>;
};

/** Relative weights of the two legs; 0 drops a leg. */
export type HybridWeights = {
  readonly vector: Scalars['Float']['input'];
  readonly text: Scalars['Float']['input'];
};

/** Which legs a search runs. */
export type SearchMode =
  /** Nearest neighbours of the query's embedding. */
  | 'VECTOR'
  /** BM25 over the chunks' words. */
  | 'TEXT'
  /** Both, fused by their normalised scores; by reciprocal rank, as $rankFusion does, when `weights` are given. */
  | 'HYBRID';

/** Hits, best first. Pages of one search never repeat or skip a hit. */
export type SearchConnection = {
  readonly __typename?: 'SearchConnection';
  readonly edges: ReadonlyArray<SearchEdge>;
  /** The edges' nodes. */
  readonly nodes: ReadonlyArray<Chunk>;
  readonly pageInfo: PageInfo;
  readonly diagnostics: SearchDiagnostics;
};

/** A chunk as the result of one search. Selecting only `node { id }` and scores fetches no chunk text. */
export type SearchEdge = {
  readonly __typename?: 'SearchEdge';
  readonly cursor: Scalars['String']['output'];
  readonly node: Chunk;
  /** 1-based. */
  readonly rank: Scalars['Int']['output'];
  /** What this search sorted by, higher is better; comparable only within the search. `scores` says what it is made of. */
  readonly score: Scalars['Float']['output'];
  readonly scores: Scores;
  /** The passage's best-matching pieces, for TEXT and HYBRID. */
  readonly highlights: ReadonlyArray<Highlight>;
};

/** Each number has one meaning, or is null when that leg did not see the chunk. */
export type Scores = {
  readonly __typename?: 'Scores';
  /** Normalised vector similarity as Atlas defines it, 0 to 1, higher is closer. */
  readonly similarity?: Maybe<Scalars['Float']['output']>;
  /** Distance in the space's own measure, lower is closer: 1 − cosine (0 to 2), or Euclidean. */
  readonly distance?: Maybe<Scalars['Float']['output']>;
  /** BM25, unbounded, higher is better. */
  readonly text?: Maybe<Scalars['Float']['output']>;
  /** Fused score of HYBRID, higher is better. */
  readonly fused?: Maybe<Scalars['Float']['output']>;
  /** The reranker's own scale, higher is better. */
  readonly rerank?: Maybe<Scalars['Float']['output']>;
};

/** A piece of the chunk's text around matched words; offsets into `Chunk.text`. */
export type Highlight = {
  readonly __typename?: 'Highlight';
  readonly text: Scalars['String']['output'];
  readonly start: Scalars['Int']['output'];
  readonly end: Scalars['Int']['output'];
};

/** How a search was run. */
export type SearchDiagnostics = {
  readonly __typename?: 'SearchDiagnostics';
  readonly mode: SearchMode;
  /** The effective value after clamping; null when no vector leg ran or it was exact. */
  readonly numCandidates?: Maybe<Scalars['Int']['output']>;
  readonly exact: Scalars['Boolean']['output'];
  /** Provider, model and dimensions of the space that was searched, as in `hash/feature-hashing-v1 (256 dimensions)`; null for TEXT. */
  readonly embeddingSpace?: Maybe<Scalars['String']['output']>;
  /** The weights used, after calibration and language check; null unless HYBRID. */
  readonly weights?: Maybe<EffectiveWeights>;
  /** Hits that the index returned but that were deleted, superseded or out of scope, and so were not shown. */
  readonly staleDropped: Scalars['Int']['output'];
  /** What was asked for and could not be done, e.g. RERANK_UNAVAILABLE. Empty when all went as asked. */
  readonly degraded: ReadonlyArray<Degradation>;
  readonly tookMs: Scalars['Float']['output'];
};

/** The weights that the legs of one HYBRID search had. */
export type EffectiveWeights = {
  readonly __typename?: 'EffectiveWeights';
  readonly vector: Scalars['Float']['output'];
  readonly text: Scalars['Float']['output'];
};

/** A part of a search that could not be done. Clients must tolerate values that are added later. */
export type Degradation =
  /** Chunks written within the last minute may be missing. */
  | 'OVERLAY_SKIPPED'
  /** The base order is shown. */
  | 'RERANK_UNAVAILABLE'
  /** The query could not be embedded: text hits only. */
  | 'EMBEDDER_UNAVAILABLE'
  /** The text index is missing or being built: vector hits only. */
  | 'TEXT_INDEX_UNAVAILABLE'
  /** The vector index is missing or being built: text hits only. */
  | 'VECTOR_INDEX_UNAVAILABLE';

/** What a search would do, leg by leg, and what became of each candidate. */
export type SearchExplanation = {
  readonly __typename?: 'SearchExplanation';
  readonly legs: ReadonlyArray<LegExplanation>;
  /** How the legs were joined; null with one leg. */
  readonly fusion?: Maybe<Scalars['String']['output']>;
  /** The $rankFusion pipeline of the same legs, complete with its query vector, to paste into a shell; null unless HYBRID with reciprocal-rank fusion. */
  readonly rankFusionPipeline?: Maybe<ReadonlyArray<Scalars['JSONObject']['output']>>;
  readonly candidates: ReadonlyArray<CandidateExplanation>;
};

/** `pipeline` is what the server was sent, vectors elided. */
export type LegExplanation = {
  readonly __typename?: 'LegExplanation';
  readonly mode: SearchMode;
  readonly index: Scalars['String']['output'];
  readonly indexStatus: SearchIndexStatus;
  readonly pipeline: ReadonlyArray<Scalars['JSONObject']['output']>;
  /** Candidates that the leg returned. */
  readonly returned: Scalars['Int']['output'];
  readonly tookMs: Scalars['Float']['output'];
};

/** One candidate of a search with its place in each leg, 1-based; null where the leg did not return it. */
export type CandidateExplanation = {
  readonly __typename?: 'CandidateExplanation';
  readonly chunk: Chunk;
  readonly scores: Scores;
  readonly vectorRank?: Maybe<Scalars['Int']['output']>;
  readonly textRank?: Maybe<Scalars['Int']['output']>;
  readonly rank?: Maybe<Scalars['Int']['output']>;
  /** Why it is not a hit; null when it is. */
  readonly droppedBy?: Maybe<DropReason>;
};

/** What kept a candidate from being a hit. */
export type DropReason =
  | 'BELOW_MIN_SIMILARITY'
  /** Deleted, superseded or withdrawn since it was indexed. */
  | 'STALE'
  | 'OUT_OF_FILTER'
  | 'PER_DOCUMENT_CAP'
  /** Others ranked higher. */
  | 'NOT_IN_TOP';

/** Why a document is not among the first hits of a search. */
export type WhyNot = {
  readonly __typename?: 'WhyNot';
  readonly reason: WhyNotReason;
  /** Plain words, with the numbers. */
  readonly detail: Scalars['String']['output'];
  /** The document's best chunk under this search; null when none was a candidate. */
  readonly best?: Maybe<CandidateExplanation>;
};

/** The gate at which a document was held. */
export type WhyNotReason =
  | 'IT_IS_A_HIT'
  | 'NOT_INDEXED_YET'
  | 'NO_VERSION_STORED'
  | 'EXCLUDED_BY_FILTER'
  | 'BELOW_MIN_SIMILARITY'
  | 'PER_DOCUMENT_CAP'
  | 'RANKED_LOWER'
  | 'NOT_A_CANDIDATE';

/** The caller, from its credentials alone. `agentIds` is null when the credentials are not bound to agents. */
export type Viewer = {
  readonly __typename?: 'Viewer';
  readonly ownerId: Scalars['ID']['output'];
  readonly role: Role;
  readonly agentIds?: Maybe<ReadonlyArray<Scalars['ID']['output']>>;
};

/** What credentials allow; each includes the one before. */
export type Role =
  /** Reads what its owner has. */
  | 'READER'
  /** Reads and writes what its owner has. */
  | 'WRITER'
  /** Operates the instance (indexes, spaces, keys, erasing owners): for operators, never for a tenant. */
  | 'ADMIN';



export type ResolverTypeWrapper<T> = Promise<T> | T;


export type ResolverWithResolve<TResult, TParent, TContext, TArgs> = {
  resolve: ResolverFn<TResult, TParent, TContext, TArgs>;
};
export type Resolver<TResult, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = ResolverFn<TResult, TParent, TContext, TArgs> | ResolverWithResolve<TResult, TParent, TContext, TArgs>;

export type ResolverFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => Promise<TResult> | TResult;

export type SubscriptionSubscribeFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => AsyncIterable<TResult> | Promise<AsyncIterable<TResult>>;

export type SubscriptionResolveFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;

export interface SubscriptionSubscriberObject<TResult, TKey extends string, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<{ [key in TKey]: TResult }, TParent, TContext, TArgs>;
  resolve?: SubscriptionResolveFn<TResult, { [key in TKey]: TResult }, TContext, TArgs>;
}

export interface SubscriptionResolverObject<TResult, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<any, TParent, TContext, TArgs>;
  resolve: SubscriptionResolveFn<TResult, any, TContext, TArgs>;
}

export type SubscriptionObject<TResult, TKey extends string, TParent, TContext, TArgs> =
  | SubscriptionSubscriberObject<TResult, TKey, TParent, TContext, TArgs>
  | SubscriptionResolverObject<TResult, TParent, TContext, TArgs>;

export type SubscriptionResolver<TResult, TKey extends string, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> =
  | ((...args: any[]) => SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>)
  | SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>;

export type TypeResolveFn<TTypes, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (
  parent: TParent,
  context: TContext,
  info: GraphQLResolveInfo
) => Maybe<TTypes> | Promise<Maybe<TTypes>>;

export type IsTypeOfResolverFn<T = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (obj: T, context: TContext, info: GraphQLResolveInfo) => boolean | Promise<boolean>;

export type NextResolverFn<T> = () => Promise<T>;

export type DirectiveResolverFn<TResult = Record<PropertyKey, never>, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = (
  next: NextResolverFn<TResult>,
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;




/** Mapping of interface types */
export type ResolversInterfaceTypes<_RefType extends Record<string, unknown>> = {
  Node:
    | ( ChunkRecord )
    | ( DocumentRecord )
    | ( SpaceRecord )
    | ( JobRecord )
  ;
};

/** Mapping between all available schema types and the resolvers types */
export type ResolversTypes = {
  Admin: ResolverTypeWrapper<AdminDoor>;
  EraseOwnerInput: EraseOwnerInput;
  ID: ResolverTypeWrapper<Scalars['ID']['output']>;
  Boolean: ResolverTypeWrapper<Scalars['Boolean']['output']>;
  EraseOwnerPayload: ResolverTypeWrapper<EraseOwnerPayload>;
  Int: ResolverTypeWrapper<Scalars['Int']['output']>;
  ApiKey: ResolverTypeWrapper<ApiKeyRecord>;
  String: ResolverTypeWrapper<Scalars['String']['output']>;
  CreateApiKeyInput: CreateApiKeyInput;
  CreateApiKeyPayload: ResolverTypeWrapper<Omit<CreateApiKeyPayload, 'apiKey'> & { apiKey?: Maybe<ResolversTypes['ApiKey']> }>;
  RevokeApiKeyInput: RevokeApiKeyInput;
  RevokeApiKeyPayload: ResolverTypeWrapper<RevokeApiKeyPayload>;
  Chunk: ResolverTypeWrapper<ChunkRecord>;
  TextSpan: ResolverTypeWrapper<Span>;
  ChunkConnection: ResolverTypeWrapper<ChunkListing>;
  ChunkEdge: ResolverTypeWrapper<Omit<ChunkEdge, 'node'> & { node: ResolversTypes['Chunk'] }>;
  Chunking: ResolverTypeWrapper<ChunkingSource>;
  ChunkingStrategy: ChunkingStrategy;
  ChunkingInput: ChunkingInput;
  Document: ResolverTypeWrapper<DocumentRecord>;
  DocumentStatus: DocumentStatus;
  DocumentConnection: ResolverTypeWrapper<DocumentListing>;
  DocumentEdge: ResolverTypeWrapper<Omit<DocumentEdge, 'node'> & { node: ResolversTypes['Document'] }>;
  DocumentBy: DocumentBy;
  DocumentFilter: DocumentFilter;
  MetadataCondition: MetadataCondition;
  DocumentOrder: DocumentOrder;
  UpsertDocumentInput: UpsertDocumentInput;
  FileInput: FileInput;
  WaitUntil: WaitUntil;
  UpsertDocumentPayload: ResolverTypeWrapper<Omit<UpsertDocumentPayload, 'document'> & { document?: Maybe<ResolversTypes['Document']> }>;
  UpsertOutcome: UpsertOutcome;
  UpsertChanges: ResolverTypeWrapper<UpsertChanges>;
  UpdateDocumentInput: UpdateDocumentInput;
  UpdateDocumentPayload: ResolverTypeWrapper<Omit<UpdateDocumentPayload, 'document'> & { document?: Maybe<ResolversTypes['Document']> }>;
  DeleteDocumentInput: DeleteDocumentInput;
  DeleteDocumentPayload: ResolverTypeWrapper<DeleteDocumentPayload>;
  DeleteDocumentsInput: DeleteDocumentsInput;
  DeleteDocumentsPayload: ResolverTypeWrapper<DeleteDocumentsPayload>;
  EmbeddingSpace: ResolverTypeWrapper<SpaceRecord>;
  EmbeddingSpaceState: EmbeddingSpaceState;
  Similarity: Similarity;
  ReembedInput: ReembedInput;
  ReembedPayload: ResolverTypeWrapper<Omit<ReembedPayload, 'job' | 'embeddingSpace'> & { job?: Maybe<ResolversTypes['Job']>, embeddingSpace?: Maybe<ResolversTypes['EmbeddingSpace']> }>;
  ActivateEmbeddingSpaceInput: ActivateEmbeddingSpaceInput;
  ActivateEmbeddingSpacePayload: ResolverTypeWrapper<Omit<ActivateEmbeddingSpacePayload, 'embeddingSpace'> & { embeddingSpace?: Maybe<ResolversTypes['EmbeddingSpace']> }>;
  DropEmbeddingSpaceInput: DropEmbeddingSpaceInput;
  DropEmbeddingSpacePayload: ResolverTypeWrapper<DropEmbeddingSpacePayload>;
  Job: ResolverTypeWrapper<JobRecord>;
  JobProgress: ResolverTypeWrapper<JobProgressSource>;
  JobPhase: JobPhase;
  JobKind: JobKind;
  JobState: JobState;
  JobItem: ResolverTypeWrapper<JobItemRecord>;
  JobItemState: JobItemState;
  JobError: ResolverTypeWrapper<JobError>;
  JobItemConnection: ResolverTypeWrapper<JobItemListing>;
  JobItemEdge: ResolverTypeWrapper<Omit<JobItemEdge, 'node'> & { node: ResolversTypes['JobItem'] }>;
  JobConnection: ResolverTypeWrapper<JobListing>;
  JobEdge: ResolverTypeWrapper<Omit<JobEdge, 'node'> & { node: ResolversTypes['Job'] }>;
  IngestDocumentsInput: IngestDocumentsInput;
  IngestDocumentsPayload: ResolverTypeWrapper<Omit<IngestDocumentsPayload, 'job'> & { job?: Maybe<ResolversTypes['Job']> }>;
  JobInput: JobInput;
  JobPayload: ResolverTypeWrapper<Omit<JobPayload, 'job'> & { job?: Maybe<ResolversTypes['Job']> }>;
  Node: ResolverTypeWrapper<ResolversInterfaceTypes<ResolversTypes>['Node']>;
  PageInfo: ResolverTypeWrapper<PageInfo>;
  Query: ResolverTypeWrapper<Record<PropertyKey, never>>;
  Mutation: ResolverTypeWrapper<Record<PropertyKey, never>>;
  Subscription: ResolverTypeWrapper<Record<PropertyKey, never>>;
  UserError: ResolverTypeWrapper<UserError>;
  UserErrorCode: UserErrorCode;
  DateTime: ResolverTypeWrapper<Scalars['DateTime']['output']>;
  JSONObject: ResolverTypeWrapper<Scalars['JSONObject']['output']>;
  MetadataValue: ResolverTypeWrapper<Scalars['MetadataValue']['output']>;
  SearchIndex: ResolverTypeWrapper<SearchIndexRecord>;
  SearchIndexKind: SearchIndexKind;
  SearchIndexStatus: SearchIndexStatus;
  EnsureSearchIndexesPayload: ResolverTypeWrapper<Omit<EnsureSearchIndexesPayload, 'searchIndexes'> & { searchIndexes: ReadonlyArray<ResolversTypes['SearchIndex']> }>;
  SearchFilter: SearchFilter;
  SearchInput: SearchInput;
  Float: ResolverTypeWrapper<Scalars['Float']['output']>;
  HybridWeights: HybridWeights;
  SearchMode: SearchMode;
  SearchConnection: ResolverTypeWrapper<SearchListing>;
  SearchEdge: ResolverTypeWrapper<SearchHit>;
  Scores: ResolverTypeWrapper<Scores>;
  Highlight: ResolverTypeWrapper<Highlight>;
  SearchDiagnostics: ResolverTypeWrapper<SearchDiagnostics>;
  EffectiveWeights: ResolverTypeWrapper<EffectiveWeights>;
  Degradation: Degradation;
  SearchExplanation: ResolverTypeWrapper<SearchExplanationSource>;
  LegExplanation: ResolverTypeWrapper<Leg>;
  CandidateExplanation: ResolverTypeWrapper<CandidateExplanationSource>;
  DropReason: DropReason;
  WhyNot: ResolverTypeWrapper<WhyNotSource>;
  WhyNotReason: WhyNotReason;
  Viewer: ResolverTypeWrapper<ViewerSource>;
  Role: Role;
};

/** Mapping between all available schema types and the resolvers parents */
export type ResolversParentTypes = {
  Admin: AdminDoor;
  EraseOwnerInput: EraseOwnerInput;
  ID: Scalars['ID']['output'];
  Boolean: Scalars['Boolean']['output'];
  EraseOwnerPayload: EraseOwnerPayload;
  Int: Scalars['Int']['output'];
  ApiKey: ApiKeyRecord;
  String: Scalars['String']['output'];
  CreateApiKeyInput: CreateApiKeyInput;
  CreateApiKeyPayload: Omit<CreateApiKeyPayload, 'apiKey'> & { apiKey?: Maybe<ResolversParentTypes['ApiKey']> };
  RevokeApiKeyInput: RevokeApiKeyInput;
  RevokeApiKeyPayload: RevokeApiKeyPayload;
  Chunk: ChunkRecord;
  TextSpan: Span;
  ChunkConnection: ChunkListing;
  ChunkEdge: Omit<ChunkEdge, 'node'> & { node: ResolversParentTypes['Chunk'] };
  Chunking: ChunkingSource;
  ChunkingInput: ChunkingInput;
  Document: DocumentRecord;
  DocumentConnection: DocumentListing;
  DocumentEdge: Omit<DocumentEdge, 'node'> & { node: ResolversParentTypes['Document'] };
  DocumentBy: DocumentBy;
  DocumentFilter: DocumentFilter;
  MetadataCondition: MetadataCondition;
  UpsertDocumentInput: UpsertDocumentInput;
  FileInput: FileInput;
  UpsertDocumentPayload: Omit<UpsertDocumentPayload, 'document'> & { document?: Maybe<ResolversParentTypes['Document']> };
  UpsertChanges: UpsertChanges;
  UpdateDocumentInput: UpdateDocumentInput;
  UpdateDocumentPayload: Omit<UpdateDocumentPayload, 'document'> & { document?: Maybe<ResolversParentTypes['Document']> };
  DeleteDocumentInput: DeleteDocumentInput;
  DeleteDocumentPayload: DeleteDocumentPayload;
  DeleteDocumentsInput: DeleteDocumentsInput;
  DeleteDocumentsPayload: DeleteDocumentsPayload;
  EmbeddingSpace: SpaceRecord;
  ReembedInput: ReembedInput;
  ReembedPayload: Omit<ReembedPayload, 'job' | 'embeddingSpace'> & { job?: Maybe<ResolversParentTypes['Job']>, embeddingSpace?: Maybe<ResolversParentTypes['EmbeddingSpace']> };
  ActivateEmbeddingSpaceInput: ActivateEmbeddingSpaceInput;
  ActivateEmbeddingSpacePayload: Omit<ActivateEmbeddingSpacePayload, 'embeddingSpace'> & { embeddingSpace?: Maybe<ResolversParentTypes['EmbeddingSpace']> };
  DropEmbeddingSpaceInput: DropEmbeddingSpaceInput;
  DropEmbeddingSpacePayload: DropEmbeddingSpacePayload;
  Job: JobRecord;
  JobProgress: JobProgressSource;
  JobItem: JobItemRecord;
  JobError: JobError;
  JobItemConnection: JobItemListing;
  JobItemEdge: Omit<JobItemEdge, 'node'> & { node: ResolversParentTypes['JobItem'] };
  JobConnection: JobListing;
  JobEdge: Omit<JobEdge, 'node'> & { node: ResolversParentTypes['Job'] };
  IngestDocumentsInput: IngestDocumentsInput;
  IngestDocumentsPayload: Omit<IngestDocumentsPayload, 'job'> & { job?: Maybe<ResolversParentTypes['Job']> };
  JobInput: JobInput;
  JobPayload: Omit<JobPayload, 'job'> & { job?: Maybe<ResolversParentTypes['Job']> };
  Node: ResolversInterfaceTypes<ResolversParentTypes>['Node'];
  PageInfo: PageInfo;
  Query: Record<PropertyKey, never>;
  Mutation: Record<PropertyKey, never>;
  Subscription: Record<PropertyKey, never>;
  UserError: UserError;
  DateTime: Scalars['DateTime']['output'];
  JSONObject: Scalars['JSONObject']['output'];
  MetadataValue: Scalars['MetadataValue']['output'];
  SearchIndex: SearchIndexRecord;
  EnsureSearchIndexesPayload: Omit<EnsureSearchIndexesPayload, 'searchIndexes'> & { searchIndexes: ReadonlyArray<ResolversParentTypes['SearchIndex']> };
  SearchFilter: SearchFilter;
  SearchInput: SearchInput;
  Float: Scalars['Float']['output'];
  HybridWeights: HybridWeights;
  SearchConnection: SearchListing;
  SearchEdge: SearchHit;
  Scores: Scores;
  Highlight: Highlight;
  SearchDiagnostics: SearchDiagnostics;
  EffectiveWeights: EffectiveWeights;
  SearchExplanation: SearchExplanationSource;
  LegExplanation: Leg;
  CandidateExplanation: CandidateExplanationSource;
  WhyNot: WhyNotSource;
  Viewer: ViewerSource;
};

export type AdminResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Admin'] = ResolversParentTypes['Admin']> = {
  searchIndexes?: Resolver<ReadonlyArray<ResolversTypes['SearchIndex']>, ParentType, ContextType>;
  embeddingSpaces?: Resolver<ReadonlyArray<ResolversTypes['EmbeddingSpace']>, ParentType, ContextType>;
  apiKeys?: Resolver<ReadonlyArray<ResolversTypes['ApiKey']>, ParentType, ContextType>;
};

export type EraseOwnerPayloadResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['EraseOwnerPayload'] = ResolversParentTypes['EraseOwnerPayload']> = {
  documents?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  chunks?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  jobs?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  apiKeys?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  userErrors?: Resolver<ReadonlyArray<ResolversTypes['UserError']>, ParentType, ContextType>;
};

export type ApiKeyResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['ApiKey'] = ResolversParentTypes['ApiKey']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  ownerId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  role?: Resolver<ResolversTypes['Role'], ParentType, ContextType>;
  agentIds?: Resolver<Maybe<ReadonlyArray<ResolversTypes['ID']>>, ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  expiresAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  lastUsedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
};

export type CreateApiKeyPayloadResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['CreateApiKeyPayload'] = ResolversParentTypes['CreateApiKeyPayload']> = {
  apiKey?: Resolver<Maybe<ResolversTypes['ApiKey']>, ParentType, ContextType>;
  secret?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  userErrors?: Resolver<ReadonlyArray<ResolversTypes['UserError']>, ParentType, ContextType>;
};

export type RevokeApiKeyPayloadResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['RevokeApiKeyPayload'] = ResolversParentTypes['RevokeApiKeyPayload']> = {
  revokedApiKeyId?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  userErrors?: Resolver<ReadonlyArray<ResolversTypes['UserError']>, ParentType, ContextType>;
};

export type ChunkResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Chunk'] = ResolversParentTypes['Chunk']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  document?: Resolver<ResolversTypes['Document'], ParentType, ContextType>;
  ordinal?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  text?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  start?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  end?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  headings?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  page?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  tokenCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  previous?: Resolver<Maybe<ResolversTypes['Chunk']>, ParentType, ContextType>;
  next?: Resolver<Maybe<ResolversTypes['Chunk']>, ParentType, ContextType>;
  parent?: Resolver<Maybe<ResolversTypes['TextSpan']>, ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type TextSpanResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['TextSpan'] = ResolversParentTypes['TextSpan']> = {
  text?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  start?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  end?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type ChunkConnectionResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['ChunkConnection'] = ResolversParentTypes['ChunkConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['ChunkEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<ResolversTypes['Chunk']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type ChunkEdgeResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['ChunkEdge'] = ResolversParentTypes['ChunkEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['Chunk'], ParentType, ContextType>;
};

export type ChunkingResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Chunking'] = ResolversParentTypes['Chunking']> = {
  strategy?: Resolver<ResolversTypes['ChunkingStrategy'], ParentType, ContextType>;
  maxTokens?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  maxCharacters?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  overlap?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  contextual?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
};

export type DocumentResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Document'] = ResolversParentTypes['Document']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  title?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  text?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  textLength?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  mediaType?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  language?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  sourceUri?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  agentIds?: Resolver<ReadonlyArray<ResolversTypes['ID']>, ParentType, ContextType>;
  metadata?: Resolver<ResolversTypes['JSONObject'], ParentType, ContextType>;
  version?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  revision?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  status?: Resolver<ResolversTypes['DocumentStatus'], ParentType, ContextType>;
  lastError?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  chunkCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  chunks?: Resolver<ResolversTypes['ChunkConnection'], ParentType, ContextType, RequireFields<DocumentChunksArgs, 'first'>>;
  chunking?: Resolver<ResolversTypes['Chunking'], ParentType, ContextType>;
  embeddingSpace?: Resolver<Maybe<ResolversTypes['EmbeddingSpace']>, ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  updatedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type DocumentConnectionResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['DocumentConnection'] = ResolversParentTypes['DocumentConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['DocumentEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<ResolversTypes['Document']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type DocumentEdgeResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['DocumentEdge'] = ResolversParentTypes['DocumentEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['Document'], ParentType, ContextType>;
};

export type UpsertDocumentPayloadResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['UpsertDocumentPayload'] = ResolversParentTypes['UpsertDocumentPayload']> = {
  document?: Resolver<Maybe<ResolversTypes['Document']>, ParentType, ContextType>;
  outcome?: Resolver<Maybe<ResolversTypes['UpsertOutcome']>, ParentType, ContextType>;
  changes?: Resolver<Maybe<ResolversTypes['UpsertChanges']>, ParentType, ContextType>;
  searchable?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  warnings?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  userErrors?: Resolver<ReadonlyArray<ResolversTypes['UserError']>, ParentType, ContextType>;
};

export type UpsertChangesResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['UpsertChanges'] = ResolversParentTypes['UpsertChanges']> = {
  chunksAdded?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  chunksKept?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  chunksRemoved?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  chunksEmbedded?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  embeddingTokens?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type UpdateDocumentPayloadResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['UpdateDocumentPayload'] = ResolversParentTypes['UpdateDocumentPayload']> = {
  document?: Resolver<Maybe<ResolversTypes['Document']>, ParentType, ContextType>;
  userErrors?: Resolver<ReadonlyArray<ResolversTypes['UserError']>, ParentType, ContextType>;
};

export type DeleteDocumentPayloadResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['DeleteDocumentPayload'] = ResolversParentTypes['DeleteDocumentPayload']> = {
  deletedDocumentId?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  deletedChunks?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  userErrors?: Resolver<ReadonlyArray<ResolversTypes['UserError']>, ParentType, ContextType>;
};

export type DeleteDocumentsPayloadResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['DeleteDocumentsPayload'] = ResolversParentTypes['DeleteDocumentsPayload']> = {
  deletedDocuments?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  deletedChunks?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  userErrors?: Resolver<ReadonlyArray<ResolversTypes['UserError']>, ParentType, ContextType>;
};

export type EmbeddingSpaceResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['EmbeddingSpace'] = ResolversParentTypes['EmbeddingSpace']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  provider?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  model?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  dimensions?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  similarity?: Resolver<ResolversTypes['Similarity'], ParentType, ContextType>;
  state?: Resolver<ResolversTypes['EmbeddingSpaceState'], ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type ReembedPayloadResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['ReembedPayload'] = ResolversParentTypes['ReembedPayload']> = {
  job?: Resolver<Maybe<ResolversTypes['Job']>, ParentType, ContextType>;
  embeddingSpace?: Resolver<Maybe<ResolversTypes['EmbeddingSpace']>, ParentType, ContextType>;
  userErrors?: Resolver<ReadonlyArray<ResolversTypes['UserError']>, ParentType, ContextType>;
};

export type ActivateEmbeddingSpacePayloadResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['ActivateEmbeddingSpacePayload'] = ResolversParentTypes['ActivateEmbeddingSpacePayload']> = {
  embeddingSpace?: Resolver<Maybe<ResolversTypes['EmbeddingSpace']>, ParentType, ContextType>;
  userErrors?: Resolver<ReadonlyArray<ResolversTypes['UserError']>, ParentType, ContextType>;
};

export type DropEmbeddingSpacePayloadResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['DropEmbeddingSpacePayload'] = ResolversParentTypes['DropEmbeddingSpacePayload']> = {
  droppedEmbeddingSpaceId?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  userErrors?: Resolver<ReadonlyArray<ResolversTypes['UserError']>, ParentType, ContextType>;
};

export type JobResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Job'] = ResolversParentTypes['Job']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  kind?: Resolver<ResolversTypes['JobKind'], ParentType, ContextType>;
  state?: Resolver<ResolversTypes['JobState'], ParentType, ContextType>;
  total?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  done?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  failed?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  items?: Resolver<ResolversTypes['JobItemConnection'], ParentType, ContextType, RequireFields<JobItemsArgs, 'first'>>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  startedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  finishedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  progress?: Resolver<Maybe<ResolversTypes['JobProgress']>, ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type JobProgressResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['JobProgress'] = ResolversParentTypes['JobProgress']> = {
  item?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  phase?: Resolver<ResolversTypes['JobPhase'], ParentType, ContextType>;
  done?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  total?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  at?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
};

export type JobItemResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['JobItem'] = ResolversParentTypes['JobItem']> = {
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  state?: Resolver<ResolversTypes['JobItemState'], ParentType, ContextType>;
  outcome?: Resolver<Maybe<ResolversTypes['UpsertOutcome']>, ParentType, ContextType>;
  document?: Resolver<Maybe<ResolversTypes['Document']>, ParentType, ContextType>;
  error?: Resolver<Maybe<ResolversTypes['JobError']>, ParentType, ContextType>;
};

export type JobErrorResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['JobError'] = ResolversParentTypes['JobError']> = {
  code?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  message?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  retryable?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
};

export type JobItemConnectionResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['JobItemConnection'] = ResolversParentTypes['JobItemConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['JobItemEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<ResolversTypes['JobItem']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type JobItemEdgeResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['JobItemEdge'] = ResolversParentTypes['JobItemEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['JobItem'], ParentType, ContextType>;
};

export type JobConnectionResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['JobConnection'] = ResolversParentTypes['JobConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['JobEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<ResolversTypes['Job']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type JobEdgeResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['JobEdge'] = ResolversParentTypes['JobEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['Job'], ParentType, ContextType>;
};

export type IngestDocumentsPayloadResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['IngestDocumentsPayload'] = ResolversParentTypes['IngestDocumentsPayload']> = {
  job?: Resolver<Maybe<ResolversTypes['Job']>, ParentType, ContextType>;
  userErrors?: Resolver<ReadonlyArray<ResolversTypes['UserError']>, ParentType, ContextType>;
};

export type JobPayloadResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['JobPayload'] = ResolversParentTypes['JobPayload']> = {
  job?: Resolver<Maybe<ResolversTypes['Job']>, ParentType, ContextType>;
  userErrors?: Resolver<ReadonlyArray<ResolversTypes['UserError']>, ParentType, ContextType>;
};

export type NodeResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Node'] = ResolversParentTypes['Node']> = {
  __resolveType: TypeResolveFn<'Chunk' | 'Document' | 'EmbeddingSpace' | 'Job', ParentType, ContextType>;
};

export type PageInfoResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['PageInfo'] = ResolversParentTypes['PageInfo']> = {
  hasNextPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  hasPreviousPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  startCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  endCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type QueryResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Query'] = ResolversParentTypes['Query']> = {
  admin?: Resolver<Maybe<ResolversTypes['Admin']>, ParentType, ContextType>;
  document?: Resolver<Maybe<ResolversTypes['Document']>, ParentType, ContextType, RequireFields<QueryDocumentArgs, 'by'>>;
  documents?: Resolver<Maybe<ResolversTypes['DocumentConnection']>, ParentType, ContextType, RequireFields<QueryDocumentsArgs, 'orderBy' | 'first'>>;
  jobs?: Resolver<Maybe<ResolversTypes['JobConnection']>, ParentType, ContextType, RequireFields<QueryJobsArgs, 'first'>>;
  node?: Resolver<Maybe<ResolversTypes['Node']>, ParentType, ContextType, RequireFields<QueryNodeArgs, 'id'>>;
  nodes?: Resolver<Maybe<ReadonlyArray<Maybe<ResolversTypes['Node']>>>, ParentType, ContextType, RequireFields<QueryNodesArgs, 'ids'>>;
  search?: Resolver<Maybe<ResolversTypes['SearchConnection']>, ParentType, ContextType, RequireFields<QuerySearchArgs, 'input' | 'first'>>;
  explainSearch?: Resolver<Maybe<ResolversTypes['SearchExplanation']>, ParentType, ContextType, RequireFields<QueryExplainSearchArgs, 'input' | 'first'>>;
  whyNot?: Resolver<Maybe<ResolversTypes['WhyNot']>, ParentType, ContextType, RequireFields<QueryWhyNotArgs, 'input' | 'documentId' | 'first'>>;
  similarChunks?: Resolver<Maybe<ResolversTypes['SearchConnection']>, ParentType, ContextType, RequireFields<QuerySimilarChunksArgs, 'chunkId' | 'first'>>;
  viewer?: Resolver<ResolversTypes['Viewer'], ParentType, ContextType>;
};

export type MutationResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Mutation'] = ResolversParentTypes['Mutation']> = {
  eraseOwner?: Resolver<Maybe<ResolversTypes['EraseOwnerPayload']>, ParentType, ContextType, RequireFields<MutationEraseOwnerArgs, 'input'>>;
  createApiKey?: Resolver<Maybe<ResolversTypes['CreateApiKeyPayload']>, ParentType, ContextType, RequireFields<MutationCreateApiKeyArgs, 'input'>>;
  revokeApiKey?: Resolver<Maybe<ResolversTypes['RevokeApiKeyPayload']>, ParentType, ContextType, RequireFields<MutationRevokeApiKeyArgs, 'input'>>;
  upsertDocument?: Resolver<Maybe<ResolversTypes['UpsertDocumentPayload']>, ParentType, ContextType, RequireFields<MutationUpsertDocumentArgs, 'input'>>;
  updateDocument?: Resolver<Maybe<ResolversTypes['UpdateDocumentPayload']>, ParentType, ContextType, RequireFields<MutationUpdateDocumentArgs, 'input'>>;
  deleteDocument?: Resolver<Maybe<ResolversTypes['DeleteDocumentPayload']>, ParentType, ContextType, RequireFields<MutationDeleteDocumentArgs, 'input'>>;
  deleteDocuments?: Resolver<Maybe<ResolversTypes['DeleteDocumentsPayload']>, ParentType, ContextType, RequireFields<MutationDeleteDocumentsArgs, 'input'>>;
  reembed?: Resolver<Maybe<ResolversTypes['ReembedPayload']>, ParentType, ContextType, RequireFields<MutationReembedArgs, 'input'>>;
  activateEmbeddingSpace?: Resolver<Maybe<ResolversTypes['ActivateEmbeddingSpacePayload']>, ParentType, ContextType, RequireFields<MutationActivateEmbeddingSpaceArgs, 'input'>>;
  dropEmbeddingSpace?: Resolver<Maybe<ResolversTypes['DropEmbeddingSpacePayload']>, ParentType, ContextType, RequireFields<MutationDropEmbeddingSpaceArgs, 'input'>>;
  ingestDocuments?: Resolver<Maybe<ResolversTypes['IngestDocumentsPayload']>, ParentType, ContextType, RequireFields<MutationIngestDocumentsArgs, 'input'>>;
  cancelJob?: Resolver<Maybe<ResolversTypes['JobPayload']>, ParentType, ContextType, RequireFields<MutationCancelJobArgs, 'input'>>;
  retryJob?: Resolver<Maybe<ResolversTypes['JobPayload']>, ParentType, ContextType, RequireFields<MutationRetryJobArgs, 'input'>>;
  ensureSearchIndexes?: Resolver<Maybe<ResolversTypes['EnsureSearchIndexesPayload']>, ParentType, ContextType>;
};

export type SubscriptionResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Subscription'] = ResolversParentTypes['Subscription']> = {
  job?: SubscriptionResolver<ResolversTypes['Job'], "job", ParentType, ContextType, RequireFields<SubscriptionJobArgs, 'id'>>;
};

export type UserErrorResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['UserError'] = ResolversParentTypes['UserError']> = {
  code?: Resolver<ResolversTypes['UserErrorCode'], ParentType, ContextType>;
  message?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  path?: Resolver<Maybe<ReadonlyArray<ResolversTypes['String']>>, ParentType, ContextType>;
};

export interface DateTimeScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['DateTime'], any> {
  name: 'DateTime';
}

export interface JsonObjectScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['JSONObject'], any> {
  name: 'JSONObject';
}

export interface MetadataValueScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['MetadataValue'], any> {
  name: 'MetadataValue';
}

export type SearchIndexResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['SearchIndex'] = ResolversParentTypes['SearchIndex']> = {
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  kind?: Resolver<ResolversTypes['SearchIndexKind'], ParentType, ContextType>;
  status?: Resolver<ResolversTypes['SearchIndexStatus'], ParentType, ContextType>;
  queryable?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  definition?: Resolver<ResolversTypes['JSONObject'], ParentType, ContextType>;
  problems?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
};

export type EnsureSearchIndexesPayloadResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['EnsureSearchIndexesPayload'] = ResolversParentTypes['EnsureSearchIndexesPayload']> = {
  searchIndexes?: Resolver<ReadonlyArray<ResolversTypes['SearchIndex']>, ParentType, ContextType>;
  userErrors?: Resolver<ReadonlyArray<ResolversTypes['UserError']>, ParentType, ContextType>;
};

export type SearchConnectionResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['SearchConnection'] = ResolversParentTypes['SearchConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['SearchEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<ResolversTypes['Chunk']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  diagnostics?: Resolver<ResolversTypes['SearchDiagnostics'], ParentType, ContextType>;
};

export type SearchEdgeResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['SearchEdge'] = ResolversParentTypes['SearchEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['Chunk'], ParentType, ContextType>;
  rank?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  score?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  scores?: Resolver<ResolversTypes['Scores'], ParentType, ContextType>;
  highlights?: Resolver<ReadonlyArray<ResolversTypes['Highlight']>, ParentType, ContextType>;
};

export type ScoresResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Scores'] = ResolversParentTypes['Scores']> = {
  similarity?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  distance?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  text?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  fused?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  rerank?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
};

export type HighlightResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Highlight'] = ResolversParentTypes['Highlight']> = {
  text?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  start?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  end?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type SearchDiagnosticsResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['SearchDiagnostics'] = ResolversParentTypes['SearchDiagnostics']> = {
  mode?: Resolver<ResolversTypes['SearchMode'], ParentType, ContextType>;
  numCandidates?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  exact?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  embeddingSpace?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  weights?: Resolver<Maybe<ResolversTypes['EffectiveWeights']>, ParentType, ContextType>;
  staleDropped?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  degraded?: Resolver<ReadonlyArray<ResolversTypes['Degradation']>, ParentType, ContextType>;
  tookMs?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
};

export type EffectiveWeightsResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['EffectiveWeights'] = ResolversParentTypes['EffectiveWeights']> = {
  vector?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  text?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
};

export type SearchExplanationResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['SearchExplanation'] = ResolversParentTypes['SearchExplanation']> = {
  legs?: Resolver<ReadonlyArray<ResolversTypes['LegExplanation']>, ParentType, ContextType>;
  fusion?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  rankFusionPipeline?: Resolver<Maybe<ReadonlyArray<ResolversTypes['JSONObject']>>, ParentType, ContextType>;
  candidates?: Resolver<ReadonlyArray<ResolversTypes['CandidateExplanation']>, ParentType, ContextType>;
};

export type LegExplanationResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['LegExplanation'] = ResolversParentTypes['LegExplanation']> = {
  mode?: Resolver<ResolversTypes['SearchMode'], ParentType, ContextType>;
  index?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  indexStatus?: Resolver<ResolversTypes['SearchIndexStatus'], ParentType, ContextType>;
  pipeline?: Resolver<ReadonlyArray<ResolversTypes['JSONObject']>, ParentType, ContextType>;
  returned?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  tookMs?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
};

export type CandidateExplanationResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['CandidateExplanation'] = ResolversParentTypes['CandidateExplanation']> = {
  chunk?: Resolver<ResolversTypes['Chunk'], ParentType, ContextType>;
  scores?: Resolver<ResolversTypes['Scores'], ParentType, ContextType>;
  vectorRank?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  textRank?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  rank?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  droppedBy?: Resolver<Maybe<ResolversTypes['DropReason']>, ParentType, ContextType>;
};

export type WhyNotResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['WhyNot'] = ResolversParentTypes['WhyNot']> = {
  reason?: Resolver<ResolversTypes['WhyNotReason'], ParentType, ContextType>;
  detail?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  best?: Resolver<Maybe<ResolversTypes['CandidateExplanation']>, ParentType, ContextType>;
};

export type ViewerResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Viewer'] = ResolversParentTypes['Viewer']> = {
  ownerId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  role?: Resolver<ResolversTypes['Role'], ParentType, ContextType>;
  agentIds?: Resolver<Maybe<ReadonlyArray<ResolversTypes['ID']>>, ParentType, ContextType>;
};

export type Resolvers<ContextType = RequestContext> = {
  Admin?: AdminResolvers<ContextType>;
  EraseOwnerPayload?: EraseOwnerPayloadResolvers<ContextType>;
  ApiKey?: ApiKeyResolvers<ContextType>;
  CreateApiKeyPayload?: CreateApiKeyPayloadResolvers<ContextType>;
  RevokeApiKeyPayload?: RevokeApiKeyPayloadResolvers<ContextType>;
  Chunk?: ChunkResolvers<ContextType>;
  TextSpan?: TextSpanResolvers<ContextType>;
  ChunkConnection?: ChunkConnectionResolvers<ContextType>;
  ChunkEdge?: ChunkEdgeResolvers<ContextType>;
  Chunking?: ChunkingResolvers<ContextType>;
  Document?: DocumentResolvers<ContextType>;
  DocumentConnection?: DocumentConnectionResolvers<ContextType>;
  DocumentEdge?: DocumentEdgeResolvers<ContextType>;
  UpsertDocumentPayload?: UpsertDocumentPayloadResolvers<ContextType>;
  UpsertChanges?: UpsertChangesResolvers<ContextType>;
  UpdateDocumentPayload?: UpdateDocumentPayloadResolvers<ContextType>;
  DeleteDocumentPayload?: DeleteDocumentPayloadResolvers<ContextType>;
  DeleteDocumentsPayload?: DeleteDocumentsPayloadResolvers<ContextType>;
  EmbeddingSpace?: EmbeddingSpaceResolvers<ContextType>;
  ReembedPayload?: ReembedPayloadResolvers<ContextType>;
  ActivateEmbeddingSpacePayload?: ActivateEmbeddingSpacePayloadResolvers<ContextType>;
  DropEmbeddingSpacePayload?: DropEmbeddingSpacePayloadResolvers<ContextType>;
  Job?: JobResolvers<ContextType>;
  JobProgress?: JobProgressResolvers<ContextType>;
  JobItem?: JobItemResolvers<ContextType>;
  JobError?: JobErrorResolvers<ContextType>;
  JobItemConnection?: JobItemConnectionResolvers<ContextType>;
  JobItemEdge?: JobItemEdgeResolvers<ContextType>;
  JobConnection?: JobConnectionResolvers<ContextType>;
  JobEdge?: JobEdgeResolvers<ContextType>;
  IngestDocumentsPayload?: IngestDocumentsPayloadResolvers<ContextType>;
  JobPayload?: JobPayloadResolvers<ContextType>;
  Node?: NodeResolvers<ContextType>;
  PageInfo?: PageInfoResolvers<ContextType>;
  Query?: QueryResolvers<ContextType>;
  Mutation?: MutationResolvers<ContextType>;
  Subscription?: SubscriptionResolvers<ContextType>;
  UserError?: UserErrorResolvers<ContextType>;
  DateTime?: GraphQLScalarType;
  JSONObject?: GraphQLScalarType;
  MetadataValue?: GraphQLScalarType;
  SearchIndex?: SearchIndexResolvers<ContextType>;
  EnsureSearchIndexesPayload?: EnsureSearchIndexesPayloadResolvers<ContextType>;
  SearchConnection?: SearchConnectionResolvers<ContextType>;
  SearchEdge?: SearchEdgeResolvers<ContextType>;
  Scores?: ScoresResolvers<ContextType>;
  Highlight?: HighlightResolvers<ContextType>;
  SearchDiagnostics?: SearchDiagnosticsResolvers<ContextType>;
  EffectiveWeights?: EffectiveWeightsResolvers<ContextType>;
  SearchExplanation?: SearchExplanationResolvers<ContextType>;
  LegExplanation?: LegExplanationResolvers<ContextType>;
  CandidateExplanation?: CandidateExplanationResolvers<ContextType>;
  WhyNot?: WhyNotResolvers<ContextType>;
  Viewer?: ViewerResolvers<ContextType>;
};
