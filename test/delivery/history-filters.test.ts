import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { importCourse } from '../content/packages.ts';
import { openDatabaseOf } from '../support/database.ts';
import { eachPage } from '../support/each-page.ts';
import { type Api, startTestService, type TestService } from '../support/service.ts';
import { startTarget, type Target } from '../support/target.ts';
import { answer, when } from '../support/target-behaviours.ts';
import { assertInvalid, webhookInput } from '../webhooks/webhook-expectations.ts';
import { accountsOf, createAccounts, createWebhook, settledDeliveries } from './webhook-helpers.ts';

/** One request examines this many deliveries. */
const EXAMINED = 2_000;
const LEARNER = 'ada "the first" \\ 100%_ÄÖ';

describe('the filters of a webhook’s history', () => {
  let service: TestService;
  let api: Api;
  let target: Target;
  let accounts: number;
  let registrations: number;
  let northwind: number;
  let course: number;

  before(async () => {
    target = await startTarget({
      respondWith: when(({ text }) => text.includes('Contoso'), answer(410), answer(422)),
    });
    service = await startTestService();
    api = service.api;
    accounts = await createWebhook(api, target.url, { max_attempts: 1 });
    // Two webhooks for the same events share the bodies of their messages.
    const input = webhookInput({ topic: 'REGISTRATION', target_url: target.url, max_attempts: 1 });
    ({ id: registrations } = await api.create('/webhooks', input));
    await api.create('/webhooks', { ...input, name: 'Other' });
    ({ id: northwind } = await api.create('/accounts', { name: 'Northwind' }));
    await createAccounts(api, 'Contoso', '"account":{"id":1,');
    await settledDeliveries(api, accounts, 3);
    course = (await importCourse(service)).id;
    await api.post(`/accounts/${northwind}/content`, { contents: [{ type: 'COURSE', id: course }] });
    for (const learner of [LEARNER, 'bob', LEARNER.toUpperCase()]) {
      const { registration_id: id } = await api.create('/registrations', {
        account_id: northwind,
        course_id: course,
        learner_id: learner,
      });
      await api.put(`/registrations/${id}/status`, {
        completion: 'Completed',
        success: 'PASS',
        score: 50,
      });
    }
    await settledDeliveries(api, registrations, 3);
  });
  after(async () => {
    await service.stop();
    await target.close();
  });

  async function found(id: number, query: Record<string, unknown>) {
    const { status, body } = await api.get(
      `/webhooks/${id}/deliveries?${new URLSearchParams(query as Record<string, string>)}`,
    );
    assert.equal(status, 200, JSON.stringify(body));
    return body.data;
  }
  const names = async (query: Record<string, unknown>) =>
    (await found(accounts, query)).map(
      ({ about }: { about: { account: { name: string } } }) => about.account.name,
    );

  it('shows whom and what each message is about', async () => {
    const [latest] = await found(registrations, { limit: 1 });
    assert.deepEqual(
      [latest.about.account, latest.about.course.id, latest.about.learner_id],
      [{ id: northwind, name: 'Northwind' }, course, LEARNER.toUpperCase()],
    );
    assert.equal(
      (await api.get(`/registrations/${latest.about.registration_id}`)).body.learner_id,
      LEARNER.toUpperCase(),
    );
  });

  it('find exactly the messages about a learner, an account or a course', async () => {
    const [only, ...others] = await found(registrations, { learner_id: LEARNER });
    assert.deepEqual([only.about.learner_id, others], [LEARNER, []]);
    assert.equal((await found(registrations, { account_id: northwind, course_id: course })).length, 3);
    assert.deepEqual(await found(registrations, { account_id: northwind, course_id: course + 1 }), []);
    // A name that looks like a message is still a name.
    assert.deepEqual(await names({ account_id: northwind }), ['Northwind']);
  });

  it('find messages by status code, event, message id or time', async () => {
    assert.deepEqual(await names({ response_status: 410 }), ['Contoso']);
    assert.deepEqual(await names({ subtopic: 'ACCOUNT_DELETED' }), []);
    const [latest, contoso, first] = await found(accounts, {});
    assert.deepEqual(await names({ message_id: contoso.message_id }), ['Contoso']);
    assert.deepEqual(await names({ message_id: contoso.message_id, status: 'DELIVERED' }), []);
    assert.deepEqual(await found(registrations, { message_id: contoso.message_id }), []);
    assert.deepEqual(await names({ until_dt: contoso.event_dt, from_dt: first.event_dt }), ['Northwind']);
    assert.deepEqual(await names({ from_dt: latest.event_dt, status: 'DEAD_LETTERED' }), [
      '"account":{"id":1,',
    ]);
  });

  it('reject invalid filters, naming all of them', async () => {
    assertInvalid(
      await api.get(`/webhooks/${accounts}/deliveries?from_dt=yesterday&until_dt=2026-01-01&limit=5`),
      ['/query/from_dt', '/query/until_dt'],
    );
    assertInvalid(await api.post(`/webhooks/${accounts}/deliveries/redeliver?delivery_id=1&course_id=3`), [
      '/query/course_id',
    ]);
    assertInvalid(await api.post(`/webhooks/${accounts}/deliveries/redeliver?until_dt=x`), [
      '/query/until_dt',
    ]);
  });

  it('select messages to redeliver in order, as ids do', async () => {
    const { data } = (await api.get(`/webhooks/${accounts}/deliveries`)).body;
    target.respondWith(answer(200));
    const before = target.requests.length;
    const matching = await api.post(`/webhooks/${accounts}/deliveries/redeliver?response_status=410`);
    assert.deepEqual(matching.body, { redelivered: 1, remaining: 0, next_cursor: null });
    await target.waitFor(before + 1);
    await settledDeliveries(api, accounts, 3);
    // These include delivered messages, since the caller names them by id.
    const query = new URLSearchParams(data.map(({ id }: { id: number }) => ['delivery_id', String(id)]));
    const these = await api.post(`/webhooks/${accounts}/deliveries/redeliver?${query}`);
    assert.deepEqual(these.body, { redelivered: 3, remaining: 0, next_cursor: null });
    await target.waitFor(before + 4);
    const sent = target.requests.slice(before);
    assert.deepEqual(accountsOf(sent), ['Contoso', 'Northwind', 'Contoso', '"account":{"id":1,']);
  });

  it('select messages by ids only of their webhook, and only as long as they have a status', async () => {
    await using ended = await startTarget({ respondWith: answer(410) });
    await using own = await startTestService();
    const { api } = own;
    const { id } = await api.create('/webhooks', webhookInput({ target_url: ended.url, max_attempts: 1 }));
    for (const name of ['Fabrikam', 'Tailspin', 'Wingtip']) await api.create('/accounts', { name });
    const letters = await settledDeliveries(api, id, 3);
    ended.respondWith(answer(200));
    const [first, middle, last] = letters.map((letter: { id: number }) => letter.id);
    await api.post(`/webhooks/${id}/deliveries/${first}/redeliver`);
    await api.post(`/webhooks/${id}/deliveries/remove?delivery_id=${middle}`);
    await ended.waitFor(4);
    await settledDeliveries(api, id, 3);
    const ids = `delivery_id=${first}&delivery_id=${middle}&delivery_id=${last}`;
    const { id: other } = await api.create('/webhooks', webhookInput({ target_url: ended.url }));
    assert.equal((await api.post(`/webhooks/${other}/deliveries/redeliver?${ids}`)).body.redelivered, 0);
    assert.equal((await api.post(`/webhooks/${other}/deliveries/remove?${ids}`)).body.removed, 0);
    const { body } = await api.post(`/webhooks/${id}/deliveries/redeliver?status=DEAD_LETTERED&${ids}`);
    assert.deepEqual(body, { redelivered: 1, remaining: 0, next_cursor: null });
    await settledDeliveries(api, id, 3);
    const sent = ended.requests.slice(3).map(({ text }) => JSON.parse(text).resource.account.name);
    assert.deepEqual(sent, ['Fabrikam', 'Wingtip']);
  });
});

