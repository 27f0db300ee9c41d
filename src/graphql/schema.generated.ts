import type { JsonObject } from './scalars/json.js';
import type { FilterScalar } from '../store/filter.js';
import type { GraphQLResolveInfo, GraphQLScalarType, GraphQLScalarTypeConfig } from 'graphql';
import type { DocumentRecord, ChunkRecord, Chunking as ChunkingSource, SpaceRecord, SearchIndexRecord, ApiKeyRecord } from '../store/records.js';
import type { Viewer as ViewerSource, AdminDoor, RequestContext } from './context.js';
import type { DocumentListing, ChunkListing, SearchListing, Leg, Span } from './connections.js';
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

/** Administrators only; null for anyone else. */
export type Admin = {
  readonly __typename?: 'Admin';
  /** Every key that is not revoked, secrets never. */
  readonly apiKeys: ReadonlyArray<ApiKey>;
  readonly embeddingSpaces: ReadonlyArray<EmbeddingSpace>;
  /** Those that the running configuration needs, and what is wrong with them. */
  readonly searchIndexes: ReadonlyArray<SearchIndex>;
};

/** A credential for one owner. Its secret is stored as a hash only. */
export type ApiKey = {
  readonly __typename?: 'ApiKey';
  /** The agents that the key is bound to; null: none, it sees all of its owner. */
  readonly agentIds?: Maybe<ReadonlyArray<Scalars['ID']['output']>>;
  readonly createdAt: Scalars['DateTime']['output'];
  /** Null: it does not expire. */
  readonly expiresAt?: Maybe<Scalars['DateTime']['output']>;
  readonly id: Scalars['ID']['output'];
  /** To the minute; null while it was never used. */
  readonly lastUsedAt?: Maybe<Scalars['DateTime']['output']>;
  readonly name: Scalars['String']['output'];
  readonly ownerId: Scalars['ID']['output'];
  readonly role: Role;
};

/** One candidate of a search with its place in each leg, 1-based; null where the leg did not return it. */
export type CandidateExplanation = {
  readonly __typename?: 'CandidateExplanation';
  readonly chunk: Chunk;
  /** Why it is not a hit; null when it is. */
  readonly droppedBy?: Maybe<DropReason>;
  readonly rank?: Maybe<Scalars['Int']['output']>;
  readonly scores: Scores;
  readonly textRank?: Maybe<Scalars['Int']['output']>;
  readonly vectorRank?: Maybe<Scalars['Int']['output']>;
};

/** A passage of a document: the unit that is embedded and retrieved. */
export type Chunk = Node & {
  readonly __typename?: 'Chunk';
  readonly document: Document;
  /** UTF-16 offset just behind the passage. */
  readonly end: Scalars['Int']['output'];
  /** The headings above the passage, outermost first. */
  readonly headings: ReadonlyArray<Scalars['String']['output']>;
  readonly id: Scalars['ID']['output'];
  /** The chunk after this one; null at the end. */
  readonly next?: Maybe<Chunk>;
  /** Position among the document's chunks, from 0. */
  readonly ordinal: Scalars['Int']['output'];
  /** 1-based page of the source where the passage starts, when the source has pages. */
  readonly page?: Maybe<Scalars['Int']['output']>;
  /** The larger passage around this one under PARENT_CHILD, else null. */
  readonly parent?: Maybe<TextSpan>;
  /** The chunk before this one, for context around a hit; null at the beginning. */
  readonly previous?: Maybe<Chunk>;
  /** UTF-16 offset into `document.text` where the passage begins (what JavaScript's String.slice takes). */
  readonly start: Scalars['Int']['output'];
  /** The text, equal to `document.text` from `start` up to `end`. */
  readonly text: Scalars['String']['output'];
  /** Tokens as the embedding model counts them. */
  readonly tokenCount: Scalars['Int']['output'];
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
  /** Whether each chunk was embedded behind its title and headings. */
  readonly contextual: Scalars['Boolean']['output'];
  /** In UTF-16 code units; null where the strategy does not count characters. */
  readonly maxCharacters?: Maybe<Scalars['Int']['output']>;
  /** In tokens of the embedding model; null where the strategy does not count tokens. */
  readonly maxTokens?: Maybe<Scalars['Int']['output']>;
  /** In the strategy's own unit. */
  readonly overlap: Scalars['Int']['output'];
  readonly strategy: ChunkingStrategy;
};

/** What to change about the default chunking. Fields left out take the strategy's defaults. */
export type ChunkingInput = {
  /** Embed each chunk behind its title and headings (the stored text stays bare). */
  readonly contextual: Scalars['Boolean']['input'];
  readonly maxCharacters?: InputMaybe<Scalars['Int']['input']>;
  /** Above the active space's limit: INVALID. */
  readonly maxTokens?: InputMaybe<Scalars['Int']['input']>;
  /** In the strategy's own unit; must be smaller than the window. */
  readonly overlap?: InputMaybe<Scalars['Int']['input']>;
  /** PARENT_CHILD: the parents' size. Default 4 × maxTokens. */
  readonly parentMaxTokens?: InputMaybe<Scalars['Int']['input']>;
  readonly strategy: ChunkingStrategy;
};

/** Ways to cut a text. */
export type ChunkingStrategy =
  /** One chunk holding the whole text: FAQs, blurbs, tickets. */
  | 'NONE'
  /** Small chunks for search inside larger parents that answers are given. */
  | 'PARENT_CHILD'
  /** Paragraphs, then sentences, then words, then graphemes, up to `maxTokens`. The default: 400 tokens or the active space's limit where that is less, overlap 50. */
  | 'RECURSIVE'
  /** Boundaries where the topic shifts, found by the similarity of neighbouring sentences' embeddings. */
  | 'SEMANTIC'
  /** Whole sentences packed up to `maxTokens`. */
  | 'SENTENCE'
  /** Fixed windows of `maxCharacters`, each starting `overlap` characters before the previous one ended (1000 / 100). */
  | 'SLIDING_WINDOW'
  /** Markdown and HTML sections by heading, each section split like RECURSIVE when it is too long. */
  | 'STRUCTURE'
  /** Fixed windows of `maxTokens` model tokens. */
  | 'TOKEN';

/** What the key is for. */
export type CreateApiKeyInput = {
  /** Binds the key to these agents: at least one, when given. */
  readonly agentIds?: InputMaybe<ReadonlyArray<Scalars['ID']['input']>>;
  readonly expiresAt?: InputMaybe<Scalars['DateTime']['input']>;
  /** To recognise it by; need not be unique. */
  readonly name: Scalars['String']['input'];
  /** At most 256 printable characters. */
  readonly ownerId: Scalars['ID']['input'];
  readonly role: Role;
};

/** `secret` is shown this once. */
export type CreateApiKeyPayload = {
  readonly __typename?: 'CreateApiKeyPayload';
  readonly apiKey?: Maybe<ApiKey>;
  readonly secret?: Maybe<Scalars['String']['output']>;
  readonly userErrors: ReadonlyArray<UserError>;
};

/** A part of a search that could not be done. Clients must tolerate values that are added later. */
export type Degradation =
  /** The query could not be embedded: text hits only. */
  | 'EMBEDDER_UNAVAILABLE'
  /** Chunks written within the last minute may be missing. */
  | 'OVERLAY_SKIPPED'
  /** The base order is shown. */
  | 'RERANK_UNAVAILABLE'
  /** The text index is missing or being built: vector hits only. */
  | 'TEXT_INDEX_UNAVAILABLE'
  /** The vector index is missing or being built: text hits only. */
  | 'VECTOR_INDEX_UNAVAILABLE';

/** Exactly one of `documentId` and `by`. */
export type DeleteDocumentInput = {
  readonly by?: InputMaybe<DocumentBy>;
  readonly documentId?: InputMaybe<Scalars['ID']['input']>;
  /** Refuse with CONFLICT unless the stored document is at this revision. */
  readonly expectedRevision?: InputMaybe<Scalars['Int']['input']>;
};

/** What was deleted. */
export type DeleteDocumentPayload = {
  readonly __typename?: 'DeleteDocumentPayload';
  readonly deletedChunks: Scalars['Int']['output'];
  readonly deletedDocumentId?: Maybe<Scalars['ID']['output']>;
  readonly userErrors: ReadonlyArray<UserError>;
};

/** The filter must hold a condition outside `not`: {} is refused. All that an owner has goes by `eraseOwner`. */
export type DeleteDocumentsInput = {
  /** Count, and delete nothing. */
  readonly dryRun: Scalars['Boolean']['input'];
  readonly filter: DocumentFilter;
};

/** What was deleted, or with dryRun would be. */
export type DeleteDocumentsPayload = {
  readonly __typename?: 'DeleteDocumentsPayload';
  readonly deletedChunks: Scalars['Int']['output'];
  readonly deletedDocuments: Scalars['Int']['output'];
  readonly userErrors: ReadonlyArray<UserError>;
};

