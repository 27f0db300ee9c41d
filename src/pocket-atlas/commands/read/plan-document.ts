import type { Doc } from '../../bson/values.js';
import type { Plan } from '../../query/query.js';
import type { KeyRange } from '../../storage/engine.js';

/** A plan in the words of the server: COLLSCAN, IDHACK, FETCH over IXSCAN, SORT above them. */
export function planDocument(plan: Plan, query: { readonly filter: Doc; readonly sort?: Doc | undefined }): Doc {
  const found = accessDocument(plan, query.filter);
  const sorted = query.sort !== undefined && Object.keys(query.sort).length > 0;
  if (!sorted || (plan.kind === 'index' && plan.providesSort)) return found;
  return { stage: 'SORT', sortPattern: query.sort, inputStage: found };
}

function accessDocument(plan: Plan, filter: Doc): Doc {
  switch (plan.kind) {
    case 'scan':
      return { stage: 'COLLSCAN', filter, direction: 'forward' };
    case 'ids':
      return plan.ids.length === 1
        ? { stage: 'IDHACK' }
        : {
            stage: 'FETCH',
            filter,
            inputStage: {
              stage: 'IXSCAN',
              keyPattern: { _id: 1 },
              indexName: '_id_',
              indexBounds: { _id: plan.ids.map((id) => [id, id]) },
            },
          };
    case 'index':
      return {
        stage: 'FETCH',
        filter,
        inputStage: {
          stage: 'IXSCAN',
          keyPattern: { ...plan.index.key },
          indexName: plan.index.name,
          isMultiKey: plan.index.multikey,
          isUnique: plan.index.unique,
          isSparse: plan.index.sparse,
          isPartial: plan.index.partialFilterExpression !== null,
          direction: plan.reverse ? 'backward' : 'forward',
          ranges: plan.ranges.map(rangeDocument),
        },
      };
  }
}

function rangeDocument(range: KeyRange): Doc {
  const doc: Doc = {};
  if (range.lower !== undefined) doc[range.lower.inclusive ? 'from' : 'after'] = [...range.lower.values];
  if (range.upper !== undefined) doc[range.upper.inclusive ? 'to' : 'before'] = [...range.upper.values];
  return doc;
}
