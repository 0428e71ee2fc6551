import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { importCourse } from '../content/packages.ts';
import { startTestService } from '../support/service.ts';
import { webhookInput } from './webhook-expectations.ts';

const LIMIT_REACHED = 'urn:coursewire:problem:limit-reached';

describe('the quota of webhooks', () => {
  test('rejects one more, even if requests arrive at the same time, until one is deleted', async () => {
    await using service = await startTestService({ settings: { max_webhooks: 5 } });
    const { api } = service;
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) => api.post('/webhooks', webhookInput({ name: `w ${n}` }))),
    );
    const refused = answers.filter(({ status }) => status !== 201);
    assert.equal(refused.length, 7);
    for (const { status, body } of refused) {
      assert.deepEqual([status, body.type], [409, LIMIT_REACHED]);
      assert.match(body.detail, /max_webhooks/);
    }
    const { data } = (await api.get('/webhooks')).body;
    assert.equal(data.length, 5);
    assert.equal((await api.put(`/webhooks/${data[0].id}`, webhookInput({ name: 'changed' }))).status, 200);
    assert.equal((await api.delete(`/webhooks/${data[0].id}`)).status, 204);
    assert.equal((await api.post('/webhooks', webhookInput())).status, 201);
    assert.equal((await api.post('/webhooks', webhookInput())).status, 409);
  });
});

describe('the quota of assets that one call adds', () => {
  test('counts the contents of folders, and rejects the whole call', async () => {
    await using service = await startTestService({
      settings: { max_assets_per_call: 3, enable_queue_polling: false },
    });
    const { api } = service;
    const webhook = await api.create('/webhooks', webhookInput({ topic: 'ACCOUNT_CONTENT' }));
    const account = await api.create('/accounts', { name: 'a' });
    const [root] = (await api.get('/folders')).body.data;
    const outer = await api.create('/folders', { name: 'outer', parent_id: root.id });
    const inner = await api.create('/folders', { name: 'inner', parent_id: outer.id });
    const { id: courseId } = await importCourse(service, { name: 'c' });
    const contents = [{ type: 'COURSE', id: courseId }];
    const bundles: number[] = [];
    for (const folder of [outer, outer, inner, inner])
      bundles.push(
        (await api.create('/bundles', { name: 'b', folder_id: folder.id, contents })).id as number,
      );
    const path = `/accounts/${account.id}/content`;
    const refused = await api.post(path, { contents: [{ type: 'FOLDER', id: outer.id }] });
    assert.deepEqual([refused.status, refused.body.type], [409, LIMIT_REACHED]);
    assert.match(refused.body.detail, /max_assets_per_call/);
    assert.deepEqual((await api.get(path)).body.data, []);
    assert.equal((await api.get(`/webhooks/${webhook.id}/line`)).body.depth, 0);

    const alone = bundles.map((id) => ({ type: 'BUNDLE', id }));
    assert.equal((await api.post(path, { contents: alone })).status, 409);
    assert.equal((await api.post(path, { contents: alone.slice(0, 3) })).status, 200);
    assert.equal((await api.post(path, { contents: [{ type: 'FOLDER', id: inner.id }] })).status, 200);
    // Content can be removed from an account even when it exceeds the limit.
    const grown = await api.create('/folders', { name: 'grown', parent_id: root.id });
    assert.equal((await api.post(path, { contents: [{ type: 'FOLDER', id: grown.id }] })).status, 200);
    for (let n = 0; n < 4; n++) await api.create('/bundles', { name: 'b', folder_id: grown.id, contents });
    assert.equal((await api.delete(`${path}/FOLDER/${grown.id}`)).status, 204);
  });
});
