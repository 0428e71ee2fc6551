import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createWebhook, updateWebhook } from '../delivery/webhook-parts.ts';
import { openDatabaseOf } from '../support/database.ts';
import { beginTransaction, untilOneWaits } from '../support/open-transaction.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { type Api, startTestService, type TestService } from '../support/service.ts';

const TARGET = 'http://127.0.0.1:9/';
/** Requests during which a replay would have been answered if it waited for nothing. */
const OTHER_REQUESTS = 20;

/** Holds the line of a webhook, as other events do, until an event waits for it, and while something is done then. */
async function whileAnEventWaits(
  service: TestService,
  lineId: number,
  { before = async () => {}, meanwhile }: { before?: () => Promise<void>; meanwhile: () => Promise<void> },
): Promise<void> {
  await using database = await openDatabaseOf(service.settings.data_dir);
  const holder = await beginTransaction(database);
  let event: ReturnType<Api['post']> | undefined;
  try {
    await holder.tx.all('select line_id from queue_lines where line_id = ? for update', lineId);
    await before();
    event = service.api.post('/accounts', { name: 'in flight' });
    await untilOneWaits(database);
    await meanwhile();
  } finally {
    await holder.commit();
  }
  assert.equal((await event).status, 201);
}

describe('an event that waits for a line on PostgreSQL', { skip: !ON_POSTGRES }, () => {
  test('is replayed to a webhook that is activated meanwhile', async () => {
    await using service = await startTestService({ settings: { enable_queue_polling: false } });
    const { api } = service;
    const active = await createWebhook(api, TARGET);
    const inactive = await createWebhook(api, TARGET, { enabled: false });
    await api.create('/accounts', { name: 'first' });
    let replay: ReturnType<Api['post']> | undefined;
    await whileAnEventWaits(service, active, {
      meanwhile: async () => {
        await updateWebhook(api, inactive, TARGET);
        replay = api.post(`/webhooks/${inactive}/replay?from_dt=2001-01-01T00:00:00Z`);
        for (let n = 0; n < OTHER_REQUESTS; n++) await api.get('/webhooks');
      },
    });
    const { status, body } = await replay!;
    assert.deepEqual([status, body], [202, { replayed: 2, next_cursor: null }]);
  });
});
