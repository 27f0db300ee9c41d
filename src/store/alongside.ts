import type { ClientSession, ObjectId } from 'mongodb';
import type { GroupResult, WriteGroup } from './write-together.js';

/** What a write stores. */
export interface StoredWrite {
  readonly documentId: ObjectId;
  readonly version: number;
  /** The document had no version before. */
  readonly isFirst: boolean;
}

/**
 * One more write, kept with those of a document or not at all: so whoever has to know that something was stored knows it
 * in the very moment. What it is for, the writers do not ask.
 */
export type Alongside = (stored: StoredWrite) => {
  readonly group: WriteGroup;
  /** Throws `CalledOff` where nothing may be stored any more. */
  check(result: GroupResult): void;
};

export interface AlongsideOption {
  readonly alongside?: Alongside;
  /** Of what a job stores: since when it waited. Kept on the document, so that what was queued before it stays behind it. */
  readonly queuedAt?: Date;
}

export interface WriteVersionOptions extends AlongsideOption {
  /** Rows stored of a version that is too large for one transaction. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** What was to be written alongside refused, so nothing was stored: somebody else's business now, and nobody's fault. */
export class CalledOff extends Error {
  constructor() {
    super('The write was called off by what was to be stored with it');
    this.name = 'CalledOff';
  }
}

/** As a command of its own, where the other writes are such too. */
export async function writeAlongside(
  session: ClientSession,
  alongside: Alongside | undefined,
  stored: StoredWrite,
): Promise<void> {
  if (alongside === undefined) return;
  const { group, check } = alongside(stored);
  check(await group.collection.bulkWrite([...group.operations], { session, ordered: true }));
}
