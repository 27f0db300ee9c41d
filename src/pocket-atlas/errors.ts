/**
 * MongoDB's own error numbers and names, as far as Pocket Atlas raises them. A number without a name here is reported
 * as `Location<number>`, as the server does. Source: error_codes of the MongoDB manual and ATLAS server behaviour.
 */
const CODE_NAMES: Readonly<Record<number, string>> = {
  1: 'InternalError',
  2: 'BadValue',
  8: 'UnknownError',
  9: 'FailedToParse',
  13: 'Unauthorized',
  14: 'TypeMismatch',
  15: 'Overflow',
  17: 'ProtocolError',
  18: 'AuthenticationFailed',
  20: 'IllegalOperation',
  22: 'InvalidBSON',
  24: 'LockTimeout',
  26: 'NamespaceNotFound',
  27: 'IndexNotFound',
  28: 'PathNotViable',
  40: 'ConflictingUpdateOperators',
  43: 'CursorNotFound',
  48: 'NamespaceExists',
  50: 'MaxTimeMSExpired',
  52: 'DollarPrefixedFieldName',
  53: 'InvalidIdField',
  57: 'DottedFieldName',
  59: 'CommandNotFound',
  66: 'ImmutableField',
  67: 'CannotCreateIndex',
  68: 'IndexAlreadyExists',
  72: 'InvalidOptions',
  73: 'InvalidNamespace',
  85: 'IndexOptionsConflict',
  86: 'IndexKeySpecsConflict',
  89: 'NetworkTimeout',
  91: 'ShutdownInProgress',
  96: 'OperationFailed',
  112: 'WriteConflict',
  115: 'CommandNotSupported',
  117: 'ConflictingOperationInProgress',
  120: 'CannotBackfillArray',
  121: 'DocumentValidationFailure',
  125: 'CommandFailed',
  158: 'NoSuchSession',
  168: 'InvalidPipelineOperator',
  171: 'CannotIndexParallelArrays',
  197: 'InvalidIndexSpecificationOption',
  224: 'QueryFeatureNotAllowed',
  225: 'TransactionTooOld',
  246: 'SnapshotUnavailable',
  251: 'NoSuchTransaction',
  256: 'TransactionCommitted',
  257: 'TransactionTooLarge',
  263: 'OperationNotSupportedInTransaction',
  290: 'TransactionExceededLifetimeLimitSeconds',
  365: 'TemporarilyUnavailable',
  10334: 'BSONObjectTooLarge',
  11000: 'DuplicateKey',
  11600: 'InterruptedAtShutdown',
  11601: 'Interrupted',
  14031: 'OutOfDiskSpace',
  31082: 'SearchNotEnabled',
};

export type ErrorLabel =
  | 'TransientTransactionError'
  | 'RetryableWriteError'
  | 'UnknownTransactionCommitResult'
  | 'NoWritesPerformed'
  | (string & {});

/** A failure with MongoDB's number, as the client sees it: `{ ok: 0, code, codeName, errmsg, errorLabels?, ...fields }`. */
export class CommandError extends Error {
  readonly code: number;
  readonly labels: readonly ErrorLabel[];
  /** Further fields of the reply, e.g. keyPattern and keyValue. */
  readonly fields: Readonly<Record<string, unknown>>;

  constructor(
    code: number,
    message: string,
    options: { labels?: readonly ErrorLabel[]; fields?: Record<string, unknown>; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'CommandError';
    this.code = code;
    this.labels = options.labels ?? [];
    this.fields = options.fields ?? {};
  }

  get codeName(): string {
    return CODE_NAMES[this.code] ?? `Location${this.code}`;
  }
}