describe('a filter that few of very many messages match', () => {
  it('is searched, and its messages redelivered, in limited steps', async () => {
    await using service = await startTestService({ settings: { enable_queue_polling: false } });
    const { api } = service;
    const { id } = await api.create('/webhooks', webhookInput());
    await using database = await openDatabaseOf(service.settings.data_dir);
    const count = 2 * EXAMINED + 1;
    const rows = Array.from({ length: count }, (_, n) => [
      ...[id, `m-${n}`, 'ACCOUNT_CREATED', 'DEAD_LETTERED'],
      ...[`{"resource":{"account":{"id":${n + 1},"name":"A"}}}`, n, n, 1, 0, 5, 503, 0],
    ]);
    await database.transaction((tx) =>
      tx.insertMany(
        'deliveries',
        [
          ...['webhook_id', 'message_id', 'subtopic', 'status', 'body', 'enqueued_at', 'updated_at'],
          ...['attempts', 'attempted_at', 'duration_ms', 'response_status', 'resent'],
        ],
        rows,
      ),
    );
    for (const status of ['', '&status=DEAD_LETTERED']) {
      const found: string[][] = [];
      const search = `/webhooks/${id}/deliveries?account_id=1${status}`;
      for await (const { data } of eachPage((page) => api.get(page), search))
        found.push(data.map((each: { message_id: string }) => each.message_id));
      assert.deepEqual(found.flat(), ['m-0'], status);
      // On SQLite, the latest deliveries are examined together.
      if (status !== '') assert.equal(found.length, 3);
    }
    // Deliveries that were recorded before that time cannot be about later events.
    const late = new Date(count + 5).toISOString();
    const { body: none } = await api.get(`/webhooks/${id}/deliveries?from_dt=${late}`);
    assert.deepEqual(none, { data: [], next_cursor: null });
    const redeliver = (cursor: string) =>
      api.post(`/webhooks/${id}/deliveries/redeliver?account_id=${count}${cursor}`);
    const first = (await redeliver('')).body;
    assert.deepEqual([first.redelivered, first.remaining], [0, EXAMINED + 1]);
    const second = (await redeliver(`&cursor=${first.next_cursor}`)).body;
    assert.deepEqual([second.redelivered, second.remaining], [0, 1]);
    const last = (await redeliver(`&cursor=${second.next_cursor}`)).body;
    assert.deepEqual(last, { redelivered: 1, remaining: 0, next_cursor: null });
  });
});
