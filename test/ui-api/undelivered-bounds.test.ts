import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Reader, SqlRow, SqlValue, Transaction } from '../../src/database/database.ts';
import { readUndelivered } from '../../src/ui-api/webhooks/undelivered-messages.ts';
import { messageIdOf } from '../../src/webhooks/events/message-ids.ts';
import { aroundTests } from '../support/around-tests.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { assertReadsFewRows } from '../support/rows-read.ts';

// Needs a process of its own: another test would get this database, with its statistics.

/** Enough that PostgreSQL distinguishes the costs of its plans. */
const MESSAGES = 10_000;
const FEW = [1, 2, 3];
const OCCURRED_AT = 1_000_000;

type Event = Parameters<typeof readUndelivered>[1][number];

function eventOf(id: number, changes: Partial<Event> = {}): Event {
  return { id, occurredAt: OCCURRED_AT, sharedId: id, matched: [], ...changes };
}

/** Each kind with what the list says about it. */
const EVENTS: Record<string, { event: Event; dead?: true; waits?: true }> = {
  'with ten thousand dead letters': { event: eventOf(1), dead: true },
  'with ten thousand waiting messages': { event: eventOf(2), waits: true },
  'with ten thousand replayed messages': { event: eventOf(3, { sharedId: null }), waits: true },
  'between these, without messages that wait or failed': { event: eventOf(4) },
  'after all others': { event: eventOf(999, { occurredAt: OCCURRED_AT + 1 }) },
  'with a few messages, behind thousands': {
    event: eventOf(5, { occurredAt: OCCURRED_AT + 1, sharedId: null, matched: FEW }),
    waits: true,
  },
};

function messageId(eventId: number, webhookId: number): string {
  return messageIdOf({ eventId, occurredAt: OCCURRED_AT, webhookId });
}

const each = (row: (n: number) => SqlRow) => Array.from({ length: MESSAGES }, (_, n) => row(n + 1));

async function fill(tx: Transaction): Promise<void> {
  await tx.insertMany(
    'queue_lines',
    ['line_id', 'pending', 'available_at', 'receive_count'],
    each((n) => [n, 2, 1, 0]),
  );
  await tx.insertMany(
    'queue_dead_letters',
    ['line_id', 'message_id', 'label', 'body', 'shared_body_id', 'enqueued_at', 'dead_lettered_at'],
    each((n) => [n, messageId(1, n), 'L', '\n', 1, OCCURRED_AT, OCCURRED_AT]),
  );
  const columns = ['line_id', 'message_id', 'label', 'stored_body', 'shared_body_id', 'enqueued_at'];
  const add = (row: (n: number) => SqlRow) =>
    tx.insertMany('queue_messages', [...columns, 'queued_at'], each(row));
  await add((n) => [n, messageId(2, n), 'L', '\n', 2, OCCURRED_AT, null]);
  // A sample of millions of messages of one event contains none of the others.
  if (tx.dialect === 'postgres')
    for (const table of ['queue_lines', 'queue_dead_letters', 'queue_messages'])
      await tx.run(`analyze ${table}`);
  await add((n) => [n, messageId(3, n), 'L', '{}', null, OCCURRED_AT, OCCURRED_AT]);
  // The line of one webhook is as long.
  await add((n) => [1, messageId(100 + n, 1), 'L', '{}', null, OCCURRED_AT, null]);
  await tx.insertMany(
    'deliveries',
    ['webhook_id', 'message_id', 'subtopic', 'status', 'body', 'enqueued_at', 'updated_at', 'attempts'],
    each((n) => [n, messageId(1, n), 'L', 'DEAD_LETTERED', '{}', OCCURRED_AT, OCCURRED_AT, 1]),
  );
}

/** A reader that remembers its statements. */
function listening(reader: Reader): {
  reader: Pick<Reader, 'all' | 'dialect'>;
  asked: [string, SqlValue[]][];
} {
  const asked: [string, SqlValue[]][] = [];
  const all = async <Row>(sql: string, ...values: SqlValue[]): Promise<Row[]> => {
    asked.push([sql, values]);
    return await reader.all<Row>(sql, ...values);
  };
  return { reader: { dialect: reader.dialect, all }, asked };
}

describe('whether an event has dead letters or waiting messages is read from few rows', () => {
  let opened: TestDatabase;
  aroundTests(async (parts) => {
    opened = parts.use(await openTestDatabase());
    await opened.database.transaction(fill, { isLong: true });
  });

  for (const [kind, { event, dead = false, waits = false }] of Object.entries(EVENTS)) {
    test(`for one ${kind}`, async () => {
      const { database } = opened;
      const found = await readUndelivered(database.reader, [event]);
      assert.deepEqual([...found], [[event.id, { hasDeadLetters: dead, hasWaiting: waits }]]);
      if (ON_POSTGRES) {
        await assertReadsFewRows(database, (tx) => readUndelivered(tx, [event]));
        return;
      }
      const { reader, asked } = listening(database.reader);
      await readUndelivered(reader, [event]);
      for (const [sql, values] of asked) {
        const plan = await database.reader.all<{ detail: string }>(`explain query plan ${sql}`, ...values);
        const steps = plan.map(({ detail }) => detail);
        assert.deepEqual(
          steps.filter((step) => /TEMP B-TREE|SCAN (?!json_each)/.test(step)),
          [],
          sql,
        );
        // Each is found by an event, a message or a line, not by another column.
        for (const step of steps.filter((each) => each.startsWith('SEARCH')))
          assert.match(step, /message_id[>=]|shared_body_id>\? AND shared_body_id<|line_id=|rowid[>=]/, step);
      }
    });
  }

  test('for a page, in one statement and two more for all its webhooks', async () => {
    const page = Array.from({ length: 50 }, (_, n) =>
      eventOf(5 + n, { occurredAt: OCCURRED_AT + 1, sharedId: null, matched: FEW }),
    );
    const { reader, asked } = listening(opened.database.reader);
    const found = await readUndelivered(reader, page);
    assert.equal(found.size, page.length);
    assert.equal(asked.length, 3);
  });
});
