import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  buildSchema,
  findBreakingChanges,
  type GraphQLNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { generate } from '../../codegen.js';
import { makeSchema } from '../../src/graphql/schema.js';

const root = new URL('../../', import.meta.url);
const schema = makeSchema();
const types = Object.values(schema.getTypeMap()).filter(
  (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
);

test('the committed schema and resolver types are what schema/ generates', async () => {
  const files = await generate(fileURLToPath(root));
  expect(files.size).toBe(2);
  for (const [filename, content] of files)
    expect([filename, content]).toEqual([filename, readFileSync(new URL(filename, root), 'utf8')]);
});

const contract = new URL('../shared/contract.graphql', root);
test.skipIf(!existsSync(contract))('nothing of the public contract is missing, renamed or stricter', () => {
  const changes = findBreakingChanges(buildSchema(readFileSync(contract, 'utf8')), schema);
  expect(changes).toEqual([]);
});
if (!existsSync(contract)) console.log('skipped: ../shared/contract.graphql is not there to compare with');

describe('the schema’s conventions', () => {
  test('every type is described', () => {
    expect(types.filter((type) => !type.description).map((type) => type.name)).toEqual([]);
  });

  test('every root field is described', () => {
    for (const type of [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()])
      for (const field of Object.values(type!.getFields()))
        expect([field.name, field.description]).toEqual([field.name, expect.any(String)]);
  });

  test('a mutation takes one input of its name, and answers a nullable payload with userErrors', () => {
    for (const { name, args, type } of Object.values(schema.getMutationType()!.getFields())) {
      expect(args.every((argument) => argument.name === 'input')).toBe(true);
      expect(String(type)).toMatch(/Payload$/);
      const payload = schema.getType(String(type));
      expect([name, isObjectType(payload) && 'userErrors' in payload.getFields()]).toEqual([name, true]);
    }
  });

  test('names are Pascal, camel and upper case', () => {
    const fieldsOf = (type: GraphQLNamedType) =>
      isObjectType(type) || isInterfaceType(type) || isInputObjectType(type) ? Object.keys(type.getFields()) : [];
    for (const type of types) {
      expect(type.name).toMatch(/^[A-Z][A-Za-z]*$/);
      for (const field of fieldsOf(type)) expect(field).toMatch(/^[a-z][A-Za-z0-9]*$/);
      if (isEnumType(type)) for (const value of type.getValues()) expect(value.name).toMatch(/^[A-Z][A-Z_]*$/);
    }
  });

  test('a page size has a default and is required to have a value', () => {
    for (const type of types.filter(isObjectType))
      for (const field of Object.values(type.getFields()))
        for (const argument of field.args.filter(({ name }) => name === 'first'))
          expect([`${type.name}.${field.name}`, String(argument.type), typeof argument.defaultValue]).toEqual([
            `${type.name}.${field.name}`,
            'Int!',
            'number',
          ]);
  });
});

test('schema files and resolver files have the same names', () => {
  const names = (folder: string, extension: string) =>
    readdirSync(new URL(folder, root))
      .filter((name) => name.endsWith(extension))
      .map((name) => name.slice(0, -extension.length))
      .filter((name) => name !== 'index' && name !== 'root');
  expect(names('src/graphql/resolvers/', '.ts')).toEqual(names('schema/', '.graphql'));
});

test('resolvers have at most ten lines', () => {
  const long: string[] = [];
  const folder = new URL('src/graphql/resolvers/', root);
  for (const name of readdirSync(folder)) {
    const lines = readFileSync(new URL(name, folder), 'utf8').split('\n');
    // a resolver is a property of one of the file's tables: indented by two, closed at the same indentation
    for (const [start, line] of lines.entries()) {
      if (!/^ {2}\w+: .*(=> \{|=>|\()$/.test(line)) continue;
      const body = lines.slice(start + 1).findIndex((later) => /^ {2}\S/.test(later));
      if (body > 10) long.push(`${name}: ${line.trim()} ${body}`);
    }
  }
  expect(long).toEqual([]);
});

test('scalars say what they are and where that is specified', () => {
  for (const name of ['DateTime', 'JSONObject']) {
    const type = schema.getType(name);
    expect(isScalarType(type) && type.specifiedByURL).toMatch(/^https:/);
  }
});
