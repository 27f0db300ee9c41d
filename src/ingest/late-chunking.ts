import { contentHash } from './chunk/content-hash.js';
import { cutsByPriority } from './chunk/stable-cuts.js';
import type { CutPiece } from './cut-text.js';
import { embedHash } from './embed-strings.js';

/**
 * Puts a document's pieces in groups that are embedded in view of each other, each of at most `maxTokens`. A vector then
 * depends on the whole group, and so does its hash: an edit embeds the group around it again, the others stay, because
 * groups are cut at places that their own content chooses. A piece that is alone is embedded as ever. Pure.
 *
 * `stringOf` is what the embedder is given for a piece; `tokens` of a piece are those of all spaces, the largest counts.
 */
export function groupForLateChunking<Piece extends LatePiece>(
  pieces: readonly Piece[],
  stringOf: (piece: Piece) => string,
  maxTokens: number,
): (Piece & Pick<CutPiece, 'group'>)[] {
  const strings = pieces.map(stringOf);
  return groupsOf(pieces, strings, maxTokens).flatMap(([from, to]) =>
    to - from === 1 ? [pieces[from]!] : grouped(pieces.slice(from, to), strings.slice(from, to)),
  );
}

type LatePiece = Pick<CutPiece, 'tokens' | 'embedHash'>;

function grouped<Piece extends LatePiece>(pieces: readonly Piece[], strings: readonly string[]): Piece[] {
  const group = embedHash(`late chunking\n${strings.map(embedHash).join('\n')}`);
  // the place is part of it: the same words twice in a group have two vectors
  return pieces.map((piece, place) => ({ ...piece, group, embedHash: embedHash(`${group} ${place}`) }));
}

function groupsOf(pieces: readonly LatePiece[], strings: readonly string[], maxTokens: number): [number, number][] {
  const before = new Float64Array(pieces.length + 1);
  for (const [at, { tokens }] of pieces.entries()) before[at + 1] = before[at]! + Math.max(...tokens);
  const priorities = Float64Array.from(strings, (text) => contentHash(text, 0, text.length));
  const cuts = before[pieces.length]! <= maxTokens ? [] : cutsByPriority(before, priorities, maxTokens);
  const edges = [0, ...cuts, pieces.length];
  return edges.slice(1).map((to, at) => [edges[at]!, to]);
}
