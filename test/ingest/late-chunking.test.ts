import { describe, expect, test } from 'vitest';
import type { CutPiece } from '../../src/ingest/cut-text.js';
import { embedHash } from '../../src/ingest/embed-strings.js';
import { groupForLateChunking } from '../../src/ingest/late-chunking.js';

const words = (at: number) => `passage ${at} ${'speaks of things '.repeat(at % 7)}`;

function piecesOf(texts: readonly string[], tokens: (text: string) => number = (text) => text.length): CutPiece[] {
  return texts.map((text) => ({
    start: 0,
    end: text.length,
    headings: [],
    parent: null,
    tokenCount: tokens(text),
    embedHash: embedHash(text),
    given: text,
    tokens: [tokens(text)],
  }));
}

const group = (texts: readonly string[], maxTokens: number) =>
  groupForLateChunking(piecesOf(texts), ({ given }) => given!, maxTokens);

function groupsOf(pieces: readonly CutPiece[]): CutPiece[][] {
  const groups: CutPiece[][] = [];
  for (const piece of pieces) {
    const last = groups.at(-1)?.at(-1);
    if (last?.group !== undefined && last.group === piece.group) groups.at(-1)!.push(piece);
    else groups.push([piece]);
  }
  return groups;
}

describe('groups for late chunking', () => {
  const texts = Array.from({ length: 200 }, (_, at) => words(at));

  test('hold at most what the model takes, in the order of the document', () => {
    const pieces = group(texts, 600);
    expect(pieces.map(({ given }) => given)).toEqual(texts);
    for (const members of groupsOf(pieces))
      expect(members.reduce((sum, { tokens }) => sum + tokens[0]!, 0)).toBeLessThanOrEqual(600);
    expect(groupsOf(pieces).length).toBeLessThan(100);
  });

  test('a document that fits is one group; a piece alone is embedded as ever', () => {
    expect(new Set(group(texts.slice(0, 5), 10_000).map((piece) => piece.group)).size).toBe(1);
    const [alone] = group(['only this'], 10_000);
    expect(alone).toMatchObject({ embedHash: embedHash('only this') });
    expect(alone!.group).toBeUndefined();
    expect(group(['x'.repeat(500), 'y'.repeat(500)], 400).every((piece) => piece.group === undefined)).toBe(true);
  });

  test('a hash is of the whole group: the same words in other company, or twice in it, have other vectors', () => {
    const hashes = (list: string[]) => group(list, 10_000).map((piece) => piece.embedHash);
    expect(hashes(['a', 'b'])).toEqual(hashes(['a', 'b']));
    expect(new Set([...hashes(['a', 'b']), ...hashes(['a', 'c']), ...hashes(['a', 'a'])]).size).toBe(6);
  });

  test('an edit changes the groups around it only', () => {
    const before = new Set(group(texts, 600).map((piece) => piece.embedHash));
    const edited = [...texts.slice(0, 100), 'a new passage', ...texts.slice(100)];
    const after = groupsOf(group(edited, 600));
    const changed = after.filter((members) => members.some((piece) => !before.has(piece.embedHash)));
    expect(changed.length).toBeLessThanOrEqual(3);
  });
});
