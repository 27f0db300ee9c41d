import type { Engine, Keyspace } from '../../storage/engine.js';
import type { Segment } from './index/segment.js';
import { decodeSegment, encodeSegment } from './index/segment-codec.js';

/**
 * Keeps the segments of one build in a keyspace: `<build>/s<id>/<part>` the bytes, `<build>/d<id>` the deletions,
 * `<build>/meta` which segments make up the index. Parts are written first, the meta entry last and with the deletions in
 * one commit: a crash in between leaves parts that nothing names, removed when the build is opened again.
 */
const KEYSPACE = 'search-text';
/** One value of LMDB; small enough to be written and checked without holding up others. */
const PART_BYTES = 1024 * 1024;
/** A new layout of segments makes an index that is built again, not one that is read wrongly. */
const FORMAT = 1;

interface Meta {
  readonly format: number;
  readonly checkpoint: number;
  readonly segments: readonly { readonly id: number; readonly bytes: number; readonly deletedCount: number }[];
}

export interface StoredIndex {
  readonly checkpoint: number;
  readonly segments: Segment[];
}

export class SegmentStore {
  private readonly keyspace: Keyspace;
  private readonly buildId: string;
  /** Bytes of the segments that are on disk, by id, and how many of their rows were deleted then. */
  private readonly stored = new Map<number, { bytes: number; deletedCount: number }>();

  constructor(engine: Engine, buildId: string) {
    this.keyspace = engine.keyspace(KEYSPACE);
    this.buildId = buildId;
  }

  /** What was persisted last; an empty index when nothing was, or when it cannot be read. */
  async load(breathe: () => Promise<void>): Promise<StoredIndex> {
    try {
      const index = await this.read(breathe);
      await this.removeStrays();
      return index;
    } catch {
      // damaged or of another format: a cache of the records, which the manager fills again
      await this.clear();
      return { checkpoint: 0, segments: [] };
    }
  }

  async save(checkpoint: number, segments: readonly Segment[], breathe: () => Promise<void>): Promise<void> {
    for (const segment of segments) if (!this.stored.has(segment.id)) await this.writeSegment(segment, breathe);
    const kept = new Set(segments.map(({ id }) => id));
    const dropped = [...this.stored.keys()].filter((id) => !kept.has(id));
    const deletions = segments.flatMap((segment) => this.deletions(segment));
    const meta: Meta = {
      format: FORMAT,
      checkpoint,
      segments: segments.map(({ id }) => ({ id, ...this.stored.get(id)! })),
    };
    await this.keyspace.commit([
      ...deletions,
      { key: this.key('meta'), value: Buffer.from(JSON.stringify(meta)) },
      ...dropped.map((id) => ({ key: this.key(`d${id}`), value: null })),
    ]);
    for (const id of dropped) await this.removeSegment(id);
  }

  /** Everything of this build. */
  async clear(): Promise<void> {
    this.stored.clear();
    await this.remove(this.keys(''));
  }

  private async read(breathe: () => Promise<void>): Promise<StoredIndex> {
    const bytes = this.keyspace.get(this.key('meta'));
    if (bytes === undefined) return { checkpoint: 0, segments: [] };
    const meta = JSON.parse(Buffer.from(bytes).toString()) as Meta;
    if (meta.format !== FORMAT) throw new Error(`Segments of format ${meta.format}, expected ${FORMAT}`);
    const segments: Segment[] = [];
    for (const { id, bytes, deletedCount } of meta.segments) {
      const segment = await this.readSegment(id, bytes, breathe);
      if (segment.deleted.count() !== deletedCount) throw new Error(`Deletions of segment ${id} are missing`);
      this.stored.set(id, { bytes, deletedCount });
      segments.push(segment);
    }
    return { checkpoint: meta.checkpoint, segments };
  }

  private async readSegment(id: number, length: number, breathe: () => Promise<void>): Promise<Segment> {
    const whole = Buffer.allocUnsafeSlow(length);
    let at = 0;
    for (let part = 0; at < length; part++) {
      await breathe();
      const bytes = this.keyspace.get(this.partKey(id, part));
      if (bytes === undefined || at + bytes.length > length) throw new Error(`Segment ${id} is incomplete`);
      whole.set(bytes, at);
      at += bytes.length;
    }
    const deletions = this.keyspace.get(this.key(`d${id}`));
    if (deletions === undefined) return decodeSegment(whole, null);
    const words = new Uint32Array(deletions.length / 4);
    new Uint8Array(words.buffer).set(deletions);
    const segment = decodeSegment(whole, words);
    if (words.length !== (segment.rowCount + 31) >>> 5) throw new Error(`Deletions of segment ${id} are incomplete`);
    return segment;
  }

  private async writeSegment(segment: Segment, breathe: () => Promise<void>): Promise<void> {
    const pieces = encodeSegment(segment);
    let part = 0;
    for (const value of partsOf(pieces)) {
      await this.keyspace.commit([{ key: this.partKey(segment.id, part++), value }]);
      await breathe();
    }
    const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
    this.stored.set(segment.id, { bytes, deletedCount: 0 });
  }

  private deletions(segment: Segment): { key: Uint8Array; value: Uint8Array }[] {
    const stored = this.stored.get(segment.id)!;
    const deletedCount = segment.deleted.count();
    if (deletedCount === stored.deletedCount) return [];
    stored.deletedCount = deletedCount;
    const { words } = segment.deleted;
    // a copy: rows may be deleted while the write is under way
    const value = Buffer.from(words.slice().buffer);
    return [{ key: this.key(`d${segment.id}`), value }];
  }

  private async removeSegment(id: number): Promise<void> {
    this.stored.delete(id);
    await this.remove(this.keys(`s${id}/`));
  }

  private async removeStrays(): Promise<void> {
    const strays = this.keys('').filter((key) => {
      const id = /^[sd](\d+)/.exec(
        Buffer.from(key)
          .toString()
          .slice(this.buildId.length + 1),
      )?.[1];
      return id !== undefined && !this.stored.has(Number(id));
    });
    await this.remove(strays);
  }

  private async remove(keys: readonly Uint8Array[]): Promise<void> {
    if (keys.length > 0) await this.keyspace.commit(keys.map((key) => ({ key, value: null })));
  }

  private keys(prefix: string): Uint8Array[] {
    const from = this.key(prefix);
    const to = Buffer.concat([from, Buffer.from([0xff])]);
    return Array.from(this.keyspace.range(from, to), ({ key }) => key);
  }

  private partKey(id: number, part: number): Buffer {
    return this.key(`s${id}/${String(part).padStart(6, '0')}`);
  }

  private key(name: string): Buffer {
    return Buffer.from(`${this.buildId}/${name}`);
  }
}

/** Pieces of any length as parts of PART_BYTES, and what is left. A part is valid until the next is asked for. */
function* partsOf(pieces: readonly Uint8Array[]): Generator<Uint8Array> {
  const part = new Uint8Array(PART_BYTES);
  let used = 0;
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; ) {
      const taken = piece.subarray(at, at + PART_BYTES - used);
      part.set(taken, used);
      used += taken.length;
      at += taken.length;
      if (used < PART_BYTES) continue;
      yield part;
      used = 0;
    }
  }
  if (used > 0) yield part.subarray(0, used);
}
