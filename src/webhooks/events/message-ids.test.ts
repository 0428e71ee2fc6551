import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { formatIds, parseIds } from './id-ranges.ts';
import { messageIdOf, messageIdsOf, parseMessageId } from './message-ids.ts';

const OCCURRED_AT = Date.UTC(2026, 10, 22, 9, 30, 0, 123);
const UUID_V7 = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

describe('the id of a message', () => {
  for (const [eventId, webhookId] of [
    [1, 1],
    [2 ** 30 - 1, 7],
    [2 ** 30, 2 ** 32 - 1],
    [2 ** 42 - 1, 10_000],
  ] as const) {
    test(`of event ${eventId} and webhook ${webhookId} is a UUID of version 7 that names both`, () => {
      const reference = { eventId, webhookId, occurredAt: OCCURRED_AT };
      const id = messageIdOf(reference);
      assert.match(id, UUID_V7);
      assert.deepEqual(parseMessageId(id), reference);
    });
  }

  test('grows with time', () => {
    const earlier = messageIdOf({ eventId: 99, webhookId: 99, occurredAt: OCCURRED_AT });
    assert.ok(messageIdOf({ eventId: 1, webhookId: 1, occurredAt: OCCURRED_AT + 1 }) > earlier);
  });

  test('is between the lowest and the highest of its event, and those of other events are not', () => {
    for (const eventId of [1, 2 ** 30 - 1, 2 ** 30, 2 ** 42 - 2]) {
      const { first, last } = messageIdsOf({ eventId, occurredAt: OCCURRED_AT });
      const isBetween = (reference: Parameters<typeof messageIdOf>[0]) => {
        const id = messageIdOf(reference);
        return first <= id && id <= last;
      };
      for (const webhookId of [0, 1, 10_000, 2 ** 32 - 1]) {
        assert.ok(isBetween({ eventId, webhookId, occurredAt: OCCURRED_AT }));
        for (const other of [eventId - 1, eventId + 1])
          assert.ok(!isBetween({ eventId: other, webhookId, occurredAt: OCCURRED_AT }));
        for (const occurredAt of [OCCURRED_AT - 1, OCCURRED_AT + 1])
          assert.ok(!isBetween({ eventId, webhookId, occurredAt }));
      }
    }
  });

  test('is refused if there is no room for an id', () => {
    assert.throws(() => messageIdOf({ eventId: 2 ** 42, webhookId: 1, occurredAt: 0 }), RangeError);
    assert.throws(() => messageIdOf({ eventId: 1, webhookId: 2 ** 32, occurredAt: 0 }), RangeError);
  });

  test('is not parsed from any other text', () => {
    for (const text of [
      '',
      'x',
      '0b7b2c6e-6f0e-4c6e-8a66-1f2d3c4b5a69',
      `${messageIdOf({ eventId: 1, webhookId: 1, occurredAt: 1 })}0`,
    ])
      assert.equal(parseMessageId(text), null, text);
  });
});

describe('ids as ranges', () => {
  for (const [ids, text] of [
    [[], ''],
    [[3], '3'],
    [[3, 7, 8, 9], '3,7-9'],
    [[1, 2, 4, 5, 6, 9], '1-2,4-6,9'],
  ] as const) {
    test(`${JSON.stringify(ids)} are written and read`, () => {
      assert.equal(formatIds(ids), text);
      assert.deepEqual(parseIds(text), ids);
    });
  }

  test('ten thousand in a row take a few characters', () => {
    const ids = Array.from({ length: 10_000 }, (_, n) => n + 1);
    assert.equal(formatIds(ids), '1-10000');
    assert.deepEqual(parseIds('1-10000'), ids);
  });
});
