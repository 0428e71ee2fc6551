import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startTestService } from '../support/service.ts';

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