/** A text that was given to the service: one per owner and title. */
export type Document = Node & {
  readonly __typename?: 'Document';
  /** The agents whose credentials may read the document. None: only credentials that are not bound to agents see it. */
  readonly agentIds: ReadonlyArray<Scalars['ID']['output']>;
  readonly chunkCount: Scalars['Int']['output'];
  readonly chunking: Chunking;
  /** The passages in the order of the text. */
  readonly chunks: ChunkConnection;
  readonly createdAt: Scalars['DateTime']['output'];
  /** The embedding space that the chunks' vectors live in; null while no version was stored. */
  readonly embeddingSpace?: Maybe<EmbeddingSpace>;
  readonly id: Scalars['ID']['output'];
  /** BCP 47, given or detected; null when it cannot be told. */
  readonly language?: Maybe<Scalars['String']['output']>;
  /** Why the latest attempt failed; cleared by the next success. READY with a lastError: the version before is served. */
  readonly lastError?: Maybe<Scalars['String']['output']>;
  /** What the text was read as, e.g. text/plain or text/markdown. */
  readonly mediaType: Scalars['String']['output'];
  /** Flat: strings, numbers, Booleans, null, or arrays of those. */
  readonly metadata: Scalars['JSONObject']['output'];
  /** Grows by one with every change of anything, metadata and agents included. */
  readonly revision: Scalars['Int']['output'];
  /** Where the text came from, as the caller said; never fetched. */
  readonly sourceUri?: Maybe<Scalars['String']['output']>;
  readonly status: DocumentStatus;
  /** The canonical text, exactly what chunk spans point into; empty while no version was stored. */
  readonly text: Scalars['String']['output'];
  /** Characters (UTF-16 code units) in `text`. */
  readonly textLength: Scalars['Int']['output'];
  /** As it was given; unique within the owner after normalisation (NFC, trimmed, white space folded). */
  readonly title: Scalars['String']['output'];
  readonly updatedAt: Scalars['DateTime']['output'];
  /** Starts at 1 and grows by one with every change of content or chunking; 0 while none was ever stored. */
  readonly version: Scalars['Int']['output'];
};


/** A text that was given to the service: one per owner and title. */
export type DocumentChunksArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  first: Scalars['Int']['input'];
};

/** Exactly one. */
export type DocumentBy =
  { readonly id: Scalars['ID']['input']; readonly title?: never; }
  |  { readonly id?: never; readonly title: Scalars['String']['input']; };

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

/**
 * Every given condition must hold. `ids`, `titles`, `agentIds`, `statuses`, `in` and `or` given as [] match nothing; `and`, `metadata` and `nin` given as []
 * restrict nothing. A filter never fails open: null for a field, a condition without an operator, an empty object inside and/or/not, and
 * an operation that uses a variable inside a filter without supplying it are refused with BAD_USER_INPUT.
 */
export type DocumentFilter = {
  /** Documents that name at least one of these agents. */
  readonly agentIds?: InputMaybe<ReadonlyArray<Scalars['ID']['input']>>;
  readonly and?: InputMaybe<ReadonlyArray<DocumentFilter>>;
  /** Documents whose latest attempt failed (true) or did not (false). */
  readonly hasLastError?: InputMaybe<Scalars['Boolean']['input']>;
  readonly ids?: InputMaybe<ReadonlyArray<Scalars['ID']['input']>>;
  readonly metadata?: InputMaybe<ReadonlyArray<MetadataCondition>>;
  readonly not?: InputMaybe<DocumentFilter>;
  readonly or?: InputMaybe<ReadonlyArray<DocumentFilter>>;
  readonly statuses?: InputMaybe<ReadonlyArray<DocumentStatus>>;
  readonly titles?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
};

/** What a listing is sorted by. */
export type DocumentOrder =
  /** By `createdAt`, latest first. */
  | 'CREATED_NEWEST'
  /** By the normalised title, in code-unit order. */
  | 'TITLE'
  /** By `updatedAt`, latest first. */
  | 'UPDATED_NEWEST';

/** How far a document has got. */
export type DocumentStatus =
  /** No version was ever stored: see `lastError`. */
  | 'FAILED'
  /** Accepted by a job; no version was stored yet. */
  | 'PENDING'
  /** A version is searchable, whatever happened since. */
  | 'READY';

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

/** What kept a candidate from being a hit. */
export type DropReason =
  | 'BELOW_MIN_SIMILARITY'
  /** Others ranked higher. */
  | 'NOT_IN_TOP'
  | 'OUT_OF_FILTER'
  | 'PER_DOCUMENT_CAP'
  /** Deleted, superseded or withdrawn since it was indexed. */
  | 'STALE';

/** The weights that the legs of one HYBRID search had. */
export type EffectiveWeights = {
  readonly __typename?: 'EffectiveWeights';
  readonly text: Scalars['Float']['output'];
  readonly vector: Scalars['Float']['output'];
};

