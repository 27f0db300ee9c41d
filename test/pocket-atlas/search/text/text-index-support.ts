import type { BsonValue, Doc } from '../../../../src/pocket-atlas/bson/values.js';
import { SegmentStore } from '../../../../src/pocket-atlas/search/text/segment-store.js';
import { TextIndex } from '../../../../src/pocket-atlas/search/text/text-index.js';
import type { Engine, Keyspace } from '../../../../src/pocket-atlas/storage/engine.js';

/** A keyspace in memory: the index logic is tested without a disk; `test/pocket-atlas/commands` has it with one. */
export function memoryEngine(): Engine & { readonly entries: Map<string, Uint8Array> } {
  const entries = new Map<string, Uint8Array>();
  const name = (key: Uint8Array): string => Buffer.from(key).toString('latin1');
  const keyspace: Keyspace = {
    get: (key) => entries.get(name(key)),
    range: (from, to) =>
      [...entries]
        .filter(([key]) => key >= name(from) && key < name(to))
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, value]) => ({ key: Buffer.from(key, 'latin1'), value })),
    async commit(changes) {
      for (const { key, value } of changes) {
        if (value === null) entries.delete(name(key));
        else entries.set(name(key), Buffer.from(value));
      }
    },
  };
  return { entries, keyspace: () => keyspace } as unknown as Engine & { entries: Map<string, Uint8Array> };
}

/** Each opening reads what is there, as a new process would. */
export function store(engine: Engine = memoryEngine(), buildId = 'build'): SegmentStore {
  return new SegmentStore(engine, buildId);
}

export async function indexOf(mappings: Doc, docs: readonly Doc[], options: Doc = {}): Promise<TextIndex> {
  const index = await TextIndex.open({ mappings, ...options }, store());
  await index.apply(docs.map((doc, i) => ({ recordId: i + 1, doc })));
  return index;
}

/** Record ids (1-based places in the list of documents) in order of rank. */
export async function find(index: TextIndex, spec: Doc): Promise<number[]> {
  return (await hits(index, spec)).map(({ recordId }) => recordId);
}

export async function hits(
  index: TextIndex,
  spec: Doc,
): Promise<readonly { recordId: number; score: number; sequenceToken?: string }[]> {
  const { outcome } = await index.search(spec);
  if (!('hits' in outcome)) throw new Error('The search gave documents, not hits');
  return outcome.hits.slice(0, outcome.hits.length);
}

export async function meta(index: TextIndex, spec: Doc, doc: Doc): Promise<Record<string, BsonValue | undefined>> {
  const { outcome } = await index.search(spec);
  if (!('hits' in outcome)) throw new Error('The search gave documents, not hits');
  return outcome.metaOf(outcome.hits.slice(0, 1)[0]!, doc);
}
