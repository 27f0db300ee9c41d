import type { RecordId } from '../engine.js';

/** What the parent tells a salvaging process, as JSON on its standard input. */
export interface SalvageTask {
  readonly from: string;
  readonly to: string;
  /** Per collection id: records up to this one are done. */
  readonly doneUpTo: Readonly<Record<number, RecordId>>;
  /** Record by record, each announced before it is read: set once a process died, to learn where. */
  readonly careful: boolean;
  /** Per collection id: half-open ranges of record ids that are not to be read. */
  readonly holes: Readonly<Record<number, readonly (readonly [from: RecordId, to: RecordId])[]>>;
}

/** What a salvaging process says, one JSON line each. */
export type SalvageMessage =
  /** About to read what follows this record; a process that dies next died of that. */
  | { readonly type: 'reading'; readonly collectionId: number; readonly after: RecordId }
  /** On disk in the new directory. */
  | {
      readonly type: 'copied';
      readonly collectionId: number;
      readonly upTo: RecordId;
      readonly damaged: number;
      /** Places behind which reading had to begin again. */
      readonly gaps: number;
    }
  | {
      readonly type: 'done';
      readonly collections: number;
      readonly records: number;
      readonly indexesLeftOut: readonly string[];
    };
