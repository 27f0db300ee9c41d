import { SearchFailure } from '../../search-failure.js';
import type { Segment } from '../index/segment.js';
import { type ExpandedTerm, fuzzyTerms } from './fuzzy-terms.js';
import type { Node, WordsNode } from './node.js';

/** Lucene's limit on the clauses of one query. */
export const MAX_CLAUSES = 1024;

/** For each word of each node the index terms that stand for it: the same in every segment. */
export type Expansions = ReadonlyMap<WordsNode, readonly (readonly ExpandedTerm[])[]>;

/** @throws SearchFailure when the words of a node stand for too many terms. */
export async function expandTerms(
  root: Node,
  segments: readonly Segment[],
  pause: () => Promise<void>,
): Promise<Expansions> {
  const expansions = new Map<WordsNode, ExpandedTerm[][]>();
  for (const node of nodesOf(root)) {
    if (node.kind !== 'words') continue;
    const { key, fuzzy } = node;
    const groups: ExpandedTerm[][] = [];
    let clauses = 0;
    for (const word of node.words) {
      const group = fuzzy === null ? [{ term: word, boost: 1 }] : await fuzzyTerms(segments, key, word, fuzzy, pause);
      groups.push(group);
      clauses += group.length;
    }
    if (clauses > MAX_CLAUSES) throw new SearchFailure(`maxClauseCount is set to ${MAX_CLAUSES}`);
    expansions.set(node, groups);
  }
  return expansions;
}

/** A node and all below it. */
export function* nodesOf(node: Node): Generator<Node> {
  yield node;
  for (const child of childrenOf(node)) yield* nodesOf(child);
}

function childrenOf(node: Node): readonly Node[] {
  switch (node.kind) {
    case 'any':
      return node.children;
    case 'compound':
      return [...node.must, ...node.mustNot, ...node.should, ...node.filter];
    case 'boost':
    case 'constant':
      return [node.child];
    default:
      return [];
  }
}
