import { windowEnd } from '../../embed/window-end.js';
import type { Budget } from './budget.js';
import type { ChunkSpan } from './chunker.js';
import { fitPieces } from './fit-pieces.js';
import { overlapStart } from './overlap.js';
import { assertWindow } from './sliding-window.js';
import { trimmedStart, trimSpan } from './trim.js';

/** TOKEN: windows of the budget's tokens, ending between words (inside a word only when it is longer than a window). */
export function chunkByTokens(budget: Budget): ChunkSpan[] {
  const { text, count } = budget;
  const room = budget.room([]);
  assertWindow(room, budget.overlap, 'maxTokens');
  const chunks: ChunkSpan[] = [];
  let start = trimmedStart(text, 0, text.length);
  let covered = start;
  while (start < text.length) {
    let end = windowEnd(text, start, room, count);
    if (end <= covered && start < covered) {
      // the next word is too long to stand behind the overlap
      start = trimmedStart(text, covered, text.length);
      end = windowEnd(text, start, room, count);
    }
    covered = end;
    const span = trimSpan(text, start, end);
    const pieces = span ? fitPieces(budget, span, []) : [];
    for (const piece of pieces) chunks.push(piece);
    if (end >= text.length) break;
    const next = trimmedStart(text, end, text.length);
    if (next >= text.length) break;
    const floor = pieces.at(-1)?.start ?? start;
    start = budget.overlap > 0 ? overlapStart(text, floor, next, budget.overlap, count, 'word') : next;
  }
  return chunks;
}