/** A model with its dimensions: vectors of different spaces are never compared. */
export type EmbeddingSpace = Node & {
  readonly __typename?: 'EmbeddingSpace';
  readonly dimensions: Scalars['Int']['output'];
  readonly id: Scalars['ID']['output'];
  readonly model: Scalars['String']['output'];
  readonly provider: Scalars['String']['output'];
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

/** The indexes as they are after the call; builds go on in the background. */
export type EnsureSearchIndexesPayload = {
  readonly __typename?: 'EnsureSearchIndexesPayload';
  readonly searchIndexes: ReadonlyArray<SearchIndex>;
  readonly userErrors: ReadonlyArray<UserError>;
};

/** Deletes everything an owner has. */
export type EraseOwnerInput = {
  /** Count, and delete nothing. */
  readonly dryRun: Scalars['Boolean']['input'];
  readonly ownerId: Scalars['ID']['input'];
};

/** What went, or with dryRun would go. */
export type EraseOwnerPayload = {
  readonly __typename?: 'EraseOwnerPayload';
  readonly apiKeys: Scalars['Int']['output'];
  readonly chunks: Scalars['Int']['output'];
  readonly documents: Scalars['Int']['output'];
  readonly jobs: Scalars['Int']['output'];
  readonly userErrors: ReadonlyArray<UserError>;
};

/** A file carried in the request; the CLI and POST /upload take larger ones. */
export type FileInput = {
  /** Standard base64 (RFC 4648). */
  readonly base64: Scalars['String']['input'];
  /** Its name with extension; a hint, the kind of file is told from its bytes. */
  readonly name: Scalars['String']['input'];
};

/** A piece of the chunk's text around matched words; offsets into `Chunk.text`. */
export type Highlight = {
  readonly __typename?: 'Highlight';
  readonly end: Scalars['Int']['output'];
  readonly start: Scalars['Int']['output'];
  readonly text: Scalars['String']['output'];
};

/** Relative weights of the two legs; 0 drops a leg. */
export type HybridWeights = {
  readonly text: Scalars['Float']['input'];
  readonly vector: Scalars['Float']['input'];
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

/** Background work of one owner, kept until a retention time passes. REEMBED is the operator's and visible to ADMIN only. */
export type Job = Node & {
  readonly __typename?: 'Job';
  readonly createdAt: Scalars['DateTime']['output'];
  /** Items finished well. */
  readonly done: Scalars['Int']['output'];
  /** Items that failed. */
  readonly failed: Scalars['Int']['output'];
  readonly finishedAt?: Maybe<Scalars['DateTime']['output']>;
  readonly id: Scalars['ID']['output'];
  readonly items: JobItemConnection;
  readonly kind: JobKind;
  readonly startedAt?: Maybe<Scalars['DateTime']['output']>;
  readonly state: JobState;
  /** Items in all. */
  readonly total: Scalars['Int']['output'];
};


/** Background work of one owner, kept until a retention time passes. REEMBED is the operator's and visible to ADMIN only. */
export type JobItemsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  first: Scalars['Int']['input'];
  states?: InputMaybe<ReadonlyArray<JobItemState>>;
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

/** Why an item failed. */
export type JobError = {
  readonly __typename?: 'JobError';
  /** A UserErrorCode or a code of extensions.code. */
  readonly code: Scalars['String']['output'];
  readonly message: Scalars['String']['output'];
  /** Whether `retryJob` may help without a change of the input. */
  readonly retryable: Scalars['Boolean']['output'];
};

/** Which job is meant. */
export type JobInput = {
  readonly jobId: Scalars['ID']['input'];
};

/** One document's part of a job. */
export type JobItem = {
  readonly __typename?: 'JobItem';
  readonly document?: Maybe<Document>;
  readonly error?: Maybe<JobError>;
  /** The document's title. */
  readonly name: Scalars['String']['output'];
  readonly outcome?: Maybe<UpsertOutcome>;
  readonly state: JobItemState;
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

/** How far an item has got. */
export type JobItemState =
  | 'CANCELLED'
  | 'FAILED'
  | 'QUEUED'
  | 'RUNNING'
  | 'SUCCEEDED';

/** What a job does. */
export type JobKind =
  | 'IMPORT'
  | 'INGEST'
  | 'REEMBED';

/** The job after the change. */
export type JobPayload = {
  readonly __typename?: 'JobPayload';
  readonly job?: Maybe<Job>;
  readonly userErrors: ReadonlyArray<UserError>;
};

/** PARTIAL: finished, some items failed. */
export type JobState =
  | 'CANCELLED'
  | 'FAILED'
  | 'PARTIAL'
  | 'QUEUED'
  | 'RUNNING'
  | 'SUCCEEDED';

/** `pipeline` is what the server was sent, vectors elided. */
export type LegExplanation = {
  readonly __typename?: 'LegExplanation';
  readonly index: Scalars['String']['output'];
  readonly indexStatus: SearchIndexStatus;
  readonly mode: SearchMode;
  readonly pipeline: ReadonlyArray<Scalars['JSONObject']['output']>;
  /** Candidates that the leg returned. */
  readonly returned: Scalars['Int']['output'];
  readonly tookMs: Scalars['Float']['output'];
};

/**
 * A condition on one metadata key, which must be declared filterable; several operators all hold. A missing key and null are the same:
 * `exists: false`. `eq`/`in` hold if the value, or any element of an array, equals; `ne`/`nin` are their exact complement, so documents
 * without the key match. `gt…lte` compare only values of the key's declared type; several bounds on an array must hold for one element. Strings
 * compare exactly and case-sensitive, numbers by value, dates as instants.
 */
export type MetadataCondition = {
  readonly eq?: InputMaybe<Scalars['MetadataValue']['input']>;
  readonly exists?: InputMaybe<Scalars['Boolean']['input']>;
  readonly gt?: InputMaybe<Scalars['MetadataValue']['input']>;
  readonly gte?: InputMaybe<Scalars['MetadataValue']['input']>;
  readonly in?: InputMaybe<ReadonlyArray<Scalars['MetadataValue']['input']>>;
  readonly key: Scalars['String']['input'];
  readonly lt?: InputMaybe<Scalars['MetadataValue']['input']>;
  readonly lte?: InputMaybe<Scalars['MetadataValue']['input']>;
  readonly ne?: InputMaybe<Scalars['MetadataValue']['input']>;
  readonly nin?: InputMaybe<ReadonlyArray<Scalars['MetadataValue']['input']>>;
};

/** Writes, run one after another in the order given; what is selected under a payload is the state after that mutation. */
export type Mutation = {
  readonly __typename?: 'Mutation';
  /** Switches searches over to a complete space. Administrators only. */
  readonly activateEmbeddingSpace?: Maybe<ActivateEmbeddingSpacePayload>;
  /** Stops what has not started; what runs finishes or rolls back. */
  readonly cancelJob?: Maybe<JobPayload>;
  /** Creates a key. Administrators only; the first key ends development mode, so it must have role ADMIN. */
  readonly createApiKey?: Maybe<CreateApiKeyPayload>;
  /** Removes a document with its chunks, vectors and text. */
  readonly deleteDocument?: Maybe<DeleteDocumentPayload>;
  /** Removes every document that a filter matches. */
  readonly deleteDocuments?: Maybe<DeleteDocumentsPayload>;
  /** Deletes a space that is not active with its vectors and its index. Administrators only. */
  readonly dropEmbeddingSpace?: Maybe<DropEmbeddingSpacePayload>;
  /** Creates or updates the search indexes that the configuration needs. Administrators only. */
  readonly ensureSearchIndexes?: Maybe<EnsureSearchIndexesPayload>;
  /** Deletes everything an owner has. Administrators only. */
  readonly eraseOwner?: Maybe<EraseOwnerPayload>;
  /** Queues several documents as one job. */
  readonly ingestDocuments?: Maybe<IngestDocumentsPayload>;
  /** Embeds every chunk in another space beside the active one, as a job. Administrators only. */
  readonly reembed?: Maybe<ReembedPayload>;
  /** Queues the failed items again. */
  readonly retryJob?: Maybe<JobPayload>;
  /** Makes a key useless at once. Administrators only. */
  readonly revokeApiKey?: Maybe<RevokeApiKeyPayload>;
  /** Changes title, metadata or agents without chunking or embedding again. */
  readonly updateDocument?: Maybe<UpdateDocumentPayload>;
  /** Creates the owner's document of this title, or replaces it in place; atomically with its chunks. */
  readonly upsertDocument?: Maybe<UpsertDocumentPayload>;
};


/** Writes, run one after another in the order given; what is selected under a payload is the state after that mutation. */
export type MutationActivateEmbeddingSpaceArgs = {
  input: ActivateEmbeddingSpaceInput;
};


/** Writes, run one after another in the order given; what is selected under a payload is the state after that mutation. */
export type MutationCancelJobArgs = {
  input: JobInput;
};


/** Writes, run one after another in the order given; what is selected under a payload is the state after that mutation. */
export type MutationCreateApiKeyArgs = {
  input: CreateApiKeyInput;
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
export type MutationDropEmbeddingSpaceArgs = {
  input: DropEmbeddingSpaceInput;
};


/** Writes, run one after another in the order given; what is selected under a payload is the state after that mutation. */
export type MutationEraseOwnerArgs = {
  input: EraseOwnerInput;
};


/** Writes, run one after another in the order given; what is selected under a payload is the state after that mutation. */
export type MutationIngestDocumentsArgs = {
  input: IngestDocumentsInput;
};


/** Writes, run one after another in the order given; what is selected under a payload is the state after that mutation. */
export type MutationReembedArgs = {
  input: ReembedInput;
};


/** Writes, run one after another in the order given; what is selected under a payload is the state after that mutation. */
export type MutationRetryJobArgs = {
  input: JobInput;
};


/** Writes, run one after another in the order given; what is selected under a payload is the state after that mutation. */
export type MutationRevokeApiKeyArgs = {
  input: RevokeApiKeyInput;
};


/** Writes, run one after another in the order given; what is selected under a payload is the state after that mutation. */
export type MutationUpdateDocumentArgs = {
  input: UpdateDocumentInput;
};


/** Writes, run one after another in the order given; what is selected under a payload is the state after that mutation. */
export type MutationUpsertDocumentArgs = {
  input: UpsertDocumentInput;
};

/** An object that can be refetched by its globally unique, opaque id. */
export type Node = {
  readonly id: Scalars['ID']['output'];
};

/** Where a page stands in its connection. Connections page forward only: `hasPreviousPage` says whether `after` was given. */
export type PageInfo = {
  readonly __typename?: 'PageInfo';
  /** Give it as `after` to get the next page. */
  readonly endCursor?: Maybe<Scalars['String']['output']>;
  readonly hasNextPage: Scalars['Boolean']['output'];
  readonly hasPreviousPage: Scalars['Boolean']['output'];
  readonly startCursor?: Maybe<Scalars['String']['output']>;
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
  /** What `search` would do with the same input, step by step. */
  readonly explainSearch?: Maybe<SearchExplanation>;
  /** The caller's jobs. */
  readonly jobs?: Maybe<JobConnection>;
  /** Any object by its id; null for an id that is malformed, unknown or not the caller's. */
  readonly node?: Maybe<Node>;
  /** At most 100; null where there is none. */
  readonly nodes?: Maybe<ReadonlyArray<Maybe<Node>>>;
  /** The passages that answer a question best. Null only when a provider or the index failed; see errors. */
  readonly search?: Maybe<SearchConnection>;
  /** Chunks nearest to a chunk, without an embedding call. */
  readonly similarChunks?: Maybe<SearchConnection>;
  /** Who the server takes the caller to be. */
  readonly viewer: Viewer;
  /** Why a document of the caller is not among the first hits. */
  readonly whyNot?: Maybe<WhyNot>;
};


/** Reads. Fields that call a provider or the store are nullable, so that one failure does not null its siblings. */
export type QueryDocumentArgs = {
  by: DocumentBy;
};


/** Reads. Fields that call a provider or the store are nullable, so that one failure does not null its siblings. */
export type QueryDocumentsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  filter?: InputMaybe<DocumentFilter>;
  first: Scalars['Int']['input'];
  orderBy: DocumentOrder;
};


/** Reads. Fields that call a provider or the store are nullable, so that one failure does not null its siblings. */
export type QueryExplainSearchArgs = {
  first: Scalars['Int']['input'];
  input: SearchInput;
};


/** Reads. Fields that call a provider or the store are nullable, so that one failure does not null its siblings. */
export type QueryJobsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  first: Scalars['Int']['input'];
  states?: InputMaybe<ReadonlyArray<JobState>>;
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
  after?: InputMaybe<Scalars['String']['input']>;
  first: Scalars['Int']['input'];
  input: SearchInput;
};


/** Reads. Fields that call a provider or the store are nullable, so that one failure does not null its siblings. */
export type QuerySimilarChunksArgs = {
  chunkId: Scalars['ID']['input'];
  filter?: InputMaybe<SearchFilter>;
  first: Scalars['Int']['input'];
};


/** Reads. Fields that call a provider or the store are nullable, so that one failure does not null its siblings. */
export type QueryWhyNotArgs = {
  documentId: Scalars['ID']['input'];
  first: Scalars['Int']['input'];
  input: SearchInput;
};

/** Embed every chunk in another space beside the active one; searches go on in the old one. Administrators only. */
export type ReembedInput = {
  /** Switch searches over when it is complete. */
  readonly activate: Scalars['Boolean']['input'];
  /** Left out: the model's own. */
  readonly dimensions?: InputMaybe<Scalars['Int']['input']>;
  readonly model: Scalars['String']['input'];
  readonly provider: Scalars['String']['input'];
};

/** The job that fills the new space. */
export type ReembedPayload = {
  readonly __typename?: 'ReembedPayload';
  readonly embeddingSpace?: Maybe<EmbeddingSpace>;
  readonly job?: Maybe<Job>;
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

/** What credentials allow; each includes the one before. */
export type Role =
  /** Operates the instance (indexes, spaces, keys, erasing owners): for operators, never for a tenant. */
  | 'ADMIN'
  /** Reads what its owner has. */
  | 'READER'
  /** Reads and writes what its owner has. */
  | 'WRITER';

/** Each number has one meaning, or is null when that leg did not see the chunk. */
export type Scores = {
  readonly __typename?: 'Scores';
  /** Distance in the space's own measure, lower is closer: 1 − cosine (0 to 2), or Euclidean. */
  readonly distance?: Maybe<Scalars['Float']['output']>;
  /** Fused score of HYBRID, higher is better. */
  readonly fused?: Maybe<Scalars['Float']['output']>;
  /** The reranker's own scale, higher is better. */
  readonly rerank?: Maybe<Scalars['Float']['output']>;
  /** Normalised vector similarity as Atlas defines it, 0 to 1, higher is closer. */
  readonly similarity?: Maybe<Scalars['Float']['output']>;
  /** BM25, unbounded, higher is better. */
  readonly text?: Maybe<Scalars['Float']['output']>;
};

/** Hits, best first. Pages of one search never repeat or skip a hit. */
export type SearchConnection = {
  readonly __typename?: 'SearchConnection';
  readonly diagnostics: SearchDiagnostics;
  readonly edges: ReadonlyArray<SearchEdge>;
  /** The edges' nodes. */
  readonly nodes: ReadonlyArray<Chunk>;
  readonly pageInfo: PageInfo;
};

/** How a search was run. */
export type SearchDiagnostics = {
  readonly __typename?: 'SearchDiagnostics';
  /** What was asked for and could not be done, e.g. RERANK_UNAVAILABLE. Empty when all went as asked. */
  readonly degraded: ReadonlyArray<Degradation>;
  /** Provider, model and dimensions of the space that was searched; null when no vector leg ran. */
  readonly embeddingSpace?: Maybe<Scalars['String']['output']>;
  readonly exact: Scalars['Boolean']['output'];
  readonly mode: SearchMode;
  /** The effective value after clamping; null when no vector leg ran or it was exact. */
  readonly numCandidates?: Maybe<Scalars['Int']['output']>;
  /** Hits that the index returned but that were deleted, superseded or out of scope, and so were not shown. */
  readonly staleDropped: Scalars['Int']['output'];
  readonly tookMs: Scalars['Float']['output'];
  /** The weights used, after calibration and language check; null unless HYBRID. */
  readonly weights?: Maybe<EffectiveWeights>;
};

/** A chunk as the result of one search. Selecting only `node { id }` and scores fetches no chunk text. */
export type SearchEdge = {
  readonly __typename?: 'SearchEdge';
  readonly cursor: Scalars['String']['output'];
  /** The passage's best-matching pieces, for TEXT and HYBRID. */
  readonly highlights: ReadonlyArray<Highlight>;
  readonly node: Chunk;
  /** 1-based. */
  readonly rank: Scalars['Int']['output'];
  /** What this search sorted by, higher is better; comparable only within the search. `scores` says what it is made of. */
  readonly score: Scalars['Float']['output'];
  readonly scores: Scores;
};

/** What a search would do, leg by leg, and what became of each candidate. */
export type SearchExplanation = {
  readonly __typename?: 'SearchExplanation';
  readonly candidates: ReadonlyArray<CandidateExplanation>;
  /** How the legs were joined; null with one leg. */
  readonly fusion?: Maybe<Scalars['String']['output']>;
  readonly legs: ReadonlyArray<LegExplanation>;
  /** The $rankFusion pipeline of the same legs, complete with its query vector, to paste into a shell; null unless HYBRID with reciprocal-rank fusion. */
  readonly rankFusionPipeline?: Maybe<ReadonlyArray<Scalars['JSONObject']['output']>>;
};

/** What a search is restricted to, before ranking. Same rules as DocumentFilter; titles (at most 100) are resolved to documents first. */
export type SearchFilter = {
  readonly agentIds?: InputMaybe<ReadonlyArray<Scalars['ID']['input']>>;
  readonly and?: InputMaybe<ReadonlyArray<SearchFilter>>;
  readonly ids?: InputMaybe<ReadonlyArray<Scalars['ID']['input']>>;
  readonly metadata?: InputMaybe<ReadonlyArray<MetadataCondition>>;
  readonly not?: InputMaybe<SearchFilter>;
  readonly or?: InputMaybe<ReadonlyArray<SearchFilter>>;
  readonly titles?: InputMaybe<ReadonlyArray<Scalars['String']['input']>>;
};

/** A search index on the database server. */
export type SearchIndex = {
  readonly __typename?: 'SearchIndex';
  /** The definition as the server reports it. */
  readonly definition: Scalars['JSONObject']['output'];
  readonly kind: SearchIndexKind;
  readonly name: Scalars['String']['output'];
  /** What the running configuration needs that the index lacks; empty when it fits. */
  readonly problems: ReadonlyArray<Scalars['String']['output']>;
  /** Whether the server answers searches from it now. */
  readonly queryable: Scalars['Boolean']['output'];
  readonly status: SearchIndexStatus;
};

/** What an index is for. */
export type SearchIndexKind =
  | 'TEXT'
  | 'VECTOR';

/** The state that the database server reports. */
export type SearchIndexStatus =
  | 'BUILDING'
  | 'DELETING'
  | 'DOES_NOT_EXIST'
  | 'FAILED'
  | 'PENDING'
  | 'READY'
  /** Served, but behind the collection. */
  | 'STALE';

/** A question and how to look for its answer. An option of a leg that does not run (numCandidates with exact, minSimilarity with TEXT) is ignored. */
export type SearchInput = {
  /** Compare against every vector in scope instead of the approximate index. */
  readonly exact: Scalars['Boolean']['input'];
  readonly filter?: InputMaybe<SearchFilter>;
  /** At most this many hits from one document. */
  readonly maxPerDocument?: InputMaybe<Scalars['Int']['input']>;
  /** Drop hits whose vector similarity score (0 to 1, higher is closer) is lower. */
  readonly minSimilarity?: InputMaybe<Scalars['Float']['input']>;
  /** Default: HYBRID, or VECTOR when `vector` is given. */
  readonly mode?: InputMaybe<SearchMode>;
  /** Nearest-neighbour candidates gathered before the best are kept. Default: 20 × `first`, at least 200, at most 10000; raised to what the search needs when lower. */
  readonly numCandidates?: InputMaybe<Scalars['Int']['input']>;
  /** The question in natural language. Exactly one of `query` and `vector`. */
  readonly query?: InputMaybe<Scalars['String']['input']>;
  /** Reorder the best candidates with the configured reranker. */
  readonly rerank: Scalars['Boolean']['input'];
  /** A ready-made query vector of the active embedding space's dimensions; mode must be VECTOR. */
  readonly vector?: InputMaybe<ReadonlyArray<Scalars['Float']['input']>>;
  /** How much each leg of HYBRID counts. Default: calibrated per embedding space and by how well it knows the query's language. */
  readonly weights?: InputMaybe<HybridWeights>;
};

/** Which legs a search runs. */
export type SearchMode =
  /** Both, fused by reciprocal rank. */
  | 'HYBRID'
  /** BM25 over the chunks' words. */
  | 'TEXT'
  /** Nearest neighbours of the query's embedding. */
  | 'VECTOR';

/** How two vectors of a space are compared. */
export type Similarity =
  | 'COSINE'
  | 'DOT_PRODUCT'
  | 'EUCLIDEAN';

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

/** A piece of `document.text`. */
export type TextSpan = {
  readonly __typename?: 'TextSpan';
  readonly end: Scalars['Int']['output'];
  readonly start: Scalars['Int']['output'];
  readonly text: Scalars['String']['output'];
};

/** Exactly one of `documentId` and `by`. Omitted fields stay; null clears. */
export type UpdateDocumentInput = {
  readonly agentIds?: InputMaybe<ReadonlyArray<Scalars['ID']['input']>>;
  readonly by?: InputMaybe<DocumentBy>;
  readonly documentId?: InputMaybe<Scalars['ID']['input']>;
  /** Refuse with CONFLICT unless the stored document is at this revision. */
  readonly expectedRevision?: InputMaybe<Scalars['Int']['input']>;
  /** Replaces the whole object. */
  readonly metadata?: InputMaybe<Scalars['JSONObject']['input']>;
  readonly sourceUri?: InputMaybe<Scalars['String']['input']>;
  readonly title?: InputMaybe<Scalars['String']['input']>;
};

/** What became of an update. */
export type UpdateDocumentPayload = {
  readonly __typename?: 'UpdateDocumentPayload';
  readonly document?: Maybe<Document>;
  readonly userErrors: ReadonlyArray<UserError>;
};

/** What an upsert did, or with dryRun would do. */
export type UpsertChanges = {
  readonly __typename?: 'UpsertChanges';
  readonly chunksAdded: Scalars['Int']['output'];
  /** Chunks that were given to the embedding model. */
  readonly chunksEmbedded: Scalars['Int']['output'];
  /** Chunks whose text and vector stayed. */
  readonly chunksKept: Scalars['Int']['output'];
  readonly chunksRemoved: Scalars['Int']['output'];
  /** Tokens given to the embedding model. */
  readonly embeddingTokens: Scalars['Int']['output'];
};

/**
 * UNCHANGED only if content, chunking, space and every attribute given equal what is stored. The same content with other attributes is UPDATED with
 * nothing embedded and `version` as it was. A field left out keeps its stored value, null clears it. `expectedVersion` is checked first.
 */
export type UpsertDocumentInput = {
  /** A document that credentials bound to agents create gets those agents when left out. */
  readonly agentIds?: InputMaybe<ReadonlyArray<Scalars['ID']['input']>>;
  /** Left out: the stored chunking (RECURSIVE on creation). null: the defaults. Given: exactly this, its left-out fields taking the strategy's defaults. */
  readonly chunking?: InputMaybe<ChunkingInput>;
  /** Report what would change and cost, and change nothing. */
  readonly dryRun: Scalars['Boolean']['input'];
  /** Refuse with CONFLICT unless the stored document is at this version (0: must not exist). */
  readonly expectedVersion?: InputMaybe<Scalars['Int']['input']>;
  readonly file?: InputMaybe<FileInput>;
  /** BCP 47; detected when left out. */
  readonly language?: InputMaybe<Scalars['String']['input']>;
  /** On creation text/plain for `text`; a `file` is always read anew from its bytes; else the stored one is kept. */
  readonly mediaType?: InputMaybe<Scalars['String']['input']>;
  /** At most 16 KB as JSON; flat. */
  readonly metadata?: InputMaybe<Scalars['JSONObject']['input']>;
  readonly sourceUri?: InputMaybe<Scalars['String']['input']>;
  /** Exactly one of `text` and `file`. */
  readonly text?: InputMaybe<Scalars['String']['input']>;
  readonly title: Scalars['String']['input'];
  /** When to answer: once stored, or once search can find the new version (or a time limit passed, see `searchable`). */
  readonly waitUntil: WaitUntil;
};

/** What became of an upsert. */
export type UpsertDocumentPayload = {
  readonly __typename?: 'UpsertDocumentPayload';
  readonly changes?: Maybe<UpsertChanges>;
  /** The document as it is now; null when it was refused, or with `dryRun` of one that does not exist. */
  readonly document?: Maybe<Document>;
  readonly outcome?: Maybe<UpsertOutcome>;
  /** Whether search can find this version already. */
  readonly searchable: Scalars['Boolean']['output'];
  readonly userErrors: ReadonlyArray<UserError>;
  /** Quality warnings, e.g. pages without text. */
  readonly warnings: ReadonlyArray<Scalars['String']['output']>;
};

/** What an upsert came to. */
export type UpsertOutcome =
  | 'CREATED'
  | 'UNCHANGED'
  | 'UPDATED';

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
  /** The stored state is not the expected one, or a title is taken. */
  | 'CONFLICT'
  /** No text was left to store. */
  | 'EMPTY_TEXT'
  /** A value that the field does not take. */
  | 'INVALID'
  /** Nothing of that id or title in the caller's scope. */
  | 'NOT_FOUND'
  /** The owner's quota is used up. */
  | 'QUOTA_EXCEEDED'
  /** Above a documented limit, which the message names. */
  | 'TOO_LARGE'
  /** A file that is damaged or encrypted. */
  | 'UNREADABLE'
  /** A kind of file that is not read. */
  | 'UNSUPPORTED_MEDIA_TYPE';

/** The caller, from its credentials alone. `agentIds` is null when the credentials are not bound to agents. */
export type Viewer = {
  readonly __typename?: 'Viewer';
  readonly agentIds?: Maybe<ReadonlyArray<Scalars['ID']['output']>>;
  readonly ownerId: Scalars['ID']['output'];
  readonly role: Role;
};

/** What a write waits for. */
export type WaitUntil =
  /** The search indexes return the version. */
  | 'SEARCHABLE'
  /** The transaction is durable. */
  | 'STORED';

/** Why a document is not among the first hits of a search. */
export type WhyNot = {
  readonly __typename?: 'WhyNot';
  /** The document's best chunk under this search; null when none was a candidate. */
  readonly best?: Maybe<CandidateExplanation>;
  /** Plain words, with the numbers. */
  readonly detail: Scalars['String']['output'];
  readonly reason: WhyNotReason;
};

/** The gate at which a document was held. */
export type WhyNotReason =
  | 'BELOW_MIN_SIMILARITY'
  | 'EXCLUDED_BY_FILTER'
  | 'IT_IS_A_HIT'
  | 'NOT_A_CANDIDATE'
  | 'NOT_INDEXED_YET'
  | 'NO_VERSION_STORED'
  | 'PER_DOCUMENT_CAP'
  | 'RANKED_LOWER';



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
    | ( Omit<Job, 'items'> & { items: _RefType['JobItemConnection'] } )
  ;
};

/** Mapping between all available schema types and the resolvers types */
export type ResolversTypes = {
  ActivateEmbeddingSpaceInput: ActivateEmbeddingSpaceInput;
  ActivateEmbeddingSpacePayload: ResolverTypeWrapper<Omit<ActivateEmbeddingSpacePayload, 'embeddingSpace'> & { embeddingSpace?: Maybe<ResolversTypes['EmbeddingSpace']> }>;
  Admin: ResolverTypeWrapper<AdminDoor>;
  ApiKey: ResolverTypeWrapper<ApiKeyRecord>;
  Boolean: ResolverTypeWrapper<Scalars['Boolean']['output']>;
  CandidateExplanation: ResolverTypeWrapper<CandidateExplanationSource>;
  Chunk: ResolverTypeWrapper<ChunkRecord>;
  ChunkConnection: ResolverTypeWrapper<ChunkListing>;
  ChunkEdge: ResolverTypeWrapper<Omit<ChunkEdge, 'node'> & { node: ResolversTypes['Chunk'] }>;
  Chunking: ResolverTypeWrapper<ChunkingSource>;
  ChunkingInput: ChunkingInput;
  ChunkingStrategy: ChunkingStrategy;
  CreateApiKeyInput: CreateApiKeyInput;
  CreateApiKeyPayload: ResolverTypeWrapper<Omit<CreateApiKeyPayload, 'apiKey'> & { apiKey?: Maybe<ResolversTypes['ApiKey']> }>;
  DateTime: ResolverTypeWrapper<Scalars['DateTime']['output']>;
  Degradation: Degradation;
  DeleteDocumentInput: DeleteDocumentInput;
  DeleteDocumentPayload: ResolverTypeWrapper<DeleteDocumentPayload>;
  DeleteDocumentsInput: DeleteDocumentsInput;
  DeleteDocumentsPayload: ResolverTypeWrapper<DeleteDocumentsPayload>;
  Document: ResolverTypeWrapper<DocumentRecord>;
  DocumentBy: DocumentBy;
  DocumentConnection: ResolverTypeWrapper<DocumentListing>;
  DocumentEdge: ResolverTypeWrapper<Omit<DocumentEdge, 'node'> & { node: ResolversTypes['Document'] }>;
  DocumentFilter: DocumentFilter;
  DocumentOrder: DocumentOrder;
  DocumentStatus: DocumentStatus;
  DropEmbeddingSpaceInput: DropEmbeddingSpaceInput;
  DropEmbeddingSpacePayload: ResolverTypeWrapper<DropEmbeddingSpacePayload>;
  DropReason: DropReason;
  EffectiveWeights: ResolverTypeWrapper<EffectiveWeights>;
  EmbeddingSpace: ResolverTypeWrapper<SpaceRecord>;
  EmbeddingSpaceState: EmbeddingSpaceState;
  EnsureSearchIndexesPayload: ResolverTypeWrapper<Omit<EnsureSearchIndexesPayload, 'searchIndexes'> & { searchIndexes: ReadonlyArray<ResolversTypes['SearchIndex']> }>;
  EraseOwnerInput: EraseOwnerInput;
  EraseOwnerPayload: ResolverTypeWrapper<EraseOwnerPayload>;
  FileInput: FileInput;
  Float: ResolverTypeWrapper<Scalars['Float']['output']>;
  Highlight: ResolverTypeWrapper<Highlight>;
  HybridWeights: HybridWeights;
  ID: ResolverTypeWrapper<Scalars['ID']['output']>;
  IngestDocumentsInput: IngestDocumentsInput;
  IngestDocumentsPayload: ResolverTypeWrapper<Omit<IngestDocumentsPayload, 'job'> & { job?: Maybe<ResolversTypes['Job']> }>;
  Int: ResolverTypeWrapper<Scalars['Int']['output']>;
  JSONObject: ResolverTypeWrapper<Scalars['JSONObject']['output']>;
  Job: ResolverTypeWrapper<Omit<Job, 'items'> & { items: ResolversTypes['JobItemConnection'] }>;
  JobConnection: ResolverTypeWrapper<Omit<JobConnection, 'edges' | 'nodes'> & { edges: ReadonlyArray<ResolversTypes['JobEdge']>, nodes: ReadonlyArray<ResolversTypes['Job']> }>;
  JobEdge: ResolverTypeWrapper<Omit<JobEdge, 'node'> & { node: ResolversTypes['Job'] }>;
  JobError: ResolverTypeWrapper<JobError>;
  JobInput: JobInput;
  JobItem: ResolverTypeWrapper<Omit<JobItem, 'document'> & { document?: Maybe<ResolversTypes['Document']> }>;
  JobItemConnection: ResolverTypeWrapper<Omit<JobItemConnection, 'edges' | 'nodes'> & { edges: ReadonlyArray<ResolversTypes['JobItemEdge']>, nodes: ReadonlyArray<ResolversTypes['JobItem']> }>;
  JobItemEdge: ResolverTypeWrapper<Omit<JobItemEdge, 'node'> & { node: ResolversTypes['JobItem'] }>;
  JobItemState: JobItemState;
  JobKind: JobKind;
  JobPayload: ResolverTypeWrapper<Omit<JobPayload, 'job'> & { job?: Maybe<ResolversTypes['Job']> }>;
  JobState: JobState;
  LegExplanation: ResolverTypeWrapper<Leg>;
  MetadataCondition: MetadataCondition;
  MetadataValue: ResolverTypeWrapper<Scalars['MetadataValue']['output']>;
  Mutation: ResolverTypeWrapper<Record<PropertyKey, never>>;
  Node: ResolverTypeWrapper<ResolversInterfaceTypes<ResolversTypes>['Node']>;
  PageInfo: ResolverTypeWrapper<PageInfo>;
  Query: ResolverTypeWrapper<Record<PropertyKey, never>>;
  ReembedInput: ReembedInput;
  ReembedPayload: ResolverTypeWrapper<Omit<ReembedPayload, 'embeddingSpace' | 'job'> & { embeddingSpace?: Maybe<ResolversTypes['EmbeddingSpace']>, job?: Maybe<ResolversTypes['Job']> }>;
  RevokeApiKeyInput: RevokeApiKeyInput;
  RevokeApiKeyPayload: ResolverTypeWrapper<RevokeApiKeyPayload>;
  Role: Role;
  Scores: ResolverTypeWrapper<Scores>;
  SearchConnection: ResolverTypeWrapper<SearchListing>;
  SearchDiagnostics: ResolverTypeWrapper<SearchDiagnostics>;
  SearchEdge: ResolverTypeWrapper<SearchHit>;
  SearchExplanation: ResolverTypeWrapper<SearchExplanationSource>;
  SearchFilter: SearchFilter;
  SearchIndex: ResolverTypeWrapper<SearchIndexRecord>;
  SearchIndexKind: SearchIndexKind;
  SearchIndexStatus: SearchIndexStatus;
  SearchInput: SearchInput;
  SearchMode: SearchMode;
  Similarity: Similarity;
  String: ResolverTypeWrapper<Scalars['String']['output']>;
  Subscription: ResolverTypeWrapper<Record<PropertyKey, never>>;
  TextSpan: ResolverTypeWrapper<Span>;
  UpdateDocumentInput: UpdateDocumentInput;
  UpdateDocumentPayload: ResolverTypeWrapper<Omit<UpdateDocumentPayload, 'document'> & { document?: Maybe<ResolversTypes['Document']> }>;
  UpsertChanges: ResolverTypeWrapper<UpsertChanges>;
  UpsertDocumentInput: UpsertDocumentInput;
  UpsertDocumentPayload: ResolverTypeWrapper<Omit<UpsertDocumentPayload, 'document'> & { document?: Maybe<ResolversTypes['Document']> }>;
  UpsertOutcome: UpsertOutcome;
  UserError: ResolverTypeWrapper<UserError>;
  UserErrorCode: UserErrorCode;
  Viewer: ResolverTypeWrapper<ViewerSource>;
  WaitUntil: WaitUntil;
  WhyNot: ResolverTypeWrapper<WhyNotSource>;
  WhyNotReason: WhyNotReason;
};

/** Mapping between all available schema types and the resolvers parents */
export type ResolversParentTypes = {
  ActivateEmbeddingSpaceInput: ActivateEmbeddingSpaceInput;
  ActivateEmbeddingSpacePayload: Omit<ActivateEmbeddingSpacePayload, 'embeddingSpace'> & { embeddingSpace?: Maybe<ResolversParentTypes['EmbeddingSpace']> };
  Admin: AdminDoor;
  ApiKey: ApiKeyRecord;
  Boolean: Scalars['Boolean']['output'];
  CandidateExplanation: CandidateExplanationSource;
  Chunk: ChunkRecord;
  ChunkConnection: ChunkListing;
  ChunkEdge: Omit<ChunkEdge, 'node'> & { node: ResolversParentTypes['Chunk'] };
  Chunking: ChunkingSource;
  ChunkingInput: ChunkingInput;
  CreateApiKeyInput: CreateApiKeyInput;
  CreateApiKeyPayload: Omit<CreateApiKeyPayload, 'apiKey'> & { apiKey?: Maybe<ResolversParentTypes['ApiKey']> };
  DateTime: Scalars['DateTime']['output'];
  DeleteDocumentInput: DeleteDocumentInput;
  DeleteDocumentPayload: DeleteDocumentPayload;
  DeleteDocumentsInput: DeleteDocumentsInput;
  DeleteDocumentsPayload: DeleteDocumentsPayload;
  Document: DocumentRecord;
  DocumentBy: DocumentBy;
  DocumentConnection: DocumentListing;
  DocumentEdge: Omit<DocumentEdge, 'node'> & { node: ResolversParentTypes['Document'] };
  DocumentFilter: DocumentFilter;
  DropEmbeddingSpaceInput: DropEmbeddingSpaceInput;
  DropEmbeddingSpacePayload: DropEmbeddingSpacePayload;
  EffectiveWeights: EffectiveWeights;
  EmbeddingSpace: SpaceRecord;
  EnsureSearchIndexesPayload: Omit<EnsureSearchIndexesPayload, 'searchIndexes'> & { searchIndexes: ReadonlyArray<ResolversParentTypes['SearchIndex']> };
  EraseOwnerInput: EraseOwnerInput;
  EraseOwnerPayload: EraseOwnerPayload;
  FileInput: FileInput;
  Float: Scalars['Float']['output'];
  Highlight: Highlight;
  HybridWeights: HybridWeights;
  ID: Scalars['ID']['output'];
  IngestDocumentsInput: IngestDocumentsInput;
  IngestDocumentsPayload: Omit<IngestDocumentsPayload, 'job'> & { job?: Maybe<ResolversParentTypes['Job']> };
  Int: Scalars['Int']['output'];
  JSONObject: Scalars['JSONObject']['output'];
  Job: Omit<Job, 'items'> & { items: ResolversParentTypes['JobItemConnection'] };
  JobConnection: Omit<JobConnection, 'edges' | 'nodes'> & { edges: ReadonlyArray<ResolversParentTypes['JobEdge']>, nodes: ReadonlyArray<ResolversParentTypes['Job']> };
  JobEdge: Omit<JobEdge, 'node'> & { node: ResolversParentTypes['Job'] };
  JobError: JobError;
  JobInput: JobInput;
  JobItem: Omit<JobItem, 'document'> & { document?: Maybe<ResolversParentTypes['Document']> };
  JobItemConnection: Omit<JobItemConnection, 'edges' | 'nodes'> & { edges: ReadonlyArray<ResolversParentTypes['JobItemEdge']>, nodes: ReadonlyArray<ResolversParentTypes['JobItem']> };
  JobItemEdge: Omit<JobItemEdge, 'node'> & { node: ResolversParentTypes['JobItem'] };
  JobPayload: Omit<JobPayload, 'job'> & { job?: Maybe<ResolversParentTypes['Job']> };
  LegExplanation: Leg;
  MetadataCondition: MetadataCondition;
  MetadataValue: Scalars['MetadataValue']['output'];
  Mutation: Record<PropertyKey, never>;
  Node: ResolversInterfaceTypes<ResolversParentTypes>['Node'];
  PageInfo: PageInfo;
  Query: Record<PropertyKey, never>;
  ReembedInput: ReembedInput;
  ReembedPayload: Omit<ReembedPayload, 'embeddingSpace' | 'job'> & { embeddingSpace?: Maybe<ResolversParentTypes['EmbeddingSpace']>, job?: Maybe<ResolversParentTypes['Job']> };
  RevokeApiKeyInput: RevokeApiKeyInput;
  RevokeApiKeyPayload: RevokeApiKeyPayload;
  Scores: Scores;
  SearchConnection: SearchListing;
  SearchDiagnostics: SearchDiagnostics;
  SearchEdge: SearchHit;
  SearchExplanation: SearchExplanationSource;
  SearchFilter: SearchFilter;
  SearchIndex: SearchIndexRecord;
  SearchInput: SearchInput;
  String: Scalars['String']['output'];
  Subscription: Record<PropertyKey, never>;
  TextSpan: Span;
  UpdateDocumentInput: UpdateDocumentInput;
  UpdateDocumentPayload: Omit<UpdateDocumentPayload, 'document'> & { document?: Maybe<ResolversParentTypes['Document']> };
  UpsertChanges: UpsertChanges;
  UpsertDocumentInput: UpsertDocumentInput;
  UpsertDocumentPayload: Omit<UpsertDocumentPayload, 'document'> & { document?: Maybe<ResolversParentTypes['Document']> };
  UserError: UserError;
  Viewer: ViewerSource;
  WhyNot: WhyNotSource;
};

export type ActivateEmbeddingSpacePayloadResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['ActivateEmbeddingSpacePayload'] = ResolversParentTypes['ActivateEmbeddingSpacePayload']> = {
  embeddingSpace?: Resolver<Maybe<ResolversTypes['EmbeddingSpace']>, ParentType, ContextType>;
  userErrors?: Resolver<ReadonlyArray<ResolversTypes['UserError']>, ParentType, ContextType>;
};

export type AdminResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Admin'] = ResolversParentTypes['Admin']> = {
  apiKeys?: Resolver<ReadonlyArray<ResolversTypes['ApiKey']>, ParentType, ContextType>;
  embeddingSpaces?: Resolver<ReadonlyArray<ResolversTypes['EmbeddingSpace']>, ParentType, ContextType>;
  searchIndexes?: Resolver<ReadonlyArray<ResolversTypes['SearchIndex']>, ParentType, ContextType>;
};

export type ApiKeyResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['ApiKey'] = ResolversParentTypes['ApiKey']> = {
  agentIds?: Resolver<Maybe<ReadonlyArray<ResolversTypes['ID']>>, ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  expiresAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  lastUsedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  ownerId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  role?: Resolver<ResolversTypes['Role'], ParentType, ContextType>;
};

export type CandidateExplanationResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['CandidateExplanation'] = ResolversParentTypes['CandidateExplanation']> = {
  chunk?: Resolver<ResolversTypes['Chunk'], ParentType, ContextType>;
  droppedBy?: Resolver<Maybe<ResolversTypes['DropReason']>, ParentType, ContextType>;
  rank?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  scores?: Resolver<ResolversTypes['Scores'], ParentType, ContextType>;
  textRank?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  vectorRank?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
};

export type ChunkResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Chunk'] = ResolversParentTypes['Chunk']> = {
  document?: Resolver<ResolversTypes['Document'], ParentType, ContextType>;
  end?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  headings?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  next?: Resolver<Maybe<ResolversTypes['Chunk']>, ParentType, ContextType>;
  ordinal?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  page?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  parent?: Resolver<Maybe<ResolversTypes['TextSpan']>, ParentType, ContextType>;
  previous?: Resolver<Maybe<ResolversTypes['Chunk']>, ParentType, ContextType>;
  start?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  text?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  tokenCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
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
  contextual?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  maxCharacters?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  maxTokens?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  overlap?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  strategy?: Resolver<ResolversTypes['ChunkingStrategy'], ParentType, ContextType>;
};

export type CreateApiKeyPayloadResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['CreateApiKeyPayload'] = ResolversParentTypes['CreateApiKeyPayload']> = {
  apiKey?: Resolver<Maybe<ResolversTypes['ApiKey']>, ParentType, ContextType>;
  secret?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  userErrors?: Resolver<ReadonlyArray<ResolversTypes['UserError']>, ParentType, ContextType>;
};

export interface DateTimeScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['DateTime'], any> {
  name: 'DateTime';
}

export type DeleteDocumentPayloadResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['DeleteDocumentPayload'] = ResolversParentTypes['DeleteDocumentPayload']> = {
  deletedChunks?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  deletedDocumentId?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  userErrors?: Resolver<ReadonlyArray<ResolversTypes['UserError']>, ParentType, ContextType>;
};

export type DeleteDocumentsPayloadResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['DeleteDocumentsPayload'] = ResolversParentTypes['DeleteDocumentsPayload']> = {
  deletedChunks?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  deletedDocuments?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  userErrors?: Resolver<ReadonlyArray<ResolversTypes['UserError']>, ParentType, ContextType>;
};

export type DocumentResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Document'] = ResolversParentTypes['Document']> = {
  agentIds?: Resolver<ReadonlyArray<ResolversTypes['ID']>, ParentType, ContextType>;
  chunkCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  chunking?: Resolver<ResolversTypes['Chunking'], ParentType, ContextType>;
  chunks?: Resolver<ResolversTypes['ChunkConnection'], ParentType, ContextType, RequireFields<DocumentChunksArgs, 'first'>>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  embeddingSpace?: Resolver<Maybe<ResolversTypes['EmbeddingSpace']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  language?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  lastError?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  mediaType?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  metadata?: Resolver<ResolversTypes['JSONObject'], ParentType, ContextType>;
  revision?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  sourceUri?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  status?: Resolver<ResolversTypes['DocumentStatus'], ParentType, ContextType>;
  text?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  textLength?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  title?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  updatedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  version?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
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

export type DropEmbeddingSpacePayloadResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['DropEmbeddingSpacePayload'] = ResolversParentTypes['DropEmbeddingSpacePayload']> = {
  droppedEmbeddingSpaceId?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  userErrors?: Resolver<ReadonlyArray<ResolversTypes['UserError']>, ParentType, ContextType>;
};

export type EffectiveWeightsResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['EffectiveWeights'] = ResolversParentTypes['EffectiveWeights']> = {
  text?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  vector?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
};

export type EmbeddingSpaceResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['EmbeddingSpace'] = ResolversParentTypes['EmbeddingSpace']> = {
  dimensions?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  model?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  provider?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  similarity?: Resolver<ResolversTypes['Similarity'], ParentType, ContextType>;
  state?: Resolver<ResolversTypes['EmbeddingSpaceState'], ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type EnsureSearchIndexesPayloadResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['EnsureSearchIndexesPayload'] = ResolversParentTypes['EnsureSearchIndexesPayload']> = {
  searchIndexes?: Resolver<ReadonlyArray<ResolversTypes['SearchIndex']>, ParentType, ContextType>;
  userErrors?: Resolver<ReadonlyArray<ResolversTypes['UserError']>, ParentType, ContextType>;
};

export type EraseOwnerPayloadResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['EraseOwnerPayload'] = ResolversParentTypes['EraseOwnerPayload']> = {
  apiKeys?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  chunks?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  documents?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  jobs?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  userErrors?: Resolver<ReadonlyArray<ResolversTypes['UserError']>, ParentType, ContextType>;
};

export type HighlightResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Highlight'] = ResolversParentTypes['Highlight']> = {
  end?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  start?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  text?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type IngestDocumentsPayloadResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['IngestDocumentsPayload'] = ResolversParentTypes['IngestDocumentsPayload']> = {
  job?: Resolver<Maybe<ResolversTypes['Job']>, ParentType, ContextType>;
  userErrors?: Resolver<ReadonlyArray<ResolversTypes['UserError']>, ParentType, ContextType>;
};

export interface JsonObjectScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['JSONObject'], any> {
  name: 'JSONObject';
}

export type JobResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Job'] = ResolversParentTypes['Job']> = {
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  done?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  failed?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  finishedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  items?: Resolver<ResolversTypes['JobItemConnection'], ParentType, ContextType, RequireFields<JobItemsArgs, 'first'>>;
  kind?: Resolver<ResolversTypes['JobKind'], ParentType, ContextType>;
  startedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  state?: Resolver<ResolversTypes['JobState'], ParentType, ContextType>;
  total?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
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

export type JobErrorResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['JobError'] = ResolversParentTypes['JobError']> = {
  code?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  message?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  retryable?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
};

export type JobItemResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['JobItem'] = ResolversParentTypes['JobItem']> = {
  document?: Resolver<Maybe<ResolversTypes['Document']>, ParentType, ContextType>;
  error?: Resolver<Maybe<ResolversTypes['JobError']>, ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  outcome?: Resolver<Maybe<ResolversTypes['UpsertOutcome']>, ParentType, ContextType>;
  state?: Resolver<ResolversTypes['JobItemState'], ParentType, ContextType>;
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

export type JobPayloadResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['JobPayload'] = ResolversParentTypes['JobPayload']> = {
  job?: Resolver<Maybe<ResolversTypes['Job']>, ParentType, ContextType>;
  userErrors?: Resolver<ReadonlyArray<ResolversTypes['UserError']>, ParentType, ContextType>;
};

export type LegExplanationResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['LegExplanation'] = ResolversParentTypes['LegExplanation']> = {
  index?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  indexStatus?: Resolver<ResolversTypes['SearchIndexStatus'], ParentType, ContextType>;
  mode?: Resolver<ResolversTypes['SearchMode'], ParentType, ContextType>;
  pipeline?: Resolver<ReadonlyArray<ResolversTypes['JSONObject']>, ParentType, ContextType>;
  returned?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  tookMs?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
};

export interface MetadataValueScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['MetadataValue'], any> {
  name: 'MetadataValue';
}

export type MutationResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Mutation'] = ResolversParentTypes['Mutation']> = {
  activateEmbeddingSpace?: Resolver<Maybe<ResolversTypes['ActivateEmbeddingSpacePayload']>, ParentType, ContextType, RequireFields<MutationActivateEmbeddingSpaceArgs, 'input'>>;
  cancelJob?: Resolver<Maybe<ResolversTypes['JobPayload']>, ParentType, ContextType, RequireFields<MutationCancelJobArgs, 'input'>>;
  createApiKey?: Resolver<Maybe<ResolversTypes['CreateApiKeyPayload']>, ParentType, ContextType, RequireFields<MutationCreateApiKeyArgs, 'input'>>;
  deleteDocument?: Resolver<Maybe<ResolversTypes['DeleteDocumentPayload']>, ParentType, ContextType, RequireFields<MutationDeleteDocumentArgs, 'input'>>;
  deleteDocuments?: Resolver<Maybe<ResolversTypes['DeleteDocumentsPayload']>, ParentType, ContextType, RequireFields<MutationDeleteDocumentsArgs, 'input'>>;
  dropEmbeddingSpace?: Resolver<Maybe<ResolversTypes['DropEmbeddingSpacePayload']>, ParentType, ContextType, RequireFields<MutationDropEmbeddingSpaceArgs, 'input'>>;
  ensureSearchIndexes?: Resolver<Maybe<ResolversTypes['EnsureSearchIndexesPayload']>, ParentType, ContextType>;
  eraseOwner?: Resolver<Maybe<ResolversTypes['EraseOwnerPayload']>, ParentType, ContextType, RequireFields<MutationEraseOwnerArgs, 'input'>>;
  ingestDocuments?: Resolver<Maybe<ResolversTypes['IngestDocumentsPayload']>, ParentType, ContextType, RequireFields<MutationIngestDocumentsArgs, 'input'>>;
  reembed?: Resolver<Maybe<ResolversTypes['ReembedPayload']>, ParentType, ContextType, RequireFields<MutationReembedArgs, 'input'>>;
  retryJob?: Resolver<Maybe<ResolversTypes['JobPayload']>, ParentType, ContextType, RequireFields<MutationRetryJobArgs, 'input'>>;
  revokeApiKey?: Resolver<Maybe<ResolversTypes['RevokeApiKeyPayload']>, ParentType, ContextType, RequireFields<MutationRevokeApiKeyArgs, 'input'>>;
  updateDocument?: Resolver<Maybe<ResolversTypes['UpdateDocumentPayload']>, ParentType, ContextType, RequireFields<MutationUpdateDocumentArgs, 'input'>>;
  upsertDocument?: Resolver<Maybe<ResolversTypes['UpsertDocumentPayload']>, ParentType, ContextType, RequireFields<MutationUpsertDocumentArgs, 'input'>>;
};

export type NodeResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Node'] = ResolversParentTypes['Node']> = {
  __resolveType: TypeResolveFn<'Chunk' | 'Document' | 'EmbeddingSpace' | 'Job', ParentType, ContextType>;
};

