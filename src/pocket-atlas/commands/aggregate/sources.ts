import { Binary, Long } from 'bson';
import type { BsonValue, Doc } from '../../bson/values.js';
import { CommandError } from '../../errors.js';
import type { Batches, PipelineEnvironment, Stage } from '../../query/query.js';
import type { ReadView } from '../../storage/engine.js';
import { isDocument } from '../arguments.js';
import { collectionSizes } from '../catalog/sizes.js';
import type { CommandContext } from '../context.js';
import type { ViewLease } from '../read/view-lease.js';

/** Source stages about the server itself. */
type Rows = (input: SourceInput) => readonly Doc[];

interface SourceInput {
  readonly context: CommandContext;
  readonly view: ReadView;
  readonly spec: Doc;
  readonly environment: PipelineEnvironment;
}

const SOURCES: Readonly<Record<string, Rows>> = {
  $collStats: collStats,
  $indexStats: indexStats,
  $listLocalSessions: listLocalSessions,
};

export function serverSource(
  context: CommandContext,
  lease: ViewLease,
  stage: string,
  spec: BsonValue,
  environment: PipelineEnvironment,
): Stage | undefined {
  if (!Object.hasOwn(SOURCES, stage)) return undefined;
  if (!isDocument(spec)) throw new CommandError(9, `The ${stage} stage specification must be an object`);
  if (environment.inTransaction) {
    throw new CommandError(
      263,
      `Operation not permitted in transaction :: caused by :: Aggregation stage ${stage} cannot run within a multi-document transaction.`,
    );
  }
  const rows = SOURCES[stage]!;
  return {
    name: stage,
    run: async function* (): Batches {
      const found = rows({ context, view: lease.view, spec, environment });
      if (found.length > 0) yield found;
    },
  };
}

const HOST = 'pocket-atlas';

function collStats({ context, view, spec, environment }: SourceInput): Doc[] {
  const { db, collection: name } = environment;
  const known = ['count', 'latencyStats', 'queryExecStats', 'storageStats'];
  const unknown = Object.keys(spec).find((field) => !known.includes(field));
  if (unknown !== undefined) {
    throw new CommandError(40415, `BSON field '$collStats.${unknown}' is an unknown field.`);
  }
  const collection = name === null ? undefined : view.collection(db, name);
  if (collection === undefined) {
    throw new CommandError(
      26,
      `Unable to retrieve storageStats in $collStats stage :: caused by :: Collection [${db}.${name}] not found.`,
    );
  }
  const row: Doc = { ns: `${db}.${name}`, host: HOST, localTime: context.now };
  if (spec.count !== undefined) row.count = view.count(collection);
  if (spec.storageStats !== undefined) row.storageStats = collectionSizes(view, collection);
  return [row];
}

function indexStats({ context, view, environment }: SourceInput): Doc[] {
  const { db, collection: name } = environment;
  const collection = name === null ? undefined : view.collection(db, name);
  return (collection?.indexes ?? []).map((index) => ({
    name: index.name,
    key: { ...index.key },
    host: HOST,
    // Uses are not counted.
    accesses: { ops: Long.ZERO, since: new Date(context.server.startedAt) },
    spec: index.spec,
  }));
}

function listLocalSessions({ context }: SourceInput): Doc[] {
  return context.server.sessions.list().map(({ id, lastUsedAt }) => ({
    _id: { id: new Binary(Buffer.from(id, 'hex'), Binary.SUBTYPE_UUID), uid: new Binary(new Uint8Array(32)) },
    lastUse: new Date(lastUsedAt),
  }));
}
