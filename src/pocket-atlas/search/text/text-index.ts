import { Long } from 'bson';
import type { BsonValue, Doc, DocMeta } from '../../bson/values.js';
import { backgroundPacer, createPacer } from '../pace.js';
import type { SearchHit, SearchHits, SearchIndexInstance, SearchOutcome } from '../search-index.js';
import { readTextDefinition } from './definition.js';
import { mergeSegments } from './index/merge.js';
import { rowOf, type Segment } from './index/segment.js';
import { SegmentBuilder } from './index/segment-builder.js';
import { compileMapping, type Mapping } from './mapping.js';
import { segmentsToMerge } from './merge-policy.js';
import { evaluateQuery } from './query/evaluate.js';
import { expandTerms } from './query/expansions.js';
import { countFacet } from './query/facet.js';
import { highlightDocument, queriedTerms } from './query/highlight.js';
import type { QueryContext } from './query/paths.js';
import { type Ranked, Ranking, sequenceToken } from './query/ranking.js';
import { ScoreMemory } from './query/score-memory.js';
import { parseSearchStage, type SearchStage } from './query/search-stage.js';
import type { SegmentStore } from './segment-store.js';

/** Rows wait to become a segment until somebody searches, or until they hold this many words (some 3 ms of building). */
const WORDS_PER_SEGMENT = 12_000;
/** Rows with few words or none count too: they are what waits in memory. */
const ROWS_PER_SEGMENT = 2_000;

/**
 * A `search` index: immutable segments, to which every batch of changes adds one and from which a replaced or removed
 * record only loses its row. A query sees the segments as they are when it starts.
 */
export class TextIndex implements SearchIndexInstance {
  checkpoint: number;
  private segments: readonly Segment[];
  private nextId: number;
  private readonly mapping: Mapping;
  private readonly store: SegmentStore;
  private pending = new SegmentBuilder();

  private constructor(definition: Doc, store: SegmentStore, stored: { checkpoint: number; segments: Segment[] }) {
    this.mapping = compileMapping(readTextDefinition(definition));
    this.store = store;
    this.checkpoint = stored.checkpoint;
    this.segments = stored.segments;
    this.nextId = 1 + Math.max(0, ...stored.segments.map(({ id }) => id));
  }

  static async open(definition: Doc, store: SegmentStore): Promise<TextIndex> {
    return new TextIndex(definition, store, await store.load(() => backgroundPacer.pause()));
  }

  get rowCount(): number {
    return this.segments.reduce(
      (sum, segment) => sum + segment.rowCount - segment.deleted.count(),
      this.pending.rowCount,
    );
  }

  async apply(changes: readonly { readonly recordId: number; readonly doc: Doc | undefined }[]): Promise<void> {
    for (const { recordId, doc } of changes) {
      if (this.pending.hasRecord(recordId)) this.flush();
      this.removeRow(recordId);
      if (doc !== undefined) this.mapping.addDocument(recordId, doc, this.pending);
      if (this.pending.wordCount >= WORDS_PER_SEGMENT || this.pending.rowCount >= ROWS_PER_SEGMENT) this.flush();
      await backgroundPacer.pause();
    }
    await this.mergeSegments();
  }

  async persist(commitNumber: number): Promise<void> {
    this.flush();
    await this.store.save(commitNumber, this.segments, () => backgroundPacer.pause());
    this.checkpoint = commitNumber;
  }

  async close(): Promise<void> {}

  /** `$search` and `$searchMeta` over the segments of this moment. @throws SearchFailure */
  async search(
    spec: Doc,
    checkInterrupted: () => void = () => {},
  ): Promise<{ outcome: SearchOutcome & { readonly done: () => void }; meta: Doc }> {
    this.flush();
    const segments = this.segments;
    const stage = parseSearchStage(spec, this.queryContext(segments));
    const memory = new ScoreMemory();
    const pacer = createPacer();
    const pause = async (): Promise<void> => {
      if (!pacer.isDue()) return;
      await pacer.pause();
      checkInterrupted();
    };
    const expansions = await expandTerms(stage.root, segments, pause);
    const results = await evaluateQuery(stage.root, segments, expansions, memory, pause);
    const meta = searchMeta(
      stage,
      results.reduce((sum, { matches }) => sum + matches.rows.count(), 0),
      results,
    );
    const ranking = new Ranking(results, stage.sort);
    const queried = stage.highlight === null ? null : queriedTerms(stage.root, expansions);
    const metaOf = (hit: SearchHit, doc: Doc): DocMeta => ({
      score: hit.score,
      searchScore: hit.score,
      ...(hit.sequenceToken === undefined ? {} : { searchSequenceToken: hit.sequenceToken }),
      ...(queried === null
        ? {}
        : { searchHighlights: highlightDocument(doc, stage.highlight!, queried) as BsonValue[] }),
    });
    return {
      outcome: {
        hits: hitsOf(ranking, stage),
        metaOf,
        metaReadsDocument: queried !== null,
        searchMeta: meta,
        done: () => memory.release(),
      },
      meta,
    };
  }

  private queryContext(segments: readonly Segment[]): QueryContext {
    const indexedPaths = (): string[] => [
      ...new Set(
        segments.flatMap(({ words }) =>
          [...words.keys()].filter((key) => key.startsWith('w:') && !key.includes('\0')).map((key) => key.slice(2)),
        ),
      ),
    ];
    return { mapping: this.mapping, indexedPaths };
  }

  private removeRow(recordId: number): void {
    for (const segment of this.segments) {
      const row = rowOf(segment, recordId);
      if (row >= 0) segment.deleted.add(row);
    }
  }

  /** Makes the waiting rows a segment. */
  private flush(): void {
    if (this.pending.rowCount === 0) return;
    this.segments = [...this.segments, this.pending.build(this.nextId++)];
    this.pending = new SegmentBuilder();
  }

  private async mergeSegments(): Promise<void> {
    for (
      let sources = segmentsToMerge(this.segments);
      sources !== undefined;
      sources = segmentsToMerge(this.segments)
    ) {
      const merged = await mergeSegments(this.nextId++, sources, () => backgroundPacer.pause());
      const replaced = new Set(sources);
      const first = this.segments.indexOf(sources[0]!);
      const kept = merged.rowCount === 0 ? [] : [merged];
      this.segments = this.segments.flatMap((segment, i) =>
        i === first ? kept : replaced.has(segment) ? [] : [segment],
      );
    }
  }
}

function hitsOf(ranking: Ranking, { after, before }: SearchStage): SearchHits {
  const toHit = (ranked: Ranked): SearchHit => ({
    recordId: ranked.recordId,
    score: ranked.score,
    sequenceToken: sequenceToken(ranked),
  });
  if (after === null && before === null) {
    return { length: ranking.length, slice: (from, to) => ranking.slice(from, to).map(toHit) };
  }
  const rest = after === null ? ranking.resume(before!, 'before') : ranking.resume(after, 'after');
  return { length: rest.length, slice: (from, to) => rest.slice(from, to).map(toHit) };
}

function searchMeta({ count, facets }: SearchStage, matches: number, results: Parameters<typeof countFacet>[1]): Doc {
  return {
    count: { [count.type]: Long.fromNumber(matches) },
    ...(facets.length === 0
      ? {}
      : { facet: Object.fromEntries(facets.map((facet) => [facet.name, countFacet(facet, results)])) }),
  };
}
