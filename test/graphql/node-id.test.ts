import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeNodeId, encodeNodeId, idOf } from '../../src/graphql/node-id.js';

const HEX = '0123456789abcdef01234567';
const hexId = fc.stringMatching(/^[0-9a-f]{24}$/);

test('ids survive the round trip', () => {
  fc.assert(
    fc.property(hexId, fc.constantFrom('Document', 'Chunk', 'Job', 'ApiKey'), (id, type) => {
      expect(decodeNodeId(encodeNodeId(type, id))).toEqual({ type, id });
    }),
  );
  expect(idOf('EmbeddingSpace', encodeNodeId('EmbeddingSpace', 's12'))).toBe('s12');
});

test('an id of one type is no id of another', () => {
  expect(idOf('Chunk', encodeNodeId('Document', HEX))).toBeNull();
});

describe('what is no id of ours decodes to nothing', () => {
  const encoded = (text: string) => Buffer.from(text).toString('base64url');
  test.each([
    ['', 'the empty string'],
    ['JGL-24423/TL', 'twelve characters, as an ObjectId may have'],
    [HEX, 'the bare store id'],
    [encoded(`Document:${HEX.toUpperCase()}`), 'upper-case hex'],
    [encoded(`Document:${HEX}:1`), 'a third part'],
    [encoded('Document:'), 'no id'],
    [encoded(`constructor:${HEX}`), 'a name that every object has'],
    [encoded('EmbeddingSpace:s'), 'a space without its number'],
    [`${encodeNodeId('Document', HEX)}=`, 'another spelling of the same bytes'],
    [`${encodeNodeId('Document', HEX)} `, 'with a blank'],
    ['x'.repeat(10_000), 'a very long string'],
  ])('%s (%s)', (text) => expect(decodeNodeId(text)).toBeNull());

  test('whatever else is sent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(decodeNodeId(text)).toBeNull();
      }),
    );
  });
});
