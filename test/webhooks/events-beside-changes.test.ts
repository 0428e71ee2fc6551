import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createWebhook, updateWebhook } from '../delivery/webhook-helpers.ts';
import { openDatabaseOf } from '../support/database.ts';
import { beginTransaction, untilOneWaits } from '../support/open-transaction.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { type Api, startTestService, type TestService } from '../support/service.ts';

const TARGET = 'http://127.0.0.1:9/';
/** After this many requests, a replay that waits for nothing would have its response. */
const OTHER_REQUESTS = 20;

/**
 * Locks the line of a webhook, as other events do. Calls `meanwhile` once an event waits for the lock, and then
 * releases it.
 */
async function whileAnEventWaits(
  service: TestService,
  lineId: number,
  meanwhile: () => Promise<void>,
): Promise<void> {
  await using database = await openDatabaseOf(service.settings.data_dir);
  const holder = await beginTransaction(database);
  let event: ReturnType<Api['post']> | undefined;
  try {
    await holder.tx.all('select line_id from queue_lines where line_id = ? for update', lineId);
    event = service.api.post('/accounts', { name: 'in flight' });
    await untilOneWaits(database);
    await meanwhile();
  } finally {
    await holder.commit();
  }
  assert.equal((await event).status, 201);
}

describe('an event that waits for a line on PostgreSQL', { skip: !ON_POSTGRES }, () => {
  test('is replayed to a webhook that is activated in the meantime', async () => {
    await using service = await startTestService({ settings: { enable_queue_polling: false } });
    const { api } = service;
    const active = await createWebhook(api, TARGET);
    const inactive = await createWebhook(api, TARGET, { enabled: false });
    await api.create('/accounts', { name: 'first' });
    let replay: ReturnType<Api['post']> | undefined;
    await whileAnEventWaits(service, active, async () => {
      await updateWebhook(api, inactive, TARGET);
      replay = api.post(`/webhooks/${inactive}/replay?from_dt=2001-01-01T00:00:00Z`);
      for (let n = 0; n < OTHER_REQUESTS; n++) await api.get('/webhooks');
    });
    const { status, body } = await replay!;
    assert.deepEqual([status, body], [202, { replayed: 2, next_cursor: null }]);
  });

  for (const isFirst of [false, true]) {
    const which = isFirst ? 'the first message of a webhook' : 'a message';

    test(`makes ${which} as it is configured then, or none if it does not match then`, async () => {
      await using service = await startTestService({ settings: { enable_queue_polling: false } });
      const { api } = service;
      const held = await createWebhook(api, TARGET);
      await api.create('/accounts', { name: 'first' });
      const renamed = await createWebhook(api, TARGET);
      const narrowed = await createWebhook(api, TARGET);
      const deleted = await createWebhook(api, TARGET);
      if (!isFirst) await api.create('/accounts', { name: 'second' });
      await whileAnEventWaits(service, held, async () => {
        await updateWebhook(api, renamed, 'http://127.0.0.1:10/', { name: 'Renamed' });
        await updateWebhook(api, narrowed, TARGET, { subtopics: ['ACCOUNT_DELETED'] });
        assert.equal((await api.delete(`/webhooks/${deleted}`)).status, 204);
      });
      const [event] = (await api.get('/events?limit=1')).body.data;
      const { body: outcomes } = await api.get(`/events/${event.id}/webhooks?got_message=true`);
      assert.deepEqual(
        outcomes.data.map((outcome: { webhook_id: number }) => outcome.webhook_id),
        [held, renamed],
      );
      await using database = await openDatabaseOf(service.settings.data_dir);
      const messages = await database.reader.all<{ line: number; body: string }>(
        `select line_id as line, stored_body as body from queue_messages where message_id in (?, ?)
         order by line_id`,
        ...outcomes.data.map((outcome: { message: { message_id: string } }) => outcome.message.message_id),
      );
      assert.deepEqual(
        messages.map(({ line, body }) => {
          const { name, target_url } = JSON.parse(body) as { name: string; target_url: string };
          return [line, name, target_url];
        }),
        [
          [held, 'Accounts', TARGET],
          [renamed, 'Renamed', 'http://127.0.0.1:10/'],
        ],
      );
    });
  }
});
