import { makeExecutableSchema } from '@graphql-tools/schema';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../../src/errors.js';
import type { RequestContext } from '../../../src/graphql/context.js';
import { makeFormatError } from '../../../src/graphql/errors.js';
import { type FormattedResult, makeRunOperation } from '../../../src/graphql/operation/run.js';

/** Operations outside of Apollo, on a schema of a few fields. */
class Ticks implements AsyncIterableIterator<{ tick: number }> {
  returned = false;
  #waiting: ((result: IteratorResult<{ tick: number }>) => void)[] = [];
  #ready: { tick: number }[] = [{ tick: 1 }, { tick: 2 }];

  next(): Promise<IteratorResult<{ tick: number }>> {
    const value = this.#ready.shift();
    if (value) return Promise.resolve({ done: false, value });
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  return(): Promise<IteratorResult<{ tick: number }>> {
    this.returned = true;
    for (const resolve of this.#waiting.splice(0)) resolve({ done: true, value: undefined });
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator]() {
    return this;
  }
}

let ticks: Ticks;
const logged: unknown[] = [];
const schema = makeExecutableSchema({
  typeDefs: `input Wish { loud: Boolean } type Query { fine(wish: Wish): Int, refused: Int, broken: Int } type Mutation { change: Int } type Subscription { tick: Int }`,
  resolvers: {
    Query: {
      fine: () => 1,
      refused: () => {
        throw new AppError('INDEX_NOT_READY', 'Not yet', { details: { index: 'x' } });
      },
      broken: () => {
        throw new TypeError('secret text of a document');
      },
    },
    Mutation: { change: () => 2 },
    Subscription: {
      tick: {
        subscribe: () => {
          ticks = new Ticks();
          return ticks;
        },
      },
    },
  },
});
const run = makeRunOperation(
  schema,
  makeFormatError((error) => logged.push(error)),
);
const contextWith = (signal: AbortSignal) => ({ signal }) as RequestContext;

async function all(query: string, options: { readOnly?: boolean } = {}): Promise<FormattedResult[]> {
  const results: FormattedResult[] = [];
  for await (const result of run({ query, ...options }, contextWith(new AbortController().signal)))
    results.push(result);
  return results;
}

describe('errors', () => {
  test('that are meant pass with their code and details', async () => {
    const [result] = await all('{ fine refused }');
    expect(result).toMatchObject({
      data: { fine: 1, refused: null },
      errors: [{ message: 'Not yet', path: ['refused'], extensions: { code: 'INDEX_NOT_READY', index: 'x' } }],
    });
  });

  test('that nobody meant are masked and logged', async () => {
    const [result] = await all('{ broken }');
    expect(result?.errors).toEqual([
      expect.objectContaining({ message: 'Internal server error', extensions: { code: 'INTERNAL_SERVER_ERROR' } }),
    ]);
    expect(logged).toEqual([expect.objectContaining({ message: 'secret text of a document' })]);
  });

  test('of variables that do not fit are the caller’s', async () => {
    const query = 'query($wish: Wish) { fine(wish: $wish) }';
    const variables = { wish: { loud: 'maybe' } };
    for await (const result of run({ query, variables }, contextWith(new AbortController().signal)))
      expect(result.errors).toEqual([
        expect.objectContaining({
          message: expect.stringContaining('non boolean value'),
          extensions: { code: 'BAD_USER_INPUT' },
        }),
      ]);
  });

  test.each([
    ['{', 'GRAPHQL_PARSE_FAILED'],
    ['{ nothing }', 'GRAPHQL_VALIDATION_FAILED'],
    ['query A { fine } query B { fine }', 'OPERATION_RESOLUTION_FAILURE'],
  ])('of %s have the code %s', async (query, code) => {
    const [result] = await all(query);
    expect(result?.errors?.[0]?.extensions).toMatchObject({ code });
  });
});

test('a mutation that came by GET does not run', async () => {
  expect((await all('mutation { change }', { readOnly: true }))[0]?.errors?.[0]?.extensions).toMatchObject({
    code: 'BAD_USER_INPUT',
  });
  expect((await all('mutation { change }'))[0]).toEqual({ data: { change: 2 } });
});

describe('a subscription', () => {
  test('yields its events, and frees its source at once when the client leaves while it waits', async () => {
    const leaving = new AbortController();
    const events = run({ query: 'subscription { tick }' }, contextWith(leaving.signal));
    expect((await events.next()).value).toEqual({ data: { tick: 1 } });
    expect((await events.next()).value).toEqual({ data: { tick: 2 } });
    const next = events.next();
    expect(ticks.returned).toBe(false);
    leaving.abort();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(ticks.returned).toBe(true);
  });

  test('of a client that is gone already ends', async () => {
    const gone = new AbortController();
    gone.abort();
    for await (const _ of run({ query: 'subscription { tick }' }, contextWith(gone.signal))) break;
    expect(ticks.returned).toBe(true);
  });
});
