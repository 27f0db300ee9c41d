import { readFileSync } from 'node:fs';
import { buildSchema, parse, specifiedRules, validate } from 'graphql';
import { expect, test } from 'vitest';

/** What the README invites people to paste has to be a question that the server understands. */
const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const schema = buildSchema(readFileSync(new URL('../../docs/schema.graphql', import.meta.url), 'utf8'));
const examples = [...readme.matchAll(/```graphql\n([\s\S]*?)```/g)].map(([, source]) => source!);

test('the README has examples to paste', () => expect(examples.length).toBeGreaterThan(4));

test.each(examples)('an example of the README is valid in the schema: %#', (source) => {
  expect(validate(schema, parse(source), specifiedRules).map(({ message }) => message)).toEqual([]);
});
