import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DAY_MS } from '../../src/time/units.ts';
import { launch, makeParties, register } from '../content/registration-helpers.ts';
import {
  createAccounts,
  createWebhook,
  settledDeliveries,
  updateWebhook,
} from '../delivery/webhook-helpers.ts';
import { aroundTests } from '../support/around-tests.ts';
import { historyCleaner } from '../support/cleaner.ts';
import { countRows, openDatabaseOf } from '../support/database.ts';
import { readWhole } from '../support/each-page.ts';
import {
  type Api,
  CLIENT_EMAIL,
  startTestService,
  type TestService,
  temporaryFolder,
} from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';
import { assertInvalid, assertProblem, webhookInput } from './webhook-expectations.ts';

/** An event as in a response of the API. */
interface EventRecord {
  id: number;
  subtopic: string;
  event_dt: string;
  matched_webhooks: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into members of every shape.
  [member: string]: any;
}

/** The events of a query, newest first, page by page. */
async function eventsOf(api: Api, query: Record<string, string> = {}, limit = 200): Promise<EventRecord[]> {
  const asked = new URLSearchParams({ ...query, limit: `${limit}` });
  return await readWhole((page) => api.get(page), `/events?${asked}`);
}

/** The outcomes of an event for each webhook. */
async function webhooksOf(api: Api, eventId: number, query = '') {
  const { status, body } = await api.get(`/events/${eventId}/webhooks${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

describe('the event log', () => {
  let service: TestService;
  let registrationId: string;
  let parties: { account_id: number; course_id: number };

  aroundTests(async (parts) => {
    service = parts.use(await startTestService({ settings: { enable_queue_polling: false } }));
    parties = await makeParties(service, { account: 'Northwind', course: 'Fire safety' });
    const registration = await register(service, parties, 'ada');
    registrationId = registration.registration_id;
    const page = await fetch(await launch(service, registrationId));
    assert.equal(page.status, 200);
    await page.text();
    const status = await service.api.put(`/registrations/${registrationId}/status`, {
      completion: 'Completed',
      success: 'UNKNOWN',
    });
    assert.equal(status.status, 200, JSON.stringify(status.body));
    await service.api.create('/accounts', { name: 'Southwind' });
  });

  test('has every event with its kind, subject, user and time, even if no webhook matched', async () => {
    const events = await eventsOf(service.api);
    const [created, completed, launched, imported, first] = events;
    assert.deepEqual(
      events.map(({ subtopic }) => subtopic),
      [
        'ACCOUNT_CREATED',
        'REGISTRATION_STATUS_UPDATED',
        'REGISTRATION_LAUNCHED',
        'COURSE_IMPORTED',
        'ACCOUNT_CREATED',
      ],
    );
    const { id, event_dt, ...rest } = completed!;
    assert.deepEqual(rest, {
      topic: 'REGISTRATION',
      subtopic: 'REGISTRATION_STATUS_UPDATED',
      user: CLIENT_EMAIL,
      account: { id: parties.account_id, name: 'Northwind' },
      content: [{ type: 'COURSE', id: parties.course_id, name: 'Fire safety' }],
      content_count: 1,
      registration_id: registrationId,
      learner_id: 'ada',
      matched_webhooks: 0,
      replayed_webhooks: 0,
    });
    assert.equal(launched!.user, 'ada');
    assert.deepEqual([created!.account.name, first!.account.name], ['Southwind', 'Northwind']);
    assert.equal(imported!.account, null);
    const { body } = await service.api.get(`/events/${id}`);
    assert.equal(body.event_dt, event_dt);
    assert.equal(body.resource.registration.completion, 'Completed');
    assert.deepEqual(Object.keys(body.resource), ['account', 'content', 'registration']);
  });

  test('can be searched by each member and by several', async () => {
    const events = await eventsOf(service.api);
    const [created, completed, launched, imported, first] = events.map(({ id }) => id);
    const searches: [Record<string, string>, (number | undefined)[]][] = [
      [{ learner_id: 'ada' }, [completed, launched]],
      [{ learner_id: 'ad' }, []],
      [{ registration_id: registrationId }, [completed, launched]],
      [{ registration_id: registrationId.toUpperCase() }, [completed, launched]],
      [{ account_id: `${parties.account_id}` }, [completed, launched, first]],
      [{ course_id: `${parties.course_id}` }, [completed, launched, imported]],
      [{ bundle_id: `${parties.course_id}` }, []],
      [{ subtopic: 'ACCOUNT_CREATED' }, [created, first]],
      [{ user: 'ada' }, [launched]],
      [{ user: CLIENT_EMAIL, account_id: `${parties.account_id}` }, [completed, first]],
      [{ learner_id: 'ada', subtopic: 'ACCOUNT_CREATED' }, []],
      [{ from_dt: events[2]!.event_dt, to_dt: events[1]!.event_dt }, [launched]],
      [{ from_dt: events[0]!.event_dt }, [created]],
      [{ to_dt: '2001-01-01T00:00:00Z' }, []],
    ];
    for (const [query, expected] of searches) {
      for (const limit of [1, 2, 200]) {
        const found = await eventsOf(service.api, query, limit);
        assert.deepEqual(
          found.map(({ id }) => id),
          expected,
          `${JSON.stringify(query)} by ${limit}`,
        );
      }
    }
  });

  test('rejects invalid searches', async () => {
    const { api } = service;
    assertInvalid(await api.get('/events?from_dt=yesterday&to_dt=2026-01-01'), [
      '/query/from_dt',
      '/query/to_dt',
    ]);
    assertInvalid(await api.get('/events?cursor=!'), ['/query/cursor']);
    assertInvalid(await api.get('/events?account_id=x&subtopic=Y&learner_id='), [
      '/query/account_id',
      '/query/subtopic',
      '/query/learner_id',
    ]);
    assertProblem(await api.get('/events/999999'), 404, 'not-found');
    assertProblem(await api.get('/events/999999/webhooks'), 404, 'not-found');
    assert.deepEqual((await api.get('/events?message_id=x')).body.data, []);
  });
});

describe('the outcome of an event', () => {
  test('shows for each webhook the status of its message, or why it got none', async () => {
    await using target = await startTarget();
    target.respondWith(answer(500));
    using folder = temporaryFolder();
    let ids: Record<string, number>;
    {
      await using service = await startTestService({
        dataDir: folder.path,
        settings: { enable_queue_polling: false },
      });
      const { api } = service;
      const { id: account } = await api.create('/accounts', { name: 'Focused' });
      const focus = [{ webhook_focus_type: 'ACCOUNT', webhook_focus_id: account }];
      ids = {
        matching: await createWebhook(api, target.url, { name: 'Matching', max_attempts: 1 }),
        inactive: await createWebhook(api, target.url, { name: 'Inactive', enabled: false }),
        courses: await createWebhook(api, target.url, { name: 'Courses', topic: 'COURSE' }),
        deletions: await createWebhook(api, target.url, {
          name: 'Deletions',
          subtopics: ['ACCOUNT_DELETED'],
        }),
        focused: await createWebhook(api, target.url, { name: 'Focused', focus }),
        activated: await createWebhook(api, target.url, { name: 'Activated', enabled: false }),
        deleted: await createWebhook(api, target.url, { name: 'Deleted' }),
        paused: await createWebhook(api, target.url, { name: 'Paused', topic: 'COURSE' }),
        refocused: await createWebhook(api, target.url, { name: 'Refocused', focus }),
        rechosen: await createWebhook(api, target.url, { name: 'Rechosen', topic: 'COURSE' }),
      };
      assert.equal((await api.delete(`/webhooks/${ids.deleted}`)).status, 204);
      await api.put(`/accounts/${account}`, { name: 'Focused', enabled: false });
      const { id: other } = await api.create('/accounts', { name: 'Other' });
      await api.put(`/accounts/${other}`, { name: 'Other', enabled: false });
      await updateWebhook(api, ids.activated!, target.url, { name: 'Activated' });
      const pausable = { name: 'Paused and renamed', topic: 'COURSE', max_attempts: 3 };
      await updateWebhook(api, ids.paused!, target.url, { ...pausable, paused: true });
      await updateWebhook(api, ids.paused!, target.url, pausable);
      const elsewhere = [{ webhook_focus_type: 'ACCOUNT', webhook_focus_id: other + 1 }];
      const refocused = { name: 'Refocused', focus: elsewhere };
      await updateWebhook(api, ids.refocused!, target.url, refocused);
      await updateWebhook(api, ids.refocused!, target.url, { ...refocused, paused: true });
      const rechosen = { name: 'Rechosen', topic: 'COURSE', subtopics: ['COURSE_IMPORTED'] };
      await updateWebhook(api, ids.rechosen!, target.url, rechosen);
      ids.later = await createWebhook(api, target.url, { name: 'Later' });

      const [event] = await eventsOf(api);
      assert.equal(event!.matched_webhooks, 1);
      const all = await webhooksOf(api, event!.id);
      const listed = all.map((each: Record<string, unknown>) => [
        each.name,
        each.via ?? each.reason,
        each.configuration_changed,
      ]);
      assert.deepEqual(listed, [
        ['Matching', 'MATCH', false],
        ['Inactive', 'INACTIVE', false],
        ['Courses', 'OTHER_TOPIC', false],
        ['Deletions', 'SUBTOPIC_NOT_CHOSEN', false],
        ['Focused', 'OUT_OF_FOCUS', false],
        ['Activated', 'CONFIGURATION_CHANGED', true],
        ['Paused and renamed', 'OTHER_TOPIC', false],
        ['Refocused', 'OUT_OF_FOCUS', true],
        ['Rechosen', 'OTHER_TOPIC', true],
        ['Later', 'CREATED_LATER', false],
      ]);
      assert.deepEqual(
        [all[0].message.status, all[0].message.attempts, all[0].message.delivery_id],
        ['WAITING', 0, null],
      );
      assert.equal(all[1].message, null);
      const matched = await webhooksOf(api, event!.id, '?got_message=true&limit=1');
      assert.deepEqual(
        matched.map(({ name }: { name: string }) => name),
        ['Matching'],
      );
      const others = await webhooksOf(api, event!.id, '?got_message=false');
      assert.equal(others.length, 9);
      const one = async (query: string) =>
        (await webhooksOf(api, event!.id, query)).map(({ name }: { name: string }) => name);
      assert.deepEqual(await one(`?webhook_id=${ids.refocused}`), ['Refocused']);
      assert.deepEqual(await one(`?webhook_id=${ids.matching}&got_message=true&limit=1`), ['Matching']);
      assert.deepEqual(await one(`?webhook_id=${ids.matching}&got_message=false`), []);
      assert.deepEqual(await one(`?webhook_id=${ids.later! + 1}`), []);
    }

    await using service = await startTestService({ dataDir: folder.path });
    const { api } = service;
    const [dead] = (await settledDeliveries(api, ids.matching!, 3)).slice(-1);
    const [event] = await eventsOf(api, { message_id: dead!.message_id });
    const inCapitals = await eventsOf(api, { message_id: dead!.message_id.toUpperCase() });
    assert.deepEqual(inCapitals, [event]);
    const [first] = await webhooksOf(api, event!.id, '?got_message=true');
    assert.deepEqual(
      [
        first.message.message_id,
        first.message.status,
        first.message.status_reason,
        first.message.response_status,
      ],
      [dead!.message_id, 'DEAD_LETTERED', 'ATTEMPTS_EXHAUSTED', 500],
    );
    assert.equal(first.message.delivery_id, dead!.id);
    const received = target.requests.find(({ headers }) => headers['webhook-id'] === dead!.message_id);
    const { resource, subtopic, timestamp, user } = received!.json as Record<string, unknown>;
    const { body } = await api.get(`/events/${event!.id}`);
    assert.deepEqual(
      [body.subtopic, body.event_dt, body.user, body.resource],
      [subtopic, timestamp, user, resource],
    );
  });

  test('is kept while the webhooks service is disabled', async () => {
    using folder = temporaryFolder();
    {
      await using service = await startTestService({ dataDir: folder.path });
      await service.api.create('/webhooks', webhookInput());
    }
    await using service = await startTestService({
      dataDir: folder.path,
      settings: { enable_webhooks_service: false },
    });
    await createAccounts(service.api, 'Silent');
    const [event] = await eventsOf(service.api);
    assert.equal(event!.account.name, 'Silent');
    const [webhook] = await webhooksOf(service.api, event!.id);
    assert.deepEqual([webhook.reason, webhook.message], ['SERVICE_DISABLED', null]);
  });
});

describe('old events', () => {
  test('are removed with the history in limited steps, with their blocks, except parts that waiting messages share', async () => {
    await using service = await startTestService({ settings: { enable_queue_polling: false } });
    const { api } = service;
    for (let n = 0; n < 60; n++) await api.create('/webhooks', webhookInput({ name: `Webhook ${n}` }));
    await createAccounts(api, ...Array.from({ length: 5 }, (_, n) => `${n}`.padEnd(200, 'n')));
    await using database = await openDatabaseOf(service.settings.data_dir);
    const countOf = (table: string) => countRows(database, table);
    const clean = async (days: number) => {
      await using cleaner = historyCleaner(database, { now: () => Date.now() + days * DAY_MS });
      await cleaner.cleanOnce();
    };
    await clean(29);
    assert.deepEqual([await countOf('events'), await countOf('shared_bodies')], [5, 5]);
    await clean(31);
    assert.deepEqual([await countOf('events'), await countOf('event_blocks')], [0, 0]);
    assert.equal(await countOf('shared_bodies'), 5, 'messages still wait');
    await createAccounts(api, 'next');
    const [next] = await eventsOf(api);
    assert.ok(next!.id > 5, 'ids are not used again');
  });
});
