import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eachPage } from '../support/each-page.ts';
import { type Api, startTestService, type TestService } from '../support/service.ts';
import { startTarget, type Target } from '../support/target.ts';
import { answer, when } from '../support/target-behaviours.ts';
import { assertInvalid, assertProblem } from '../webhooks/webhook-expectations.ts';
import { accountsOf, createAccounts, createWebhook, settledDeliveries } from './webhook-helpers.ts';

const NAMES = ['good-1', 'bad-2', 'good-3', 'bad-4', 'good-5', 'bad-6', 'good-7'];

describe('the list of a webhook’s deliveries', () => {
  let service: TestService;
  let api: Api;
  let target: Target;
  let id: number;

  before(async () => {
    target = await startTarget({
      respondWith: when((postback) => accountsOf([postback])[0]!.startsWith('bad'), answer(500)),
    });
    service = await startTestService();
    api = service.api;
    id = await createWebhook(api, target.url, { max_attempts: 1 });
    await createAccounts(api, ...NAMES);
    await settledDeliveries(api, id, NAMES.length);
  });
  after(async () => {
    await service.stop();
    await target.close();
  });

  /** The names of the accounts of all pages, page by page. */
  async function pages(query: string): Promise<string[][]> {
    const names: string[][] = [];
    for await (const { data } of eachPage((page) => api.get(page), `/webhooks/${id}/deliveries?${query}`)) {
      const page: string[] = [];
      for (const each of data) {
        const delivery = await api.get(`/webhooks/${id}/deliveries/${each.id}`);
        page.push(delivery.body.message.resource.account.name);
      }
      names.push(page);
    }
    return names;
  }

  it('is paged, latest first, without duplicates or gaps', async () => {
    const [g1, b2, g3, b4, g5, b6, g7] = NAMES;
    assert.deepEqual(await pages('limit=3'), [[g7, b6, g5], [b4, g3, b2], [g1]]);
    assert.deepEqual(await pages('limit=7'), [NAMES.toReversed()]);
  });

  it('does not shift when deliveries are added while it is read', async () => {
    const first = await api.get(`/webhooks/${id}/deliveries?limit=3`);
    const other = await createWebhook(api, target.url);
    await createAccounts(api, 'good-8');
    await settledDeliveries(api, id, NAMES.length + 1);
    const second = await api.get(
      `/webhooks/${id}/deliveries?limit=3&cursor=${encodeURIComponent(first.body.next_cursor)}`,
    );
    const ids = [...first.body.data, ...second.body.data].map((each: { id: number }) => each.id);
    assert.equal(new Set(ids).size, 6);
    assert.deepEqual(
      ids,
      ids.toSorted((a, b) => b - a),
    );
    await api.delete(`/webhooks/${other}`);
  });

  it('can be filtered by status, on every page', async () => {
    const bad = NAMES.filter((name) => name.startsWith('bad')).reverse();
    assert.deepEqual(await pages('limit=2&status=DEAD_LETTERED'), [bad.slice(0, 2), bad.slice(2)]);
    assert.ok((await pages('status=DELIVERED')).flat().every((name) => name.startsWith('good')));
    assert.deepEqual(await pages('status=DISCARDED'), [[]]);
    const both = (await pages('status=DEAD_LETTERED&status=DELIVERED&limit=2')).flat();
    assert.deepEqual(new Set(both).size, (await pages('limit=200')).flat().length);
  });

  it('shows the outcome of each, without the message', async () => {
    const { body } = await api.get(`/webhooks/${id}/deliveries?status=DEAD_LETTERED&limit=1`);
    const [{ message_id, event_dt, updated_dt, duration_ms, id: deliveryId, about, ...rest }] = body.data;
    assert.equal(about.account.name, 'bad-6');
    assert.deepEqual(rest, {
      webhook_id: id,
      subtopic: 'ACCOUNT_CREATED',
      status: 'DEAD_LETTERED',
      status_reason: 'ATTEMPTS_EXHAUSTED',
      attempts: 1,
      response_status: 500,
      error: `Request to postback URL '${target.url}' failed for reason: 500 Internal Server Error`,
    });
    assert.equal(
      message_id,
      target.requests.find((each) => accountsOf([each])[0] === 'bad-6')?.headers['webhook-id'],
    );
    assert.ok(event_dt <= updated_dt && Number.isInteger(duration_ms) && deliveryId > 0);
  });

  it('rejects invalid queries', async () => {
    const list = (query: string) => api.get(`/webhooks/${id}/deliveries?${query}`);
    assertInvalid(await list('limit=0'), ['/query/limit']);
    assertInvalid(await list('limit=201'), ['/query/limit']);
    assertInvalid(await list('cursor=x'), ['/query/cursor']);
    const unknown = await list('status=LOST');
    assert.equal(unknown.status, 400);
    assert.match(unknown.body.errors[0].pointer, /^\/query\/status/);
  });

  it('is found for webhooks that ever existed, and each delivery only for its own webhook', async () => {
    const [newest] = (await api.get(`/webhooks/${id}/deliveries?limit=1`)).body.data;
    const other = await createWebhook(api, target.url);
    assertProblem(await api.get('/webhooks/999999/deliveries'), 404, 'not-found');
    assertProblem(await api.get(`/webhooks/${other}/deliveries/${newest.id}`), 404, 'not-found');
    assertProblem(await api.get(`/webhooks/${id}/deliveries/999999`), 404, 'not-found');
    assert.deepEqual((await api.get(`/webhooks/${other}/deliveries`)).body, { data: [], next_cursor: null });
    await api.delete(`/webhooks/${other}`);
  });
});
