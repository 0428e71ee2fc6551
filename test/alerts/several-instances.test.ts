import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { retryHead } from '../delivery/webhook-helpers.ts';
import { ManualClock } from '../support/clock.ts';
import { createPostgresDatabase, ON_POSTGRES } from '../support/postgres.ts';
import { until } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';
import {
  createAlert,
  createFailingWebhook,
  firingsOf,
  MINUTE,
  startAlertService,
  untilFiring,
} from './alert-helpers.ts';

describe('several instances', {
  skip: !ON_POSTGRES && 'the embedded database has one instance',
}, () => {
  it('send each notice once', async () => {
    await using receiver = await startTarget();
    await using target = await startTarget({ respondWith: answer(500) });
    await using database = await createPostgresDatabase();
    const settings = { database_url: database.url, webhooks_auth_secret: 's'.repeat(64) };
    const clock = new ManualClock();
    await using one = await startAlertService(settings, clock);
    await using _two = await startAlertService(settings, clock);
    await using _three = await startAlertService(settings, clock);
    const { api } = one;
    const alert = await createAlert(api, receiver.url);
    for (const name of ['A', 'B', 'C']) await createFailingWebhook(api, target.url, { name });
    clock.pass(5 * MINUTE);
    await receiver.waitFor(1);
    const webhooks = (await firingsOf(api, alert)).map(({ webhook_id }) => webhook_id);
    assert.equal(new Set(webhooks).size, 3);
    target.respondWith(answer(200));
    for (const id of webhooks) await retryHead(api, id);
    await until(
      async () => (await firingsOf(api, alert)).every(({ cleared_dt }) => cleared_dt !== null),
      'all work again',
    );
    clock.pass(5 * MINUTE);
    await receiver.waitFor(2);
    await untilFiring(
      api,
      alert,
      ({ notices }) => notices.length === 2 && notices[1].state === 'SENT',
      'both were recorded',
    );
    const sent = receiver.requests.map(({ json }) => json as { type: string; total: number });
    const totals = sent.map(({ type, total }) => `${type} ${total}`);
    assert.deepEqual(totals, ['alert.began 3', 'alert.ended 3']);
  });
});
