import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AuditEntryRecord } from '../../src/audit/audit-schemas.ts';
import { aroundTests } from '../support/around-tests.ts';
import { startTestService, type TestService } from '../support/service.ts';

// Runs on SQLite in `npm test`: entries are composed before they are stored. The tests of alert rules store the same
// changes and entries on both.

const TOKEN = 'a-token-that-no-entry-may-show';
const FIRST_URL = `http://127.0.0.1:9/hooks/${TOKEN}`;

describe('the audit log, about alert rules', () => {
  let service: TestService;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
  });

  const ruleInput = (input: object = {}) => ({
    name: 'Failing webhooks',
    condition: 'WEBHOOK_IN_ERROR',
    minutes: 5,
    target: { format: 'JSON', url: FIRST_URL },
    ...input,
  });

  /** The entries about a rule, oldest first. */
  async function entriesOf(id: number): Promise<AuditEntryRecord[]> {
    const { status, body } = await service.api.get(`/audit-log?object_type=ALERT&object_id=${id}`);
    assert.equal(status, 200, JSON.stringify(body));
    assert.doesNotMatch(JSON.stringify(body), /a-token|127\.0\.0\.1:9/);
    return body.data.reverse();
  }

  it('records who created, changed and deleted a rule, but never its URL', async () => {
    const { api, clientId } = service;
    const webhook = await api.create('/webhooks', {
      name: 'CRM',
      topic: 'ACCOUNT',
      target_url: 'http://127.0.0.1:10/',
    });
    const { id } = await api.create('/alerts', ruleInput());
    const changed = ruleInput({
      name: 'CRM fails',
      webhook_ids: [webhook.id],
      target: { format: 'SLACK' },
      quiet_hours: { from: '22:00', to: '07:00', time_zone: 'Europe/Berlin' },
    });
    assert.equal((await api.put(`/alerts/${id}`, changed)).status, 200);
    assert.equal((await api.delete(`/alerts/${id}`)).status, 204);
    const [created, updated, deleted, ...others] = await entriesOf(id);
    assert.deepEqual(others, []);
    assert.equal(created?.action, 'ALERT_CREATED');
    assert.equal(created.actor.id, clientId);
    assert.deepEqual(created.object, { type: 'ALERT', id: String(id), name: 'Failing webhooks' });
    assert.deepEqual(created.changes, [
      { field: 'name', before: null, after: 'Failing webhooks' },
      { field: 'enabled', before: null, after: true },
      { field: 'condition', before: null, after: 'WEBHOOK_IN_ERROR' },
      { field: 'minutes', before: null, after: 5 },
      { field: 'target.format', before: null, after: 'JSON' },
      { field: 'target.url', secret: true },
    ]);
    assert.equal(updated?.action, 'ALERT_UPDATED');
    assert.deepEqual(updated.changes, [
      { field: 'name', before: 'Failing webhooks', after: 'CRM fails' },
      { field: 'webhook_ids', added: [webhook.id], removed: [] },
      { field: 'target.format', before: 'JSON', after: 'SLACK' },
      { field: 'quiet_hours.from', before: null, after: '22:00' },
      { field: 'quiet_hours.to', before: null, after: '07:00' },
      { field: 'quiet_hours.time_zone', before: null, after: 'Europe/Berlin' },
    ]);
    assert.equal(deleted?.action, 'ALERT_DELETED');
    assert.deepEqual(deleted.object.name, 'CRM fails');
    assert.deepEqual(deleted.changes.at(-1), { field: 'target.url', secret: true });
  });

  it('records a URL only if another one is set', async () => {
    const { api } = service;
    const { id } = await api.create('/alerts', ruleInput());
    for (const target of [
      { format: 'JSON', url: FIRST_URL },
      { format: 'JSON' },
      { format: 'JSON', url: `${FIRST_URL}-2` },
    ]) {
      assert.equal((await api.put(`/alerts/${id}`, ruleInput({ target }))).status, 200);
    }
    const [, ...updates] = await entriesOf(id);
    assert.deepEqual(
      updates.map(({ changes }) => changes),
      [[{ field: 'target.url', secret: true }]],
    );
  });

  it('has no entry for a rule that is refused', async () => {
    const { api } = service;
    const { id } = await api.create('/alerts', ruleInput());
    assert.equal((await api.put(`/alerts/${id}`, ruleInput({ webhook_ids: [999_999] }))).status, 400);
    assert.equal((await api.delete(`/alerts/${id}`, { 'If-Match': '"99"' })).status, 412);
    assert.equal((await entriesOf(id)).length, 1);
  });
});
