import { expect, test } from 'vitest';
import { barLine, duration, makeProgress, plainLine } from '../../scripts/cli/progress.js';

const HALF = { filesDone: 3, files: 10, bytesDone: 500, bytes: 1000, chunks: 120, elapsedMs: 4_000 };

test('a line says what is done, how fast, and what is left by size', () => {
  expect(plainLine(HALF)).toBe('3/10 files, 120 chunks, 30 chunks/s, 4 s left');
  expect(barLine(HALF)).toBe('[████████████░░░░░░░░░░░░] 3/10 files, 120 chunks, 30 chunks/s, 4 s left');
});

test('nothing is left at the end, and nothing is guessed at the beginning', () => {
  expect(plainLine({ ...HALF, bytesDone: 1000, filesDone: 10 })).toBe('10/10 files, 120 chunks, 30 chunks/s');
  expect(plainLine({ ...HALF, bytesDone: 0, filesDone: 0, chunks: 0, elapsedMs: 0 })).toBe(
    '0/10 files, 0 chunks, 0.0 chunks/s',
  );
});

test('empty files count by their number', () => {
  expect(barLine({ ...HALF, bytes: 0, bytesDone: 0, filesDone: 5 })).toContain('[████████████░░░░░░░░░░░░]');
});

test.each([
  [900, '1 s'],
  [59_000, '59 s'],
  [61_000, '1 min 1 s'],
  [3_600_000, '1 h 0 min'],
])('%i ms are %s', (ms, text) => expect(duration(ms)).toBe(text));

test('a terminal’s line is redrawn at most ten times a second; elsewhere a line comes every five seconds', () => {
  for (const [isTerminal, expected] of [
    [true, 10],
    [false, 2],
  ] as const) {
    const lines: string[] = [];
    let clock = 0;
    const write = (line: string) => lines.push(line);
    const output = { out: write, err: write, ...(isTerminal && { redraw: write }) };
    const progress = makeProgress(output, () => clock);
    const seconds = isTerminal ? 1 : 10;
    for (; clock < seconds * 1000; clock += 10) progress.update(HALF);
    progress.update(HALF);
    expect(Math.abs(lines.length - expected)).toBeLessThanOrEqual(1);
  }
});
