import { parse, validate } from 'graphql';
import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../../src/graphql/limits.js';
import { checkOperation } from '../../../src/graphql/operation/check-operation.js';
import { checkBeforeParsing } from '../../../src/graphql/operation/prepare.js';
import { makeSchema } from '../../../src/graphql/schema.js';

/** The checks of an operation before it runs. Each test asks one operation and names the limit that refuses it, or null. */
const schema = makeSchema();

function refusal(query: string, variables: Record<string, unknown> = {}): string | null {
  try {
    checkBeforeParsing(query);
    const document = parse(query);
    const invalid = validate(schema, document);
    if (invalid.length > 0) throw invalid[0];
    checkOperation(schema, document, undefined, variables);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

const nodeChain = (levels: number) =>
  `{ nodes(ids: []) { ... on Chunk { ${'next { '.repeat(levels)}id${' }'.repeat(levels)} } } }`;

describe('depth', () => {
  test('12 levels pass', () => expect(refusal(nodeChain(10))).toBeNull());
  test('13 are refused', () => expect(refusal(nodeChain(11))).toMatch(/^At most 12 levels of nested fields.*got 13/));
  test('fragments do not hide depth', () => {
    const fragments = Array.from({ length: 12 }, (_, i) => `fragment F${i} on Chunk { next { ...F${i + 1} } }`);
    const query = `{ nodes(ids: []) { ...F0 } } ${fragments.join(' ')} fragment F12 on Chunk { id }`;
    expect(refusal(query)).toMatch(/^At most 12 levels/);
  });
  test('fragments that spread each other are left to validation', () => {
    expect(refusal('{ viewer { ...A } } fragment A on Viewer { ...B } fragment B on Viewer { ...A }')).toMatch(
      /^Cannot spread fragment/,
    );
  });
  test("introspection is exempt: a tool's query is deeper", () => {
    const type = `ofType { `.repeat(9);
    expect(refusal(`{ __schema { types { fields { type { ${type} name ${'}'.repeat(9)} } } } } }`)).toBeNull();
  });
});

describe('root fields', () => {
  const aliases = (count: number) =>
    `{ __typename ${Array.from({ length: count }, (_, i) => `a${i}: viewer { role }`).join(' ')} }`;
  test('20 pass', () => expect(refusal(aliases(20))).toBeNull());
  test('21 are refused', () => expect(refusal(aliases(21))).toMatch(/^At most 20 fields at the root.*got 21/));
  test('a fragment does not hide them', () => {
    const query = `{ ...Q } fragment Q on Query ${aliases(21)}`;
    expect(refusal(query)).toMatch(/^At most 20 fields at the root/);
  });
});

describe('size', () => {
  test('fragments that spread each other twice are refused before they take exponential time', () => {
    const doubling = Array.from({ length: 60 }, (_, i) => `fragment F${i} on Viewer { ...F${i + 1} ...F${i + 1} }`);
    const query = `{ viewer { ...F0 } } ${doubling.join(' ')} fragment F60 on Viewer { role }`;
    expect(refusal(query)).toMatch(/^At most 5000 fields of an operation/);
  });
  test('tokens are counted', () => {
    expect(refusal(`{ viewer { ${'role '.repeat(20_000)} } }`)).toMatch(/^At most 20000 lexical tokens/);
  });
  test.each([
    ['lists', `{ documents(filter: { ids: ${'['.repeat(8_000)}${']'.repeat(8_000)} }) { totalCount } }`],
    ['objects', `{ documents(filter: ${'{ not: '.repeat(5_000)}{}${' }'.repeat(5_000)}) { totalCount } }`],
    ['selections', `{ ${'a { '.repeat(9_000)}`],
  ])('%s nested thousands deep are refused before the parser recurses', (_, query) => {
    expect(refusal(query)).toMatch(/^At most 200 brackets/);
  });
  test('a long text inline is one token', () => {
    expect(
      refusal(`mutation { upsertDocument(input: { title: "t", text: """${'x { '.repeat(100_000)}""" }) { outcome } }`),
    ).toBeNull();
  });
});

describe('cost', () => {
  test.each([
    ['{ viewer { role } }', {}],
    ['{ documents(first: 100) { nodes { chunks(first: 90) { nodes { id } } } } }', {}],
    [
      'query($n: Int!) { documents(first: $n) { edges { node { chunks(first: 100) { edges { node { id } } } } } } }',
      { n: 50 },
    ],
    [
      '{ search(input: { query: "q" }, first: 100) { edges { node { document { title } previous { text } next { text } } } } }',
      {},
    ],
  ])('%s passes', (query, variables) => expect(refusal(query, variables)).toBeNull());

  test.each([
    ['{ documents(first: 100) { edges { node { chunks(first: 100) { edges { node { id } } } } } } }', {}],
    [
      'query($n: Int!) { documents(first: $n) { nodes { chunks(first: $n) { nodes { document { id } } } } } }',
      { n: 100 },
    ],
    [
      '{ documents(first: 100) { ...Page } } fragment Page on DocumentConnection { nodes { chunks(first: 100) { nodes { next { id } } } } }',
      {},
    ],
  ])('%s is refused', (query, variables) => {
    expect(refusal(query, variables)).toMatch(
      /^At most 20000 objects that an operation may return, got \d+: ask for smaller pages/,
    );
  });

  test('a page size is held to its limits wherever it stands', () => {
    expect(refusal('{ documents(first: 101) { totalCount } }')).toMatch(/^At most 100 items per page/);
    expect(refusal('{ documents(first: 0) { totalCount } }')).toMatch(/at least 1, got 0$/);
    expect(refusal('{ documents { nodes { chunks(first: -1) { totalCount } } } }')).toMatch(/at least 1, got -1$/);
    expect(refusal('query($n: Int! = 500) { search(input: { query: "q" }, first: $n) { nodes { id } } }')).toMatch(
      /^At most 100 items per page/,
    );
  });

  test('ids are counted', () => {
    const ids = (count: number) => ({ ids: Array.from({ length: count }, () => 'x') });
    expect(refusal('query($ids: [ID!]!) { nodes(ids: $ids) { id } }', ids(100))).toBeNull();
    expect(refusal('query($ids: [ID!]!) { nodes(ids: $ids) { id } }', ids(101))).toMatch(/^At most 100 ids/);
  });
});

describe('variables that are not supplied', () => {
  const documents = (filter: string, declared: string) =>
    `query(${declared}) { documents(filter: ${filter}) { totalCount } }`;

  test.each([
    ['{ ids: $v }', '$v: [ID!]'],
    ['{ metadata: [{ key: "k", eq: $v }] }', '$v: MetadataValue'],
    ['{ metadata: [{ key: "k", exists: true, in: $v }] }', '$v: [MetadataValue!]'],
    ['{ titles: ["t"], not: $v }', '$v: DocumentFilter'],
    ['{ titles: ["t"], or: $v }', '$v: [DocumentFilter!]'],
    ['{ hasLastError: $v }', '$v: Boolean'],
  ])('inside a filter are refused: %s', (filter, declared) => {
    expect(refusal(documents(filter, declared))).toMatch(
      /^Variable "\$v" was not supplied: a condition inside a filter/,
    );
  });

  test('are refused in a fragment too, and in a search, and in a deletion', () => {
    const fragment = 'query($v: [ID!]) { ...F } fragment F on Query { documents(filter: { ids: $v }) { totalCount } }';
    const search = 'query($v: [String!]) { search(input: { query: "q", filter: { titles: $v } }) { nodes { id } } }';
    const deletion = 'mutation($v: [ID!]) { deleteDocuments(input: { filter: { ids: $v } }) { deletedDocuments } }';
    for (const query of [fragment, search, deletion])
      expect(refusal(query)).toMatch(/^Variable "\$v" was not supplied/);
  });

  test('may be a whole filter: there is then none', () => {
    expect(refusal(documents('$v', '$v: DocumentFilter'))).toBeNull();
  });

  test('may have a default', () => {
    expect(refusal(documents('{ ids: $v }', '$v: [ID!] = []'))).toBeNull();
  });

  test('may belong to another operation of the document', () => {
    const query = 'query A { viewer { role } } query B($v: [ID!]) { documents(filter: { ids: $v }) { totalCount } }';
    const document = parse(query);
    expect(() => checkOperation(schema, document, 'A', {})).not.toThrow();
    expect(() => checkOperation(schema, document, 'B', {})).toThrow(/^Variable "\$v"/);
  });

  test('leave a choice of exactly one without any', () => {
    const query = 'query($t: String) { document(by: { title: $t }) { id } }';
    expect(refusal(query)).toMatch(/^Variable "\$t"/);
    expect(refusal(query, { t: null })).toMatch(/^Variable "\$t"/);
    expect(refusal(query, { t: 'x' })).toBeNull();
  });
});

test('what passed once is not lexed again, and only so much is remembered', () => {
  const query = `{ viewer { ${'role '.repeat(3_000)} } }`;
  const timed = () => {
    const startedAt = performance.now();
    checkBeforeParsing(query);
    return performance.now() - startedAt;
  };
  timed();
  expect(timed()).toBeLessThan(5);
  for (let i = 0; i < 2_000; i += 1) checkBeforeParsing(`{ viewer { a${i}: role } }`);
  expect(LIMITS.operationTokens.maximum).toBe(20_000);
});
