import { encode } from '../../bson/encode.js';
import type { BsonValue, Doc } from '../../bson/values.js';
import { CommandError } from '../../errors.js';
import { compileFilter } from '../../query/filter.js';
import { fieldsOfFind, partReader } from '../../query/needed-fields.js';
import { compileProjection } from '../../query/projection.js';
import type { QueryVariables } from '../../query/query.js';
import { compileSort } from '../../query/sort.js';
import type { CollectionInfo } from '../../storage/engine.js';
import { compileMatching, type Matching, naturalOrder } from './matching.js';
import { Pace } from './pace.js';
import { RecordReader } from './record-reader.js';
import type { ViewLease } from './view-lease.js';

export interface FindQuery {
  readonly filter: Doc;
  readonly sort: Doc | undefined;
  readonly projection: Doc | undefined;
  readonly hint: BsonValue;
  readonly skip: number;
  /** 0: no limit. */
  readonly limit: number;
  readonly variables: QueryVariables;
  readonly showRecordId: boolean;
}

/** A chunk is handed on when it holds this much, so that a reader of one batch does not pay for many. */
const CHUNK_DOCUMENTS = 128;
const CHUNK_BYTES = 1024 * 1024;
/** What an unindexed sort may hold. Source: MongoDB manual, "Limits and Thresholds", Sort Operations. */
const SORT_BYTES_MAX = 100 * 1024 * 1024;

interface Row {
  readonly bytes: Uint8Array;
  /** As far as the query needs it. */
  readonly doc: Doc | undefined;
  readonly recordId: number;
}

/** The documents a find command answers, encoded. What can be refused is refused here, before any is read. */
export function findResults(
  lease: ViewLease,
  collection: CollectionInfo | undefined,
  query: FindQuery,
  checkInterrupted: () => void,
): AsyncGenerator<Uint8Array[], void, void> {
  const natural = naturalOrder(query.hint, query.sort);
  const sorts = natural === undefined && query.sort !== undefined && Object.keys(query.sort).length > 0;
  const sort = sorts ? query.sort : undefined;
  const order = sort === undefined ? undefined : compileSort(sort);
  // With the record's id shown, all of the document is encoded anew.
  const read = partReader(query.showRecordId ? undefined : fieldsOfFind({ ...query, sort }));
  const shape = rowShape(query, read);
  if (collection === undefined) {
    compileFilter(query.filter, query.variables);
    return noRows();
  }
  const matching = compileMatching(collection, { ...query, sort });
  const rows = matchingRows(
    new RecordReader(lease, collection, matching.plan, { reverse: natural === -1 }),
    matching,
    read,
    checkInterrupted,
  );
  const ordered = order === undefined || providesSort(matching) ? rows : sortedRows(rows, order, read, query);
  return pageOf(ordered, shape, query);
}

async function* noRows(): AsyncGenerator<Uint8Array[], void, void> {}

async function* pageOf(
  rows: AsyncGenerator<Row[], void, void>,
  shape: (row: Row) => Uint8Array,
  query: FindQuery,
): AsyncGenerator<Uint8Array[], void, void> {
  let skip = query.skip;
  let left = query.limit === 0 ? Infinity : query.limit;
  let chunk: Uint8Array[] = [];
  let bytes = 0;
  for await (const batch of rows) {
    for (const row of batch) {
      if (skip > 0) {
        skip -= 1;
        continue;
      }
      const document = shape(row);
      chunk.push(document);
      bytes += document.length;
      left -= 1;
      if (left === 0) break;
      if (chunk.length >= CHUNK_DOCUMENTS || bytes >= CHUNK_BYTES) {
        yield chunk;
        chunk = [];
        bytes = 0;
      }
    }
    if (left === 0) break;
  }
  if (chunk.length > 0) yield chunk;
}

function providesSort({ plan }: Matching): boolean {
  return (plan.kind === 'index' && plan.providesSort) || (plan.kind === 'ids' && plan.ids.length < 2);
}

type Read = (bytes: Uint8Array) => Doc;

function rowShape(query: FindQuery, read: Read): (row: Row) => Uint8Array {
  const { projection, showRecordId } = query;
  if ((projection === undefined || Object.keys(projection).length === 0) && !showRecordId) return ({ bytes }) => bytes;
  const project =
    projection === undefined ? (doc: Doc) => doc : compileProjection(projection, query.filter, query.variables);
  return ({ bytes, doc, recordId }) => {
    const projected = project(doc ?? read(bytes));
    return encode(showRecordId ? { ...projected, $recordId: recordId } : projected);
  };
}

async function* matchingRows(
  reader: RecordReader,
  matching: Matching,
  read: Read,
  checkInterrupted: () => void,
): AsyncGenerator<Row[], void, void> {
  const pace = new Pace(checkInterrupted);
  let rows: Row[] = [];
  let bytesHeld = 0;
  try {
    for (let record = reader.next(); record !== undefined; record = reader.next()) {
      const { recordId, bytes } = record;
      const doc = matching.matchesAll ? undefined : read(bytes);
      if (doc === undefined || matching.matches(doc)) {
        rows.push({ bytes, doc, recordId });
        bytesHeld += bytes.length;
      }
      if (rows.length >= CHUNK_DOCUMENTS || bytesHeld >= CHUNK_BYTES) {
        yield rows;
        rows = [];
        bytesHeld = 0;
      }
      if (pace.due) await pace.breathe();
    }
    if (rows.length > 0) yield rows;
  } finally {
    reader.close();
  }
}

async function* sortedRows(
  rows: AsyncGenerator<Row[], void, void>,
  order: (a: Doc, b: Doc) => number,
  read: Read,
  query: FindQuery,
): AsyncGenerator<Row[], void, void> {
  const byOrder = (a: Row, b: Row): number => order(a.doc!, b.doc!);
  const wanted = query.limit === 0 ? Infinity : query.skip + query.limit;
  let kept: Row[] = [];
  let bytesHeld = 0;
  for await (const batch of rows) {
    for (const { bytes, doc, recordId } of batch) {
      kept.push({ bytes, doc: doc ?? read(bytes), recordId });
      bytesHeld += bytes.length;
    }
    if (kept.length > 2 * wanted + CHUNK_DOCUMENTS) {
      kept = kept.sort(byOrder).slice(0, wanted);
      bytesHeld = kept.reduce((sum, { bytes }) => sum + bytes.length, 0);
    }
    if (bytesHeld > SORT_BYTES_MAX) {
      throw new CommandError(
        292,
        `Executor error during find command :: caused by :: Sort exceeded memory limit of ${SORT_BYTES_MAX} bytes, but did not opt in to external sorting. Sort by an index, add a limit or narrow the filter.`,
      );
    }
  }
  kept.sort(byOrder);
  for (let at = 0; at < kept.length; at += CHUNK_DOCUMENTS) yield kept.slice(at, at + CHUNK_DOCUMENTS);
}
