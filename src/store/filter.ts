import type { DocumentStatus } from './records.js';

/**
 * Filters as the contract has them (schema: `DocumentFilter`, `SearchFilter`), already checked for shape by
 * `checkFilter`: every condition has an operator, no nulls, bounds kept. The rules for empty lists are the contract's.
 */
export type FilterScalar = string | number | boolean;

export interface MetadataCondition {
  readonly key: string;
  readonly eq?: FilterScalar;
  readonly ne?: FilterScalar;
  readonly in?: readonly FilterScalar[];
  readonly nin?: readonly FilterScalar[];
  readonly gt?: FilterScalar;
  readonly gte?: FilterScalar;
  readonly lt?: FilterScalar;
  readonly lte?: FilterScalar;
  readonly exists?: boolean;
}

export interface SearchFilter {
  readonly ids?: readonly string[];
  readonly titles?: readonly string[];
  readonly agentIds?: readonly string[];
  readonly metadata?: readonly MetadataCondition[];
  readonly and?: readonly SearchFilter[];
  readonly or?: readonly SearchFilter[];
  readonly not?: SearchFilter;
}

export interface DocumentFilter {
  readonly ids?: readonly string[];
  readonly titles?: readonly string[];
  readonly agentIds?: readonly string[];
  readonly statuses?: readonly DocumentStatus[];
  readonly hasLastError?: boolean;
  readonly metadata?: readonly MetadataCondition[];
  readonly and?: readonly DocumentFilter[];
  readonly or?: readonly DocumentFilter[];
  readonly not?: DocumentFilter;
}
