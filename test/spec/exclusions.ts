/**
 * Tests of the unified suites that Pocket Atlas does not pass, with the reason: what they need is refused with a typed
 * error, as documented, or the driver itself does otherwise. A test that is listed here and passes makes the suite fail,
 * so that the list stays true.
 */
export interface Exclusion {
  /** Over `area/file: description`. */
  readonly tests: RegExp;
  readonly reason: string;
}

export const EXCLUSIONS: readonly Exclusion[] = [
  { tests: /^retryable-reads\/changeStreams-[^:]*: .* succeeds /, reason: 'change streams are refused (40324)' },
  { tests: /^retryable-reads\/mapReduce: /, reason: 'mapReduce runs JavaScript, which is refused (59)' },
  { tests: /^crud\/[^:]*-collation: /, reason: 'collation is refused (115)' },
  { tests: /^crud\/count-collation: /, reason: 'collation is refused (115)' },
  {
    tests: /^collection-management\/(createCollection|modifyCollection)-pre_and_post_images: .* enabled$/,
    reason: 'pre-images serve change streams only, so the option is refused (115)',
  },
  {
    tests: /^collection-management\/modifyCollection-errorResponse: /,
    reason: 'collMod prepareUnique is refused (115)',
  },
  {
    tests: /^crud\/findOneAndUpdate-errorResponse: .*document validation/,
    reason: 'document validators are refused (115)',
  },
  {
    tests: /^run-command\/runCursorCommand: does not close the cursor when receiving an empty batch$/,
    reason: 'capped collections and tailable cursors are refused (115)',
  },
  {
    tests: /^transactions\/create-index: create index on a (non-existing collection|collection created)/,
    reason: 'indexes are not created inside a transaction (263)',
  },
  {
    tests: /^transactions\/run-command: run command with secondary read preference in client option/,
    reason: 'there is no secondary to select',
  },
  {
    tests: /^index-management\/(dropSearchIndex|listSearchIndexes): /,
    reason: 'they expect a server without search, which answers with an error',
  },
  {
    tests: /^crud\/bypassDocumentValidation: (Aggregate with \$out|BulkWrite|FindOneAnd\w+|InsertMany) .*: false$/,
    reason: 'the driver leaves bypassDocumentValidation: false out of its commands',
  },
  {
    tests: /^crud\/create-null-ids: inserting _id with type null via (insert|bulkWrite|clientBulkWrite)/,
    reason: 'the driver replaces an _id of null',
  },
  {
    tests: /^transactions\/client-bulkWrite: client bulkWrite with writeConcern in a transaction causes/,
    reason: 'the driver drops the write concern instead of refusing it',
  },
  {
    tests: /^retryable-writes\/bulkWrite: First insertOne is never committed$/,
    reason: 'the driver counts an insert as done when its connection was lost twice',
  },
];

export function exclusionOf(name: string): Exclusion | undefined {
  return EXCLUSIONS.find(({ tests }) => tests.test(name));
}
