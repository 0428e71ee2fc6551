import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { runSql } from '../support/database.ts';
import { startTestService, type TestService, until } from '../support/service.ts';
import { startTarget, type Target } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';

interface Letter {
  id: number;
  webhook_name: string;
  message_id: string;
  [member: string]: unknown;
}

describe('dead letters of all webhooks', () => {
  let service: TestService;
  let target: Target;
  let ids: Record<string, number>;

  const letters = async (
    query = '',
  ): Promise<{
    data: Letter[];
    total: number;
    total_is_lower_bound: boolean;
    next_cursor: string | null;
  }> => {
    const { status, body } = await service.api.get(`/ui/api/dead-letters${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  const redeliver = async (body: object) => {
    const reply = await service.api.post('/ui/api/dead-letters/redeliver', body);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    return reply.body;
  };

  before(async () => {
    target = await startTarget({ respondWith: answer(500) });
  });
  beforeEach(async () => {
    target.respondWith(answer(500));
    target.requests.length = 0;
    service = await startTestService();
    ids = {};
    for (const name of ['North', 'South']) {
      const webhook = await service.api.create('/webhooks', {
        name,
        topic: 'ACCOUNT',
        target_url: `${target.url}/${name}`,
        max_attempts: 1,
      });
      ids[name] = webhook.id;
    }
    for (const name of ['A', 'B', 'C']) await service.api.create('/accounts', { name });
    await until(async () => (await letters()).total === 6, 'all are dead-lettered');
  });
  after(() => target[Symbol.asyncDispose]());

  test('are listed newest first, found by webhook, name and id, in pages', async () => {
    await using _service = service;
    const { data, total } = await letters();
    assert.equal(total, 6);
    const moments = data.map((letter) => Date.parse(String(letter.dead_lettered_dt)));
    assert.deepEqual(
      moments,
      moments.toSorted((a, b) => b - a),
    );
    assert.deepEqual([data[0]!.attempts, data[0]!.response_status, data[0]!.webhook_enabled], [1, 500, true]);
    assert.match(String(data[0]!.last_error_message), /500/);

    const ofNorth = data.filter((letter) => letter.webhook_name === 'North').map(({ id }) => id);
    for (const query of [
      `?webhook_id=${ids.North}`,
      '?search=NOR',
      `?search=north&webhook_id=${ids.North}`,
    ]) {
      const found = await letters(query);
      assert.deepEqual(
        found.data.map(({ id }) => id),
        ofNorth,
        query,
      );
      assert.equal(found.total, 3, query);
    }
    assert.equal((await letters(`?search=north&webhook_id=${ids.South}`)).total, 0);
    for (const search of [data[2]!.message_id, data[2]!.message_id.toUpperCase(), String(data[2]!.id)]) {
      const found = await letters(`?search=${search}`);
      assert.deepEqual(
        found.data.map(({ id }) => id),
        [data[2]!.id],
      );
      const elsewhere = data[2]!.webhook_name === 'North' ? ids.South : ids.North;
      assert.equal((await letters(`?search=${search}&webhook_id=${elsewhere}`)).total, 0, search);
    }
    const { body: namesake } = await service.api.get(`/webhooks/${ids.North}`);
    await service.api.put(`/webhooks/${ids.North}`, { ...namesake, name: `North ${ofNorth[1]}` });
    const named = await letters(`?search=${ofNorth[1]}`);
    assert.deepEqual([named.data.map(({ id }) => id), named.total], [ofNorth, 3], 'by both, each once');
    const pages = [await letters('?limit=4'), await letters('?limit=4&offset=4')];
    assert.deepEqual(
      pages.flatMap((page) => page.data.map(({ id }) => id)),
      data.map(({ id }) => id),
    );
    const both = await letters('?search=o&limit=4&offset=1');
    assert.deepEqual(
      both.data.map(({ id }) => id),
      data.slice(1, 5).map(({ id }) => id),
      'the newest of both webhooks',
    );
  });

  test('are searched by the names of 50 webhooks, and may be more if further names match', async () => {
    await using _service = service;
    for (let at = 0; at <= 50; at++) {
      const webhook = { name: `Branch ${at}`, topic: 'ACCOUNT', target_url: target.url };
      await service.api.create('/webhooks', webhook);
    }
    await runSql(
      service.settings.data_dir,
      `insert into deliveries (webhook_id, message_id, subtopic, status, body, enqueued_at, updated_at, attempts)
       select id, 'of-' || id, 'ACCOUNT_CREATED', 'DEAD_LETTERED', '{}', 1, 1, 1 from webhooks where name like 'Branch%'`,
    );
    const { total, total_is_lower_bound: isPartial } = await letters('?search=branch');
    assert.deepEqual([total, isPartial], [50, true]);
    assert.equal((await letters('?search=north')).total_is_lower_bound, false);
  });

  test('are redelivered in order within each webhook, and this ends even if the target keeps failing', async () => {
    await using _service = service;
    const first = await redeliver({});
    assert.deepEqual([first.done, first.remaining], [6, 0]);
    await until(() => target.requests.length === 12, 'all are sent again');
    for (const name of ['North', 'South']) {
      const sent = target.requests
        .filter((request) => request.path === `/${name}`)
        .map((request) => request.headers['webhook-id']);
      assert.deepEqual(sent.slice(3), sent.slice(0, 3));
    }
    await until(async () => (await letters()).total === 6, 'they fail again');
    const next = await redeliver({ until_dt: first.until_dt });
    assert.deepEqual([next.done, next.remaining], [0, 0], 'what failed later is not part of it');
  });

  test('of a clock that was set back since are redelivered as well', async () => {
    await using _service = service;
    const tomorrow = Date.now() + 86_400_000;
    await runSql(
      service.settings.data_dir,
      `update deliveries set updated_at = ? where status = 'DEAD_LETTERED' returning id`,
      tomorrow,
    );
    // Otherwise, messages of the first call could be dead letters again at the second.
    target.respondWith(answer(200));
    assert.equal((await redeliver({ webhook_id: ids.North })).done, 3);
    assert.equal((await redeliver({})).done, 3);
  });

  test('of inactive webhooks are not changed, and a request for them is rejected with the reason', async () => {
    await using _service = service;
    const record = (await service.api.get(`/webhooks/${ids.North}`)).body;
    await service.api.put(`/webhooks/${ids.North}`, { ...record, enabled: false });
    target.respondWith(answer(200));
    assert.equal(
      (await service.api.post('/ui/api/dead-letters/redeliver', { webhook_id: ids.North })).status,
      409,
    );
    const step = await redeliver({});
    assert.deepEqual([step.done, step.remaining], [3, 0]);
    await until(async () => (await letters()).total === 3, 'those of the other one arrive');
    assert.equal((await letters('?search=south')).total, 0);
    assert.equal((await letters()).data[0]!.webhook_enabled, false);
  });

  test('are counted up to 10,000, and redelivered in steps', async () => {
    await using _service = service;
    target.respondWith(answer(200));
    await runSql(
      service.settings.data_dir,
      `insert into deliveries (webhook_id, message_id, subtopic, status, body, enqueued_at, updated_at, attempts)
       with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 10050)
       select ${ids.North}, 'old-' || n, 'ACCOUNT_CREATED', 'DEAD_LETTERED', '{}', n, n, 1 from numbers`,
    );
    const { body } = await service.api.get('/ui/api/dead-letters?offset=10000&limit=10');
    assert.deepEqual(
      [body.total, body.total_is_lower_bound, body.data.length, body.data[0].message_id],
      [10_000, true, 10, 'old-56'],
    );
    assert.equal((await service.api.get('/ui/api/dead-letters?offset=10001')).status, 400);
    const step = await redeliver({});
    assert.deepEqual(
      [step.done, step.remaining, step.remaining_is_lower_bound],
      [500, 9_556, false],
      'a step at a time, of the first webhook',
    );
  });

  test('are listed with the person they are about, and filtered by contents and outcome', async () => {
    await using _service = service;
    const { data } = await letters(`?webhook_id=${ids.North}`);
    const names = data.map((letter) => (letter.about as { account: { name: string } }).account.name);
    assert.deepEqual(names, ['C', 'B', 'A']);
    const [c] = data as [Letter];
    const accountId = (c.about as { account: { id: number } }).account.id;
    const narrowed: [string, number][] = [
      [`?account_id=${accountId}`, 2],
      [`?account_id=${accountId}&webhook_id=${ids.North}`, 1],
      ['?account_id=999', 0],
      ['?learner_id=nobody', 0],
      ['?response_status=500', 6],
      ['?response_status=404', 0],
      ['?subtopic=ACCOUNT_CREATED', 6],
      ['?subtopic=ACCOUNT_DELETED', 0],
      [`?message_id=${c.message_id}`, 1],
      [`?from_dt=${encodeURIComponent(String(c.event_dt))}&webhook_id=${ids.North}`, 1],
      [`?until_dt=${encodeURIComponent(String(c.event_dt))}&webhook_id=${ids.North}`, 2],
      ['?search=south&response_status=500', 3],
    ];
    for (const [query, total] of narrowed) assert.equal((await letters(query)).total, total, query);
    const wrong = await service.api.get('/ui/api/dead-letters?from_dt=today&until_dt=tomorrow');
    assert.deepEqual(
      [wrong.status, wrong.body.errors.map(({ pointer }: { pointer: string }) => pointer)],
      [400, ['/query/from_dt', '/query/until_dt']],
    );
  });

  test('are searched beyond the newest 10,000 if a filter matches older ones, without a gap', async () => {
    await using _service = service;
    // Many were dead-lettered at the same moment.
    await runSql(
      service.settings.data_dir,
      `insert into deliveries (webhook_id, message_id, subtopic, status, body, enqueued_at, updated_at, attempts)
       with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 10050)
       select ${ids.North}, 'old-' || n, case when n = 3 then 'ACCOUNT_DELETED' else 'ACCOUNT_CREATED' end,
         'DEAD_LETTERED', '{}', n, n / 1000, 1 from numbers`,
    );
    for (const scope of ['', `&webhook_id=${ids.North}`, '&search=north']) {
      const newest = await letters(`?subtopic=ACCOUNT_DELETED${scope}`);
      assert.deepEqual([newest.data, newest.total, newest.total_is_lower_bound], [[], 0, true], scope);
      const older = await letters(`?subtopic=ACCOUNT_DELETED${scope}&cursor=${newest.next_cursor}`);
      assert.deepEqual(
        [older.data.map((letter) => letter.message_id), older.total, older.total_is_lower_bound],
        [['old-3'], 1, false],
        scope,
      );
      assert.equal(older.next_cursor, null, scope);
    }
    const first = await letters('?subtopic=ACCOUNT_CREATED&offset=9999');
    const rest = await letters(`?subtopic=ACCOUNT_CREATED&cursor=${first.next_cursor}`);
    assert.deepEqual([first.total, rest.total], [10_000, 55]);
    const [last, next] = [first.data[0]!, rest.data[0]!];
    assert.deepEqual([last.message_id, next.message_id], ['old-57', 'old-56']);
    const recent = await letters(
      `?subtopic=ACCOUNT_DELETED&from_dt=${encodeURIComponent('2020-01-01T00:00:00Z')}`,
    );
    assert.deepEqual([recent.total_is_lower_bound, recent.next_cursor], [false, null], 'none is older');
    assert.equal((await service.api.get('/ui/api/dead-letters?cursor=here')).status, 400);
  });

  test('that match a filter are redelivered or removed, for one webhook or all, and the others stay', async () => {
    await using _service = service;
    target.respondWith(answer(200));
    const { data } = await letters(`?webhook_id=${ids.North}`);
    const accountId = (data[0]!.about as { account: { id: number } }).account.id;
    const sent = await redeliver({ filter: { account_id: accountId } });
    assert.deepEqual([sent.done, sent.remaining, sent.next_cursor], [2, 0, null]);
    await until(() => target.requests.length === 8, 'both are sent');
    assert.equal((await letters()).total, 4);

    const remove = async (body: object) => await service.api.post('/ui/api/dead-letters/remove', body);
    const removed = await remove({ webhook_id: ids.South, filter: { response_status: [500] } });
    assert.deepEqual([removed.status, removed.body.done], [200, 2]);
    assert.deepEqual(
      (await letters()).data.map((letter) => letter.webhook_name),
      ['North', 'North'],
    );
    await service.api.delete(`/webhooks/${ids.North}`);
    assert.equal((await remove({})).body.done, 2, 'those of a deleted webhook can be removed, too');
    assert.equal((await letters()).total, 0);
    assert.equal(target.requests.length, 8, 'what is removed is not sent');
  });

  test('are redelivered step by step across all webhooks, each step continuing the one before', async () => {
    await using _service = service;
    target.respondWith(answer(200));
    await runSql(
      service.settings.data_dir,
      `insert into deliveries (webhook_id, message_id, subtopic, status, body, enqueued_at, updated_at, attempts)
       with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 700)
       select ${ids.North}, 'old-' || n, 'ACCOUNT_CREATED', 'DEAD_LETTERED', '{}', n, n, 1 from numbers`,
    );
    let step = await redeliver({});
    const steps = [[step.done, step.remaining]];
    while (step.next_cursor !== null) {
      step = await redeliver({ until_dt: step.until_dt, cursor: step.next_cursor });
      steps.push([step.done, step.remaining]);
    }
    assert.deepEqual(steps, [
      [500, 206],
      [206, 0],
    ]);
  });

  test('are redelivered or removed once by a step that is repeated with its key', async () => {
    await using _service = service;
    const step = async (action: string, body: object) => {
      const headers = { 'idempotency-key': `${action}-1` };
      return (await service.api.post(`/ui/api/dead-letters/${action}`, body, headers)).body;
    };
    const sent = await step('redeliver', { webhook_id: ids.North });
    assert.deepEqual([sent.done, sent.remaining], [3, 0]);
    await until(() => target.requests.length === 9, 'all of one webhook are sent again');
    await until(async () => (await letters()).total === 6, 'they fail again');
    assert.deepEqual(await step('redeliver', { webhook_id: ids.North }), sent);
    const removed = await step('remove', {});
    assert.deepEqual([removed.done, removed.remaining], [6, 0]);
    await service.api.create('/accounts', { name: 'Later' });
    await until(async () => (await letters()).total === 2, 'later ones are dead letters');
    assert.deepEqual(await step('remove', {}), removed);
    assert.equal((await letters()).total, 2);
    assert.equal(target.requests.length, 11);
  });

  test('are searched in one webhook at a time if a step has a key, because a search may read much', async () => {
    await using _service = service;
    const { about } = (await letters()).data[0]!;
    const filter = { account_id: (about as { account: { id: number } }).account.id };
    const step = async (key: string, body: object) =>
      (await service.api.post('/ui/api/dead-letters/remove', { filter, ...body }, { 'idempotency-key': key }))
        .body;
    const first = await step('first', {});
    assert.deepEqual([first.done, first.remaining], [1, 3]);
    const { until_dt, next_cursor: cursor } = first;
    const second = await step('second', { until_dt, cursor });
    assert.deepEqual([second.done, second.next_cursor], [1, null]);
    assert.equal((await letters()).total, 4);
  });

  test('are not redelivered by an invalid call', async () => {
    await using _service = service;
    const wrong = [
      { until_dt: 'yesterday' },
      { webhook: 1 },
      { webhook_id: 0 },
      { cursor: 'here' },
      { filter: { account: 1 } },
      { filter: { from_dt: 'today' } },
    ];
    for (const body of wrong) {
      for (const action of ['redeliver', 'remove'])
        assert.equal((await service.api.post(`/ui/api/dead-letters/${action}`, body)).status, 400);
    }
    assert.equal((await letters()).total, 6);
  });
});
