import type { SearchExplanation, SearchResult } from '../retrieve/retrieve.js';
import type { JobItemRecord, JobRecord } from '../store/jobs/job-records.js';
import type { ChunkRecord, DocumentRecord, Page } from '../store/records.js';

/** A page of a listing. The total is counted only when it is selected. */
export interface Listing<T> {
  readonly page: Page<T>;
  readonly after: string | null;
  readonly totalCount: () => number | Promise<number>;
}
export type DocumentListing = Listing<DocumentRecord>;
export type ChunkListing = Listing<ChunkRecord>;
export type JobListing = Listing<JobRecord>;
export type JobItemListing = Listing<JobItemRecord>;

export interface SearchListing {
  readonly result: SearchResult;
  readonly after: string | null;
}

export type Leg = SearchExplanation['legs'][number];
/** Offsets into the document's text. */
export interface Span {
  readonly documentId: string;
  readonly start: number;
  readonly end: number;
}

export interface PageInfo {
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly startCursor: string | null;
  readonly endCursor: string | null;
}

export function pageInfo(
  items: readonly { readonly cursor: string }[],
  hasNextPage: boolean,
  after: string | null,
): PageInfo {
  return {
    hasNextPage,
    hasPreviousPage: after !== null,
    startCursor: items[0]?.cursor ?? null,
    endCursor: items.at(-1)?.cursor ?? null,
  };
}

/** The resolvers that all store-backed connections share. */
export function connectionResolvers<T>() {
  return {
    edges: ({ page }: Listing<T>) => page.items,
    nodes: ({ page }: Listing<T>) => page.items.map((item) => item.node),
    pageInfo: ({ page, after }: Listing<T>) => pageInfo(page.items, page.hasNextPage, after),
    totalCount: ({ totalCount }: Listing<T>) => totalCount(),
  };
}
