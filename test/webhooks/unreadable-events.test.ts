import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SECOND_MS } from '../../src/time/units.ts';
import { BLOCK_EVENTS, deleteEventsBefore, EventBlocks } from '../../src/webhooks/events/event-blocks.ts';
import { ALL_EVENTS, searchEvents } from '../../src/webhooks/events/event-search.ts';
import { RecordingPublisher } from '../../src/webhooks/events/webhook-publisher.ts';
import { accountsOf, createAccounts, createWebhook, updateWebhook } from '../delivery/webhook-helpers.ts';
import { ManualClock } from '../support/clock.ts';
import { type Damage, damagesOf } from '../support/damage.ts';
import { countRows, openDatabaseOf, openTestDatabase } from '../support/database.ts';
import { startTestService, type TestService, until } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { assertProblem } from './webhook-expectations.ts';

const DAMAGES = damagesOf({ table: 'events', column: 'body' });

/** Damages the event of an account, and returns the event. */
async function damageEventOf({ api, settings }: TestService, account: string, how: Damage) {
  const events: { id: number; event_dt: string; account: { name: string } }[] = (await api.get('/events'))
    .body.data;
  const event = events.find((each) => each.account.name === account)!;
  await using database = await openDatabaseOf(settings.data_dir);
  await database.transaction((tx) => how.do(tx, event.id));
  return event;
}

describe('an event that cannot be read', () => {
  for (const how of DAMAGES)
    it(`is missing from lists, which the log says, and answers its own requests with a conflict (it ${how.what})`, async () => {
      await using target = await startTarget();
      await using service = await startTestService();
      const { api, logLines } = service;
      const webhook = await createWebhook(api, target.url);
      await createAccounts(api, 'first', 'second', 'third');
      await target.waitFor(3);
      const { id } = await damageEventOf(service, 'second', how);
      for (const list of ['/events', '/ui/api/events', '/events?subtopic=ACCOUNT_CREATED'])
        for (let turn = 0; turn < 2; turn++) {
          const { status, body } = await api.get(list);
          assert.equal(status, 200, list);
          assert.deepEqual(
            body.data.map((event: { account: { name: string } }) => event.account.name),
            ['third', 'first'],
            list,
          );
        }
      const logged = logLines.filter(({ msg }) => msg.startsWith('an event cannot be read'));
      assert.deepEqual(
        logged.map(({ level, event_id }) => [level, event_id]),
        [['error', id]],
      );
      assert.match(logged[0]!.reason, how.reason);
      const [second] = (await api.get(`/webhooks/${webhook}/deliveries`)).body.data.slice(1);
      for (const path of [
        `/events/${id}`,
        `/events/${id}/webhooks`,
        `/events?message_id=${second.message_id}`,
      ]) {
        const answer = await api.get(path);
        assertProblem(answer, 409, 'conflict');
        assert.match(answer.body.detail, new RegExp(`^Event ${id} cannot be read: `), path);
      }
    });

  for (const how of DAMAGES)
    it(`stops the replay of its period, which says when it occurred, and no other (it ${how.what})`, async () => {
      const clock = new ManualClock();
      await using target = await startTarget();
      await using service = await startTestService({ now: clock.now });
      const { api } = service;
      const webhook = await createWebhook(api, target.url, { enabled: false });
      await createAccounts(api, 'first');
      clock.pass(SECOND_MS);
      await createAccounts(api, 'second');
      const { event_dt: time } = await damageEventOf(service, 'second', how);
      await updateWebhook(api, webhook, target.url);
      const whole = await api.post(`/webhooks/${webhook}/replay?from_dt=2001-01-01T00:00:00Z`);
      assertProblem(whole, 409, 'conflict');
      assert.ok(whole.body.detail.includes(`It occurred at ${time}. Replay`), whole.body.detail);
      const before = await api.post(`/webhooks/${webhook}/replay?from_dt=2001-01-01T00:00:00Z&to_dt=${time}`);
      assert.deepEqual([before.status, before.body.replayed], [202, 1]);
      await target.waitFor(1);
      assert.deepEqual(accountsOf(target.requests), ['first']);
    });

  it('becomes part of a block, is found there after a repair, and is removed with the others', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const count = BLOCK_EVENTS + 1;
    await database.transaction(async (tx) => {
      const account = { id: 1, name: 'Northwind', enabled: true };
      const publisher = new RecordingPublisher({ now: () => 1_000 });
      const event = {
        subtopic: 'ACCOUNT_CREATED' as const,
        user: 'admin@example.com',
        accountId: 1,
        content: [],
        resource: { account },
      };
      await publisher.publish(tx, { ...event, user: 'rare@example.com' });
      await publisher.publish(tx, ...Array.from({ length: count - 1 }, () => event));
      await tx.run('update events set shared_body_id = 4711 where id = (select min(id) from events)');
    });
    await using blocks = new EventBlocks({ database, log: { warn: () => {} } });
    await until(async () => {
      await blocks.build();
      return (await countRows(database, 'event_blocks')) === 1;
    }, 'one block');
    const search = { ...ALL_EVENTS, direction: 'ascending', limit: count } as const;
    const { items, unreadable } = await searchEvents(database.reader, search);
    assert.deepEqual([items.length, unreadable.length], [BLOCK_EVENTS, 1]);
    await database.transaction((tx) =>
      tx.run('update events set shared_body_id = null where shared_body_id = 4711'),
    );
    const found = await searchEvents(database.reader, { ...search, keys: ['Urare@example.com'] });
    assert.equal(found.items.length, 1);
    const deleted = await database.transaction((tx) => deleteEventsBefore(tx, 2_000, count));
    assert.equal(deleted, count);
    assert.equal(await countRows(database, 'events'), 0);
  });
});
