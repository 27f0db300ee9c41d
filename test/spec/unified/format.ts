/** The unified test format, as far as the suites here use it. Source: mongodb/specifications, unified-test-format. */
export type Value = unknown;
export type Fields = Record<string, Value>;

export interface TestFile {
  readonly description: string;
  readonly schemaVersion: string;
  readonly runOnRequirements?: readonly Requirement[];
  readonly createEntities?: readonly EntityDescription[];
  readonly initialData?: readonly CollectionData[];
  readonly tests: readonly UnifiedTest[];
}

export interface UnifiedTest {
  readonly description: string;
  readonly runOnRequirements?: readonly Requirement[];
  readonly skipReason?: string;
  readonly operations: readonly Operation[];
  readonly expectEvents?: readonly ExpectedEvents[];
  readonly outcome?: readonly CollectionData[];
}

export interface Requirement {
  readonly minServerVersion?: string;
  readonly maxServerVersion?: string;
  readonly topologies?: readonly string[];
  readonly serverless?: string;
  readonly auth?: boolean;
  readonly serverParameters?: Fields;
  readonly csfle?: unknown;
}

export interface CollectionData {
  readonly databaseName: string;
  readonly collectionName: string;
  readonly documents: readonly Fields[];
  readonly createOptions?: Fields;
}

export type EntityKind = 'client' | 'database' | 'collection' | 'session' | 'bucket';
export type EntityDescription = { readonly [kind in EntityKind]?: Fields & { readonly id: string } };

export interface Operation {
  readonly object: string;
  readonly name: string;
  readonly arguments?: Fields;
  readonly expectError?: ExpectedError;
  readonly expectResult?: Value;
  readonly ignoreResultAndError?: boolean;
  readonly saveResultAsEntity?: string;
}

export interface ExpectedError {
  readonly isError?: true;
  readonly isClientError?: boolean;
  readonly errorContains?: string;
  readonly errorCode?: number;
  readonly errorCodeName?: string;
  readonly errorLabelsContain?: readonly string[];
  readonly errorLabelsOmit?: readonly string[];
  readonly errorResponse?: Fields;
  readonly expectResult?: Value;
  readonly writeErrors?: Record<string, Fields>;
  readonly writeConcernErrors?: readonly Fields[];
}

export interface ExpectedEvents {
  readonly client: string;
  readonly eventType?: 'command' | 'cmap';
  readonly ignoreExtraEvents?: boolean;
  readonly events: readonly Record<string, Fields>[];
}
