import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ADMIN_EMAIL, createAdministrator, signedInBrowser } from '../../support/administration.ts';
import { startTestService } from '../../support/service.ts';
import { startTarget } from '../../support/target.ts';

// Runs on SQLite in `npm test`: the caller is known before a change is stored. The tests of the audit log and of
// idempotency store callers and keys on both.

describe('a change by an administrator', () => {
  test('has the administrator’s e-mail address as the user in messages', async () => {
    await using target = await startTarget();
    await using service = await startTestService();
    await createAdministrator(service.settings.data_dir);
    const browser = await signedInBrowser(service.url);
    const webhook = await browser.post('/webhooks', {
      name: 'w',
      topic: 'ACCOUNT',
      target_url: target.url,
    });
    assert.equal(webhook.status, 201);
    assert.equal((await browser.post('/accounts', { name: 'a' })).status, 201);
    const [postback] = await target.waitFor(1);
    assert.equal(JSON.parse(postback!.body.toString()).user, ADMIN_EMAIL);
  });

  test('is made once for an idempotency key, and each caller has its own keys', async () => {
    await using service = await startTestService();
    await createAdministrator(service.settings.data_dir);
    await createAdministrator(service.settings.data_dir, { email: 'bob@example.com' });
    const ann = await signedInBrowser(service.url);
    const bob = await signedInBrowser(service.url, 'bob@example.com');
    const key = { 'idempotency-key': 'k' };
    const first = await ann.call('POST', '/accounts', { name: 'a' }, key);
    const again = await ann.call('POST', '/accounts', { name: 'a' }, key);
    assert.deepEqual(again.body, first.body);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    for (const other of [bob, service.api]) {
      const made = await other.call('POST', '/accounts', { name: 'a' }, key);
      assert.equal(made.status, 201);
      assert.notEqual(made.body.id, first.body.id);
    }
  });
});
