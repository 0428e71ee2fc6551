import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTestQueues, settingsOf, startSqsServer } from '../queue/sqs-server.ts';
import { borrowTestService, removeWebhooks } from '../support/lent-service.ts';
import { type Api, startTestService, type TestService, until } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';
import { assertProblem } from '../webhooks/webhook-expectations.ts';
import {
  accountNames,
  accountsOf,
  createAccounts,
  createWebhook,
  LONG_RETRIES,
  lineOf,
  listDeliveries,
  retryHead,
} from './webhook-helpers.ts';

/** The URL of a target that receives nothing. */
const NOWHERE = 'http://127.0.0.1:9/';
const NO_SUCH_POSITION = 999_999;

interface Waiting {
  position: number;
  message_id: string;
  attempts: number;
  in_flight: boolean;
  delivery_id: number | null;
  event_dt: string;
  about: { account: { name: string } };
}

async function waitingOf(
  api: Api,
  id: number,
  query = '',
): Promise<{ data: Waiting[]; next_cursor: string | null }> {
  const { status, body } = await api.get(`/webhooks/${id}/line/messages${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

const namesOf = (waiting: readonly Waiting[]) => waiting.map(({ about }) => about.account.name);

/** A webhook whose first message failed, so that these accounts wait. */
async function blockedWebhook(api: Api, targetUrl: string, ...names: string[]): Promise<number> {
  const id = await createWebhook(api, targetUrl);
  await createAccounts(api, ...names);
  await until(async () => {
    const body = await lineOf(api, id);
    return body.state === 'RETRYING' && body.depth === names.length;
  }, 'the first message failed and the others wait behind it');
  return id;
}

/** Engines of the queue: the database, and Amazon SQS. */
const ENGINES = ['database', 'sqs'] as const;

for (const engine of ENGINES) {
  describe(`the waiting messages of a webhook (${engine})`, () => {
    const running = new AsyncDisposableStack();
    let service: TestService;
    before(async () => {
      const server = engine === 'sqs' ? running.use(await startSqsServer()) : null;
      const queues = server === null ? {} : settingsOf((await createTestQueues(server)).place);
      service = running.use(await startTestService({ settings: { ...LONG_RETRIES, ...queues } }));
    });
    after(() => running.disposeAsync());

    /** The service without webhooks, and a target that fails. */
    const open = async () => {
      await using stack = new AsyncDisposableStack();
      const target = stack.use(await startTarget({ respondWith: answer(503) }));
      stack.defer(() => removeWebhooks(service));
      const opened = stack.move();
      return { target, api: service.api, [Symbol.asyncDispose]: () => opened.disposeAsync() };
    };

    it('are listed in order, page by page, with the person they are about and the number of attempts', async () => {
      await using opened = await open();
      const { api, target } = opened;
      const id = await blockedWebhook(api, target.url, 'a', 'b', 'c');
      const first = await waitingOf(api, id, '?limit=2');
      const rest = await waitingOf(api, id, `?limit=2&cursor=${first.next_cursor}`);
      assert.deepEqual(namesOf([...first.data, ...rest.data]), ['a', 'b', 'c']);
      assert.equal(rest.next_cursor, null);
      const [head, follower] = first.data as [Waiting, Waiting];
      assert.deepEqual([head.attempts, head.in_flight, follower.attempts], [1, false, 0]);
      const [delivery] = await listDeliveries(api, id);
      assert.deepEqual([head.delivery_id, follower.delivery_id], [delivery!.id, null]);
    });

    it('can each be opened with the body that will be sent', async () => {
      await using opened = await open();
      const { api, target } = opened;
      const id = await blockedWebhook(api, target.url, 'a', 'b');
      const [, b] = (await waitingOf(api, id)).data;
      const { status, body } = await api.get(`/webhooks/${id}/line/messages/${b!.position}`);
      assert.equal(status, 200);
      const { message, ...summary } = body;
      assert.deepEqual(summary, b);
      assert.deepEqual([message.resource.account.name, message.subscription_id], ['b', id]);
    });

    it('can be skipped behind the head: the others keep their order, and it can be redelivered', async () => {
      await using opened = await open();
      const { api, target } = opened;
      const id = await blockedWebhook(api, target.url, 'a', 'b', 'c');
      const [, b] = (await waitingOf(api, id)).data;
      const skipped = await api.post(`/webhooks/${id}/line/messages/${b!.position}/skip`);
      assert.deepEqual([skipped.status, skipped.body.depth, skipped.body.state], [200, 2, 'RETRYING']);
      const [, dead] = await listDeliveries(api, id);
      assert.deepEqual(
        [dead?.message_id, dead?.status, dead?.status_reason],
        [b!.message_id, 'DEAD_LETTERED', 'SKIPPED'],
      );
      target.respondWith(answer(204));
      target.requests.length = 0;
      await retryHead(api, id);
      await target.waitFor(2);
      await api.post(`/webhooks/${id}/deliveries/redeliver?status=DEAD_LETTERED`);
      await target.waitFor(3);
      assert.deepEqual(accountsOf(target.requests), ['a', 'c', 'b']);
    });

    it('can be skipped at the head, so that the next one is sent', async () => {
      await using opened = await open();
      const { api, target } = opened;
      const id = await blockedWebhook(api, target.url, 'a', 'b');
      target.respondWith(answer(204));
      target.requests.length = 0;
      const [a] = (await waitingOf(api, id)).data;
      assert.equal((await api.post(`/webhooks/${id}/line/messages/${a!.position}/skip`)).status, 200);
      await target.waitFor(1);
      assert.deepEqual(accountsOf(target.requests), ['b']);
    });

    it('can be purged: the history lists them as purged, nothing is sent, and later messages arrive', async () => {
      await using opened = await open();
      const { api, target } = opened;
      const id = await blockedWebhook(api, target.url, 'a', 'b', 'c');
      target.respondWith(answer(204));
      target.requests.length = 0;
      const purged = await api.post(`/webhooks/${id}/line/purge`);
      assert.deepEqual([purged.status, purged.body], [200, { purged: 3, remaining: 0, next_cursor: null }]);
      assert.equal((await lineOf(api, id)).depth, 0);
      const history = await listDeliveries(api, id);
      assert.deepEqual(
        history.map((each) => [each.status, each.status_reason, each.attempts]),
        [
          ['DISCARDED', 'PURGED', 1],
          ['DISCARDED', 'PURGED', 0],
          ['DISCARDED', 'PURGED', 0],
        ],
      );
      await createAccounts(api, 'd');
      await target.waitFor(1);
      assert.deepEqual(accountsOf(target.requests), ['d']);
    });

    it('that were purged are redelivered only if someone requests discarded messages', async () => {
      await using opened = await open();
      const { api, target } = opened;
      const id = await blockedWebhook(api, target.url, 'a', 'b');
      target.respondWith(answer(204));
      target.requests.length = 0;
      await api.post(`/webhooks/${id}/line/purge`);
      const path = `/webhooks/${id}/deliveries/redeliver`;
      for (const query of ['', '?subtopic=ACCOUNT_CREATED'])
        assert.deepEqual((await api.post(path + query)).body.redelivered, 0, query);
      assert.deepEqual((await api.post(`${path}?status=DISCARDED`)).body, {
        redelivered: 2,
        remaining: 0,
        next_cursor: null,
      });
      await target.waitFor(2);
      assert.deepEqual(accountsOf(target.requests), ['a', 'b']);
    });
  });
}

describe('a purge of waiting messages', () => {
  it('works in steps, and keeps messages that are queued after the first step', async () => {
    await using service = await borrowTestService({ settings: { enable_queue_polling: false } });
    const { api } = service;
    const id = await createWebhook(api, NOWHERE);
    await createAccounts(api, ...accountNames(5));
    const first = (await api.post(`/webhooks/${id}/line/purge?limit=2`)).body;
    assert.deepEqual([first.purged, first.remaining], [2, 3]);
    await createAccounts(api, 'later');
    const second = await api.post(`/webhooks/${id}/line/purge?limit=200&cursor=${first.next_cursor}`);
    assert.deepEqual(second.body, { purged: 3, remaining: 0, next_cursor: null });
    assert.deepEqual(namesOf((await waitingOf(api, id)).data), ['later']);
  });

  it('up to a time keeps the messages of later events', async () => {
    await using service = await borrowTestService({ settings: { enable_queue_polling: false } });
    const { api } = service;
    const id = await createWebhook(api, NOWHERE);
    await createAccounts(api, 'a', 'b');
    await until(async () => {
      const { data } = await waitingOf(api, id);
      return Date.now() > Date.parse(data.at(-1)!.event_dt);
    }, 'the clock goes on');
    await createAccounts(api, 'c');
    const [, , c] = (await waitingOf(api, id)).data;
    const purged = await api.post(`/webhooks/${id}/line/purge?until_dt=${encodeURIComponent(c!.event_dt)}`);
    assert.deepEqual([purged.status, purged.body.purged], [200, 2]);
    assert.deepEqual(namesOf((await waitingOf(api, id)).data), ['c']);
  });

  it('with the same Idempotency-Key is done once', async () => {
    await using service = await borrowTestService({ settings: { enable_queue_polling: false } });
    const { api } = service;
    const id = await createWebhook(api, NOWHERE);
    await createAccounts(api, 'a');
    const headers = { 'Idempotency-Key': 'purge-1' };
    const first = await api.post(`/webhooks/${id}/line/purge`, undefined, headers);
    await createAccounts(api, 'b');
    const second = await api.post(`/webhooks/${id}/line/purge`, undefined, headers);
    assert.deepEqual([first.body.purged, second.body], [1, first.body]);
    assert.deepEqual(namesOf((await waitingOf(api, id)).data), ['b']);
  });

  it('is rejected with every unknown member named', async () => {
    await using service = await borrowTestService({ settings: { enable_queue_polling: false } });
    const { api } = service;
    const id = await createWebhook(api, NOWHERE);
    const wrong = await api.post(`/webhooks/${id}/line/purge?until_dt=now&cursor=x`);
    assertProblem(wrong, 400, 'invalid-request', ['/query/until_dt', '/query/cursor']);
  });
});

describe('a waiting message that is in flight', () => {
  it('is listed as in flight, and is neither skipped nor purged', async () => {
    let release = (): void => {};
    await using target = await startTarget({
      respondWith: ({ response }) => {
        release = () => response.writeHead(204).end();
      },
    });
    await using service = await borrowTestService();
    const { api } = service;
    const id = await createWebhook(api, target.url);
    await createAccounts(api, 'a', 'b');
    await target.waitFor(1);
    const [a, b] = (await waitingOf(api, id)).data;
    assert.deepEqual([a!.in_flight, b!.in_flight], [true, false]);
    const skipped = await api.post(`/webhooks/${id}/line/messages/${a!.position}/skip`);
    assertProblem(skipped, 409, 'conflict', null);
    assert.equal((await api.post(`/webhooks/${id}/line/purge`)).body.purged, 1);
    release();
    await until(async () => (await lineOf(api, id)).depth === 0, 'a is delivered');
    assert.deepEqual(accountsOf(target.requests), ['a']);
  });

  it('is not found after its delivery, nor at a position that does not exist', async () => {
    await using target = await startTarget();
    await using service = await borrowTestService();
    const { api } = service;
    const id = await createWebhook(api, target.url);
    for (const path of [`/webhooks/${id}/line/messages/${NO_SUCH_POSITION}`, '/webhooks/999/line/messages'])
      assertProblem(await api.get(path), 404, 'not-found', null);
    const skipped = await api.post(`/webhooks/${id}/line/messages/${NO_SUCH_POSITION}/skip`);
    assertProblem(skipped, 404, 'not-found', null);
  });
});

describe('the audit log', () => {
  it('says who skipped and purged messages, and who removed dead letters', async () => {
    await using service = await borrowTestService({ settings: { enable_queue_polling: false } });
    const { api } = service;
    const id = await createWebhook(api, NOWHERE);
    await createAccounts(api, 'a', 'b', 'c');
    const [, b] = (await waitingOf(api, id)).data;
    await api.post(`/webhooks/${id}/line/messages/${b!.position}/skip`);
    await api.post(`/webhooks/${id}/line/purge`);
    await api.post(`/webhooks/${id}/deliveries/remove`);
    const { status, body } = await api.get(`/audit-log?object_type=WEBHOOK&object_id=${id}`);
    assert.equal(status, 200, JSON.stringify(body));
    const entries = body.data.map(
      ({ action, details }: { action: string; details: { messages?: number; message_id?: string } }) => [
        action,
        details.messages ?? details.message_id,
      ],
    );
    assert.deepEqual(entries.slice(0, 3), [
      ['DEAD_LETTERS_REMOVED', 1],
      ['MESSAGES_PURGED', 2],
      ['MESSAGE_SKIPPED', b!.message_id],
    ]);
  });
});

describe('removing dead letters of a webhook', () => {
  /** A webhook with a dead letter for each name. */
  async function deadLettersOf(api: Api, targetUrl: string, ...names: string[]): Promise<number> {
    const id = await createWebhook(api, targetUrl, { max_attempts: 1 });
    await createAccounts(api, ...names);
    await until(
      async () =>
        (await api.get(`/webhooks/${id}/deliveries?status=DEAD_LETTERED`)).body.data.length === names.length,
      'all are dead letters',
    );
    return id;
  }

  it('removes the named ones, and the history says so; the others can still be redelivered', async () => {
    await using target = await startTarget({ respondWith: answer(500) });
    await using service = await borrowTestService();
    const { api } = service;
    const id = await deadLettersOf(api, target.url, 'a', 'b', 'c');
    const [a, b] = await listDeliveries(api, id);
    const query = `delivery_id=${a!.id}&delivery_id=${b!.id}&delivery_id=999`;
    const removed = await api.post(`/webhooks/${id}/deliveries/remove?${query}`);
    assert.deepEqual([removed.status, removed.body], [200, { removed: 2, remaining: 0, next_cursor: null }]);
    assert.deepEqual(
      (await listDeliveries(api, id)).map((each) => [each.status, each.status_reason]),
      [
        ['DISCARDED', 'REMOVED'],
        ['DISCARDED', 'REMOVED'],
        ['DEAD_LETTERED', 'ATTEMPTS_EXHAUSTED'],
      ],
    );
    target.respondWith(answer(204));
    target.requests.length = 0;
    assert.equal((await api.post(`/webhooks/${id}/deliveries/redeliver`)).body.redelivered, 1);
    await target.waitFor(1);
    assert.deepEqual(accountsOf(target.requests), ['c']);
    assert.equal((await api.post(`/webhooks/${id}/deliveries/${a!.id}/redeliver`)).status, 202);
    await target.waitFor(2);
    assert.deepEqual(accountsOf(target.requests), ['c', 'a']);
  });

  it('removes those that match a filter, in steps', async () => {
    await using target = await startTarget({ respondWith: answer(500) });
    await using service = await borrowTestService();
    const { api } = service;
    const id = await deadLettersOf(api, target.url, 'a', 'b', 'c');
    const step = (query: string) => api.post(`/webhooks/${id}/deliveries/remove?response_status=500${query}`);
    const first = (await step('&limit=2')).body;
    assert.deepEqual([first.removed, first.remaining], [2, 1]);
    assert.deepEqual((await step(`&cursor=${first.next_cursor}`)).body.removed, 1);
    assert.equal((await api.post(`/webhooks/${id}/deliveries/remove?response_status=404`)).body.removed, 0);
  });

  it('refuses ids together with a filter', async () => {
    await using service = await borrowTestService();
    const id = await createWebhook(service.api, NOWHERE);
    const wrong = await service.api.post(`/webhooks/${id}/deliveries/remove?delivery_id=1&limit=3`);
    assertProblem(wrong, 400, 'invalid-request', ['/query/limit']);
  });
});
