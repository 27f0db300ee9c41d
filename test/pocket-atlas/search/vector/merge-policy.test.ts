import { describe, expect, it } from 'vitest';
import { LANE_LIMITS } from '../../../../src/pocket-atlas/search/vector/lane-limits.js';
import { nextUpkeep } from '../../../../src/pocket-atlas/search/vector/merge-policy.js';
import type { SealedSegment } from '../../../../src/pocket-atlas/search/vector/sealed-segment.js';

/** Segments by their live rows in thousands; `g` for one with a graph, `/dead` for thousands of dead rows. */
function segments(...descriptions: string[]): SealedSegment[] {
  return descriptions.map((description) => {
    const [, live, dead = '0', graph] = /^([\d.]+)(?:\/([\d.]+))?(g?)$/.exec(description) ?? [];
    const liveCount = Number(live) * 1_000;
    return { description, liveCount, size: liveCount + Number(dead) * 1_000, graph: graph ? {} : undefined } as never;
  });
}

function next(descriptions: string, { isQuiet = true, buildsGraphs = true, active = 0 } = {}): string {
  const upkeep = nextUpkeep(segments(...descriptions.split(' ').filter(Boolean)), active, LANE_LIMITS, {
    isQuiet,
    buildsGraphs,
  });
  if (upkeep === undefined) return 'nothing';
  if (upkeep.do === 'seal') return 'seal';
  const chosen = upkeep.do === 'merge' ? upkeep.segments : [upkeep.segment];
  return `${upkeep.do} ${chosen.map((segment) => (segment as unknown as { description: string }).description).join(' ')}`;
}

describe('upkeep', () => {
  it.each([
    ['', 'nothing'],
    ['5', 'nothing'],
    ['5 5 5 5', 'merge 5 5 5 5'],
    ['5 20g 5 5 5', 'merge 5 5 5 5'],
    ['20 20 5 20 20', 'merge 20 20 20 20'],
    // A segment with more than a fifth dead is written anew before anything else.
    ['5 5 5 5 4/1.1', 'merge 4/1.1'],
    ['80/21g', 'merge 80/21g'],
    ['80/20g', 'nothing'],
    ['20', 'graph 20'],
    ['80g 20', 'graph 20'],
    ['80g 20 5', 'merge 80g 20 5'],
    ['80g 5 5 5', 'nothing'],
    ['900g 300', 'graph 300'],
    ['900g 300g 5', 'nothing'],
  ])('of segments %j in a quiet moment: %s', (descriptions, expected) => {
    expect(next(descriptions)).toBe(expected);
  });

  it('builds graphs while rows stream in only when very many have none', () => {
    expect(next('20 20', { isQuiet: false })).toBe('nothing');
    expect(next('20 20 15', { isQuiet: false })).toBe('graph 20');
    expect(next('5 5 5 5', { isQuiet: false })).toBe('merge 5 5 5 5');
  });

  it('takes the rows in memory along when all become one', () => {
    expect(next('5 5', { active: 4_000 })).toBe('seal');
    expect(next('5 5', { active: 4_000, isQuiet: false })).toBe('nothing');
    expect(next('5 4', { active: 400 })).toBe('nothing');
    expect(next('5 5', { active: 400 })).toBe('merge 5 5');
    expect(next('95g', { active: 4_000 })).toBe('nothing');
    expect(next('', { active: 4_000 })).toBe('nothing');
  });

  it('merges by size alone where there are no graphs', () => {
    expect(next('20 5', { buildsGraphs: false })).toBe('nothing');
  });

  it('ends: what it does leaves less to do', () => {
    let rows = segments(...Array.from({ length: 37 }, () => '5'));
    let steps = 0;
    for (let upkeep = nextUpkeep(rows, 0, LANE_LIMITS, { isQuiet: true, buildsGraphs: true }); upkeep !== undefined; ) {
      expect(++steps).toBeLessThan(100);
      if (upkeep.do === 'merge') {
        const old = upkeep.segments;
        const liveCount = old.reduce((sum, segment) => sum + segment.liveCount, 0);
        rows = [
          ...rows.filter((segment) => !old.includes(segment)),
          { liveCount, size: liveCount, graph: undefined } as never,
        ];
      } else if (upkeep.do === 'graph') {
        upkeep.segment.graph = {} as never;
      }
      upkeep = nextUpkeep(rows, 0, LANE_LIMITS, { isQuiet: true, buildsGraphs: true });
    }
    expect(rows.filter(({ graph }) => graph !== undefined).map(({ size }) => size)).toEqual([185_000]);
  });
});