export type PageInfoResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['PageInfo'] = ResolversParentTypes['PageInfo']> = {
  endCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  hasNextPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  hasPreviousPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  startCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type QueryResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Query'] = ResolversParentTypes['Query']> = {
  admin?: Resolver<Maybe<ResolversTypes['Admin']>, ParentType, ContextType>;
  document?: Resolver<Maybe<ResolversTypes['Document']>, ParentType, ContextType, RequireFields<QueryDocumentArgs, 'by'>>;
  documents?: Resolver<Maybe<ResolversTypes['DocumentConnection']>, ParentType, ContextType, RequireFields<QueryDocumentsArgs, 'first' | 'orderBy'>>;
  explainSearch?: Resolver<Maybe<ResolversTypes['SearchExplanation']>, ParentType, ContextType, RequireFields<QueryExplainSearchArgs, 'first' | 'input'>>;
  jobs?: Resolver<Maybe<ResolversTypes['JobConnection']>, ParentType, ContextType, RequireFields<QueryJobsArgs, 'first'>>;
  node?: Resolver<Maybe<ResolversTypes['Node']>, ParentType, ContextType, RequireFields<QueryNodeArgs, 'id'>>;
  nodes?: Resolver<Maybe<ReadonlyArray<Maybe<ResolversTypes['Node']>>>, ParentType, ContextType, RequireFields<QueryNodesArgs, 'ids'>>;
  search?: Resolver<Maybe<ResolversTypes['SearchConnection']>, ParentType, ContextType, RequireFields<QuerySearchArgs, 'first' | 'input'>>;
  similarChunks?: Resolver<Maybe<ResolversTypes['SearchConnection']>, ParentType, ContextType, RequireFields<QuerySimilarChunksArgs, 'chunkId' | 'first'>>;
  viewer?: Resolver<ResolversTypes['Viewer'], ParentType, ContextType>;
  whyNot?: Resolver<Maybe<ResolversTypes['WhyNot']>, ParentType, ContextType, RequireFields<QueryWhyNotArgs, 'documentId' | 'first' | 'input'>>;
};

