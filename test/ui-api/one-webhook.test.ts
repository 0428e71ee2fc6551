import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  createAccounts,
  createWebhook,
  LONG_RETRIES,
  untilFailed,
  updateWebhook,
} from '../delivery/webhook-helpers.ts';
import { startTestService } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';

// Runs on SQLite alone: the tests of the list of webhooks run the same queries on both databases.

const ACCOUNT_WEBHOOK = { name: 'CRM', topic: 'ACCOUNT', target_url: 'http://127.0.0.1:9/' };

describe('one webhook as the admin UI lists it', () => {
  it('shows whether it has all subtopics, which its record in the API does not show', async () => {
    await using test = await startTestService();
    const all = await test.api.create('/webhooks', ACCOUNT_WEBHOOK);
    const some = await test.api.create('/webhooks', {
      ...ACCOUNT_WEBHOOK,
      subtopics: ['ACCOUNT_CREATED', 'ACCOUNT_ACTIVATION_UPDATED', 'ACCOUNT_DELETED'],
    });
    assert.equal((await test.api.get(`/ui/api/webhooks/${all.id}`)).body.all_subtopics, true);
    assert.equal((await test.api.get(`/ui/api/webhooks/${some.id}`)).body.all_subtopics, false);
  });

  it('equals its entry in the list', async () => {
    await using test = await startTestService();
    const { id } = await test.api.create('/webhooks', {
      ...ACCOUNT_WEBHOOK,
      focus: [{ webhook_focus_type: 'ACCOUNT', webhook_focus_id: 1 }],
    });
    const [listed] = (await test.api.get('/ui/api/webhooks')).body.data;
    assert.deepEqual((await test.api.get(`/ui/api/webhooks/${id}`)).body, listed);
    assert.equal(listed.focus_count, 1);
  });

  it('has no next attempt while it is paused, and is not failing after an edit', async () => {
    await using target = await startTarget({ respondWith: answer(500) });
    await using test = await startTestService({ settings: LONG_RETRIES });
    const id = await createWebhook(test.api, target.url);
    await createAccounts(test.api, 'a');
    await untilFailed(test.api, id, 1);
    const listed = async () => (await test.api.get(`/ui/api/webhooks/${id}`)).body;
    const failing = await listed();
    assert.deepEqual([failing.failing_since_dt === null, failing.next_attempt_dt === null], [false, false]);
    await updateWebhook(test.api, id, target.url, { paused: true });
    const paused = await listed();
    assert.deepEqual([paused.depth, paused.next_attempt_dt, paused.failing_since_dt], [1, null, null]);
    assert.notEqual(paused.last_error_dt, null);
  });

  it('is not found if it was deleted, never existed, or has an impossible id', async () => {
    await using test = await startTestService();
    const { id } = await test.api.create('/webhooks', ACCOUNT_WEBHOOK);
    await test.api.delete(`/webhooks/${id}`);
    for (const name of [id, 4711, 'none']) {
      const answer = await test.api.get(`/ui/api/webhooks/${name}`);
      assert.equal(answer.status, 404);
      assert.equal(answer.body.type, 'urn:coursewire:problem:not-found');
    }
  });
});
