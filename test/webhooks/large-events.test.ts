import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Database } from '../../src/database/database.ts';
import type { ServiceEvent } from '../../src/events/event.ts';
import { BLOCK_EVENTS, EventBlocks } from '../../src/webhooks/events/event-blocks.ts';
import { ALL_EVENTS, searchEvents } from '../../src/webhooks/events/event-search.ts';
import { RecordingPublisher } from '../../src/webhooks/events/webhook-publisher.ts';
import { createWebhook } from '../delivery/webhook-helpers.ts';
import { aroundTests } from '../support/around-tests.ts';
import { openDatabaseOf, openTestDatabase } from '../support/database.ts';
import { eachPage } from '../support/each-page.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

const LARGE = 1_024 * 1_024;
/** The most text that one step reads, plus one event. */
const MAX_A_STEP = 17;
const EVENTS = 40;

/** Events of a little more than the given size, of accounts 1, 2, 3 … */
async function record(database: Database, count: number, size: number): Promise<void> {
  const publisher = new RecordingPublisher({ now: Date.now });
  const name = 'x'.repeat(size);
  for (let n = 1; n <= count; n++) {
    const event: ServiceEvent = {
      subtopic: 'ACCOUNT_CREATED',
      user: 'admin@example.com',
      resource: { account: { id: n, name, enabled: true } },
      accountId: n,
      content: [],
    };
    await database.transaction((tx) => publisher.publish(tx, event));
  }
}

/** The same database, and the most text that one of its reads returned, in characters. */
function watchReads(database: Database) {
  const { dialect, reader } = database;
  let most = 0;
  const watch = async <Row>(rows: Promise<Row[]>): Promise<Row[]> => {
    most = Math.max(most, JSON.stringify(await rows).length);
    return await rows;
  };
  const watched: Pick<Database, 'dialect' | 'reader' | 'transaction'> = {
    dialect,
    reader: {
      dialect,
      query: reader.query,
      all: (...given) => watch(reader.all(...given)),
      allFor: (...given) => watch(reader.allFor(...given)),
    },
    transaction: (...given) => database.transaction(...given),
  };
  return { database: watched, mostRead: () => most };
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

describe('very large events', () => {
  let service: TestService;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService({ settings: { enable_queue_polling: false } }));
    await using database = await openDatabaseOf(service.settings.data_dir);
    await record(database, EVENTS, LARGE);
  });

  test('are replayed in short steps, all of them in order', async () => {
    const { api } = service;
    const id = await createWebhook(api, 'http://127.0.0.1:9/');
    const replay = async (query: string) => {
      const counts: number[] = [];
      const address = `/webhooks/${id}/replay?from_dt=2001-01-01T00:00:00Z${query}`;
      for await (const { replayed } of eachPage((step) => api.post(step), address)) counts.push(replayed);
      assert.ok(Math.max(...counts) <= MAX_A_STEP, `${counts}`);
      return sum(counts);
    };
    assert.equal(await replay('&dry_run=true'), EVENTS);
    assert.equal(await replay(''), EVENTS);
    const { data } = (await api.get(`/webhooks/${id}/line/messages?limit=100`)).body;
    const ids = data.map((message: { message_id: string }) => message.message_id);
    assert.equal(ids.length, EVENTS);
    assert.deepEqual(ids, ids.toSorted());
  });

  test('are listed on short pages, all of them in order', async () => {
    for (const query of ['', '&subtopic=ACCOUNT_CREATED', '&user=nobody@example.com']) {
      const found: number[] = [];
      let pages = 0;
      for await (const { data } of eachPage((page) => service.api.get(page), `/events?limit=100${query}`)) {
        assert.ok(data.length <= MAX_A_STEP, `${data.length} events`);
        found.push(...data.map((event: { account: { id: number } }) => event.account.id));
        pages += 1;
      }
      const expected = query.startsWith('&user') ? [] : Array.from({ length: EVENTS }, (_, n) => EVENTS - n);
      assert.deepEqual(found, expected, query);
      assert.ok(pages <= EVENTS / (MAX_A_STEP - 2) + 1, `${pages} pages`);
    }
  });

  test('are put into blocks part by part, and found in them', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    await record(database, BLOCK_EVENTS, LARGE / 16);
    const watched = watchReads(database);
    await using blocks = new EventBlocks({ database: watched.database, log: { warn: () => {} } });
    await until(async () => {
      await blocks.build();
      return (await database.reader.all('select last_id from event_blocks')).length === 1;
    }, 'a block');
    assert.ok(watched.mostRead() <= MAX_A_STEP * LARGE, `${watched.mostRead()} bytes`);
    for (const id of [1, BLOCK_EVENTS / 2, BLOCK_EVENTS]) {
      const search = { ...ALL_EVENTS, keys: [`A${id}`], direction: 'descending', limit: 10 } as const;
      const found: (number | undefined)[] = [];
      for (let before: number | null = ALL_EVENTS.before; before !== null; ) {
        const page = await searchEvents(database.reader, { ...search, before });
        found.push(...page.items.map(({ resource }) => resource.account?.id));
        before = page.next;
      }
      assert.deepEqual(found, [id]);
    }
  });
});