export type ReembedPayloadResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['ReembedPayload'] = ResolversParentTypes['ReembedPayload']> = {
  embeddingSpace?: Resolver<Maybe<ResolversTypes['EmbeddingSpace']>, ParentType, ContextType>;
  job?: Resolver<Maybe<ResolversTypes['Job']>, ParentType, ContextType>;
  userErrors?: Resolver<ReadonlyArray<ResolversTypes['UserError']>, ParentType, ContextType>;
};

export type RevokeApiKeyPayloadResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['RevokeApiKeyPayload'] = ResolversParentTypes['RevokeApiKeyPayload']> = {
  revokedApiKeyId?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  userErrors?: Resolver<ReadonlyArray<ResolversTypes['UserError']>, ParentType, ContextType>;
};

export type ScoresResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Scores'] = ResolversParentTypes['Scores']> = {
  distance?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  fused?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  rerank?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  similarity?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  text?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
};

export type SearchConnectionResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['SearchConnection'] = ResolversParentTypes['SearchConnection']> = {
  diagnostics?: Resolver<ResolversTypes['SearchDiagnostics'], ParentType, ContextType>;
  edges?: Resolver<ReadonlyArray<ResolversTypes['SearchEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<ResolversTypes['Chunk']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type SearchDiagnosticsResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['SearchDiagnostics'] = ResolversParentTypes['SearchDiagnostics']> = {
  degraded?: Resolver<ReadonlyArray<ResolversTypes['Degradation']>, ParentType, ContextType>;
  embeddingSpace?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  exact?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  mode?: Resolver<ResolversTypes['SearchMode'], ParentType, ContextType>;
  numCandidates?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  staleDropped?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  tookMs?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  weights?: Resolver<Maybe<ResolversTypes['EffectiveWeights']>, ParentType, ContextType>;
};

export type SearchEdgeResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['SearchEdge'] = ResolversParentTypes['SearchEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  highlights?: Resolver<ReadonlyArray<ResolversTypes['Highlight']>, ParentType, ContextType>;
  node?: Resolver<ResolversTypes['Chunk'], ParentType, ContextType>;
  rank?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  score?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  scores?: Resolver<ResolversTypes['Scores'], ParentType, ContextType>;
};

export type SearchExplanationResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['SearchExplanation'] = ResolversParentTypes['SearchExplanation']> = {
  candidates?: Resolver<ReadonlyArray<ResolversTypes['CandidateExplanation']>, ParentType, ContextType>;
  fusion?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  legs?: Resolver<ReadonlyArray<ResolversTypes['LegExplanation']>, ParentType, ContextType>;
  rankFusionPipeline?: Resolver<Maybe<ReadonlyArray<ResolversTypes['JSONObject']>>, ParentType, ContextType>;
};

export type SearchIndexResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['SearchIndex'] = ResolversParentTypes['SearchIndex']> = {
  definition?: Resolver<ResolversTypes['JSONObject'], ParentType, ContextType>;
  kind?: Resolver<ResolversTypes['SearchIndexKind'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  problems?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
  queryable?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  status?: Resolver<ResolversTypes['SearchIndexStatus'], ParentType, ContextType>;
};

export type SubscriptionResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Subscription'] = ResolversParentTypes['Subscription']> = {
  job?: SubscriptionResolver<ResolversTypes['Job'], "job", ParentType, ContextType, RequireFields<SubscriptionJobArgs, 'id'>>;
};

export type TextSpanResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['TextSpan'] = ResolversParentTypes['TextSpan']> = {
  end?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  start?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  text?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type UpdateDocumentPayloadResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['UpdateDocumentPayload'] = ResolversParentTypes['UpdateDocumentPayload']> = {
  document?: Resolver<Maybe<ResolversTypes['Document']>, ParentType, ContextType>;
  userErrors?: Resolver<ReadonlyArray<ResolversTypes['UserError']>, ParentType, ContextType>;
};

export type UpsertChangesResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['UpsertChanges'] = ResolversParentTypes['UpsertChanges']> = {
  chunksAdded?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  chunksEmbedded?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  chunksKept?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  chunksRemoved?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  embeddingTokens?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type UpsertDocumentPayloadResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['UpsertDocumentPayload'] = ResolversParentTypes['UpsertDocumentPayload']> = {
  changes?: Resolver<Maybe<ResolversTypes['UpsertChanges']>, ParentType, ContextType>;
  document?: Resolver<Maybe<ResolversTypes['Document']>, ParentType, ContextType>;
  outcome?: Resolver<Maybe<ResolversTypes['UpsertOutcome']>, ParentType, ContextType>;
  searchable?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  userErrors?: Resolver<ReadonlyArray<ResolversTypes['UserError']>, ParentType, ContextType>;
  warnings?: Resolver<ReadonlyArray<ResolversTypes['String']>, ParentType, ContextType>;
};

export type UserErrorResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['UserError'] = ResolversParentTypes['UserError']> = {
  code?: Resolver<ResolversTypes['UserErrorCode'], ParentType, ContextType>;
  message?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  path?: Resolver<Maybe<ReadonlyArray<ResolversTypes['String']>>, ParentType, ContextType>;
};

export type ViewerResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['Viewer'] = ResolversParentTypes['Viewer']> = {
  agentIds?: Resolver<Maybe<ReadonlyArray<ResolversTypes['ID']>>, ParentType, ContextType>;
  ownerId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  role?: Resolver<ResolversTypes['Role'], ParentType, ContextType>;
};

export type WhyNotResolvers<ContextType = RequestContext, ParentType extends ResolversParentTypes['WhyNot'] = ResolversParentTypes['WhyNot']> = {
  best?: Resolver<Maybe<ResolversTypes['CandidateExplanation']>, ParentType, ContextType>;
  detail?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  reason?: Resolver<ResolversTypes['WhyNotReason'], ParentType, ContextType>;
};

export type Resolvers<ContextType = RequestContext> = {
  ActivateEmbeddingSpacePayload?: ActivateEmbeddingSpacePayloadResolvers<ContextType>;
  Admin?: AdminResolvers<ContextType>;
  ApiKey?: ApiKeyResolvers<ContextType>;
  CandidateExplanation?: CandidateExplanationResolvers<ContextType>;
  Chunk?: ChunkResolvers<ContextType>;
  ChunkConnection?: ChunkConnectionResolvers<ContextType>;
  ChunkEdge?: ChunkEdgeResolvers<ContextType>;
  Chunking?: ChunkingResolvers<ContextType>;
  CreateApiKeyPayload?: CreateApiKeyPayloadResolvers<ContextType>;
  DateTime?: GraphQLScalarType;
  DeleteDocumentPayload?: DeleteDocumentPayloadResolvers<ContextType>;
  DeleteDocumentsPayload?: DeleteDocumentsPayloadResolvers<ContextType>;
  Document?: DocumentResolvers<ContextType>;
  DocumentConnection?: DocumentConnectionResolvers<ContextType>;
  DocumentEdge?: DocumentEdgeResolvers<ContextType>;
  DropEmbeddingSpacePayload?: DropEmbeddingSpacePayloadResolvers<ContextType>;
  EffectiveWeights?: EffectiveWeightsResolvers<ContextType>;
  EmbeddingSpace?: EmbeddingSpaceResolvers<ContextType>;
  EnsureSearchIndexesPayload?: EnsureSearchIndexesPayloadResolvers<ContextType>;
  EraseOwnerPayload?: EraseOwnerPayloadResolvers<ContextType>;
  Highlight?: HighlightResolvers<ContextType>;
  IngestDocumentsPayload?: IngestDocumentsPayloadResolvers<ContextType>;
  JSONObject?: GraphQLScalarType;
  Job?: JobResolvers<ContextType>;
  JobConnection?: JobConnectionResolvers<ContextType>;
  JobEdge?: JobEdgeResolvers<ContextType>;
  JobError?: JobErrorResolvers<ContextType>;
  JobItem?: JobItemResolvers<ContextType>;
  JobItemConnection?: JobItemConnectionResolvers<ContextType>;
  JobItemEdge?: JobItemEdgeResolvers<ContextType>;
  JobPayload?: JobPayloadResolvers<ContextType>;
  LegExplanation?: LegExplanationResolvers<ContextType>;
  MetadataValue?: GraphQLScalarType;
  Mutation?: MutationResolvers<ContextType>;
  Node?: NodeResolvers<ContextType>;
  PageInfo?: PageInfoResolvers<ContextType>;
  Query?: QueryResolvers<ContextType>;
  ReembedPayload?: ReembedPayloadResolvers<ContextType>;
  RevokeApiKeyPayload?: RevokeApiKeyPayloadResolvers<ContextType>;
  Scores?: ScoresResolvers<ContextType>;
  SearchConnection?: SearchConnectionResolvers<ContextType>;
  SearchDiagnostics?: SearchDiagnosticsResolvers<ContextType>;
  SearchEdge?: SearchEdgeResolvers<ContextType>;
  SearchExplanation?: SearchExplanationResolvers<ContextType>;
  SearchIndex?: SearchIndexResolvers<ContextType>;
  Subscription?: SubscriptionResolvers<ContextType>;
  TextSpan?: TextSpanResolvers<ContextType>;
  UpdateDocumentPayload?: UpdateDocumentPayloadResolvers<ContextType>;
  UpsertChanges?: UpsertChangesResolvers<ContextType>;
  UpsertDocumentPayload?: UpsertDocumentPayloadResolvers<ContextType>;
  UserError?: UserErrorResolvers<ContextType>;
  Viewer?: ViewerResolvers<ContextType>;
  WhyNot?: WhyNotResolvers<ContextType>;
};

