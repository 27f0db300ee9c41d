import { BSON } from 'mongodb';
import { expect, it } from 'vitest';
import { CursorReply } from '../../../src/pocket-atlas/cursors/cursor-reply.js';

it.each([0, 1, 9, 10, 11, 101, 2_500])(
  'a cursor reply of %d documents is what encoding it whole would give',
  (count) => {
    const documents = Array.from({ length: count }, (_, i) => ({ _id: i, text: 'x'.repeat(i % 7) }));
    const reply = new CursorReply({
      name: 'nextBatch',
      documents: documents.map((document) => BSON.serialize(document)),
      cursorId: 5n,
      namespace: 'db.c',
      more: { atClusterTime: 1 },
    });
    const whole = {
      cursor: { nextBatch: documents, id: BSON.Long.fromNumber(5), ns: 'db.c', atClusterTime: 1 },
      ok: 1,
    };
    const pieces = Buffer.concat(reply.pieces(BSON.serialize({ ok: 1 })));
    expect(pieces.equals(BSON.serialize(whole))).toBe(true);
  },
);
