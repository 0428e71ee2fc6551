import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MOMENT } from './support/moment.ts';
import { CLIENT_EMAIL, startTestService, until } from './support/service.ts';
import { startTarget } from './support/target.ts';

test('a change becomes a postback, from the token to the statistics', async () => {
  await using target = await startTarget();
  await using service = await startTestService();
  const { api } = service;

  const webhook = await api.create('/webhooks', {
    name: 'Accounts',
    topic: 'ACCOUNT',
    target_url: target.url,
  });
  const account = await api.create('/accounts', { name: 'Northwind' });
  const [received] = await target.waitFor(1);

  assert.equal(received?.headers['content-type'], 'application/json');
  assert.match(received?.headers['user-agent'] ?? '', /^Coursewire\//);
  assert.equal(received?.headers.authorization, undefined);
  const body = received?.json as { timestamp: string };
  assert.match(body.timestamp, MOMENT);
  assert.deepEqual(body, {
    subscription_id: webhook.id,
    name: 'Accounts',
    topic: 'ACCOUNT',
    subtopic: 'ACCOUNT_CREATED',
    resource: { account: { id: account.id, name: 'Northwind', enabled: true } },
    user: CLIENT_EMAIL,
    timestamp: body.timestamp,
    target_url: target.url,
    logging_mode: 'FULL_ON_ERROR',
    max_attempts: 10,
  });

  const statistics = await until(async () => {
    const { body } = await api.get(`/webhooks/${webhook.id}/statistics`);
    return body.success_count === 1 && body;
  }, 'the success is counted');
  assert.equal(statistics.error_count, 0);
});
