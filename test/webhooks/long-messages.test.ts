import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ContentMaker, type NamedAsset } from '../content/account-content-helpers.ts';
import { settledDeliveries } from '../delivery/webhook-helpers.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { startTarget, type Target } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';
import { webhookInput } from './webhook-expectations.ts';

// Runs on SQLite in `npm test`: the subject of a message is found in its text in the process. The tests of history filters and waiting messages read messages on both.

/** Longer messages are not parsed for lists. */
const LONG = 32_768;
/** Names that look like the assets of a message, or would end a text. */
const NAMES = ['{"type":"COURSE","id":1,"name":"x"}', '"contents":[{"type":"', '\\', 'ä\u{1f600}"'];
const ASSETS = 180;

describe('the subject of a message that lists hundreds of assets', () => {
  let service: TestService;
  let target: Target;
  let accountId: number;
  let assets: NamedAsset[];
  let webhookId: number;

  before(async () => {
    target = await startTarget({ respondWith: answer(500) });
    service = await startTestService();
    const { api } = service;
    const input = { topic: 'ACCOUNT_CONTENT', target_url: target.url, max_attempts: 1 };
    ({ id: webhookId } = await api.create('/webhooks', webhookInput(input)));
    const maker = new ContentMaker(service);
    accountId = await maker.account('Northwind "North" \\');
    const course = await maker.course('Course');
    assets = [];
    for (let n = 0; n < ASSETS; n += 1)
      assets.push(await maker.bundle(`${NAMES[n % NAMES.length]} ${n} `.padEnd(190, 'x'), [course]));
    await maker.add(accountId, ...assets);
    await settledDeliveries(api, webhookId, 1);
    assert.ok(target.requests[0]!.text.length > LONG, `${target.requests[0]!.text.length} characters`);
  });
  after(async () => {
    await service.stop();
    await target.close();
  });

  /** The expected subject of the event. */
  async function expected() {
    const { data } = (await service.api.get('/events?subtopic=CONTENT_ADDED_TO_ACCOUNT')).body;
    const { account, content, content_count } = data[0];
    assert.equal(content_count, ASSETS);
    return {
      account,
      course: null,
      learner_id: null,
      registration_id: null,
      content: content[0],
      content_count,
    };
  }

  test('has the first asset and their number, in the history', async () => {
    const { data } = (await service.api.get(`/webhooks/${webhookId}/deliveries`)).body;
    assert.deepEqual(data[0].about, await expected());
  });

  test('has the first asset and their number while the message waits', async () => {
    const { api } = service;
    const path = `/webhooks/${webhookId}`;
    const record = (await api.get(path)).body;
    assert.equal((await api.put(path, { ...record, paused: true })).status, 200);
    assert.equal((await api.post(`${path}/deliveries/redeliver`)).body.redelivered, 1);
    const { data } = (await api.get(`${path}/line/messages`)).body;
    assert.deepEqual(data[0].about, await expected());
  });
});
