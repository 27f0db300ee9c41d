import { expect, test } from 'vitest';
import { agentsForNewDocument, checkGivenAgents, mayWrite } from '../../src/store/agents.js';
import { makeScope } from '../../src/store/scope.js';

const unbound = makeScope('o', null);
const bound = makeScope('o', ['a', 'b']);

test('a bound credential creates for its own agents, an unbound one for none', () => {
  expect(agentsForNewDocument(bound)).toEqual(['a', 'b']);
  expect(agentsForNewDocument(unbound)).toEqual([]);
});

test.each([
  [['a'], true],
  [['a', 'b'], true],
  [['a', 'c'], false],
  [['c'], false],
  [[], false],
])('a credential bound to a and b may write a document of %j: %s', (agents, allowed) => {
  expect(mayWrite(bound, agents)).toBe(allowed);
  expect(mayWrite(unbound, agents)).toBe(true);
});

test.each([[[]], [['c']], [['a', 'c']]])('a bound credential may not give %j', (agents) => {
  expect(() => checkGivenAgents(bound, agents)).toThrow(
    expect.objectContaining({ code: 'INVALID', path: ['input', 'agentIds'] }),
  );
});

test('given agents are a set of printable names', () => {
  expect(checkGivenAgents(unbound, ['x', 'x', 'y'])).toEqual(['x', 'y']);
  expect(checkGivenAgents(bound, ['b'])).toEqual(['b']);
  for (const agent of ['', 'a\0b', 'x'.repeat(257), '\ud800'])
    expect(() => checkGivenAgents(unbound, [agent])).toThrow(expect.objectContaining({ code: 'INVALID' }));
});
