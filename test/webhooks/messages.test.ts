import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Database } from '../../src/database/database.ts';
import { SUBTOPICS, type Subtopic, topicOf } from '../../src/events/catalogue.ts';
import type { EventOf, ServiceEvent } from '../../src/events/event.ts';
import { DatabaseQueue } from '../../src/queue/database/database-queue.ts';
import { WebhookPublisher } from '../../src/webhooks/events/webhook-publisher.ts';
import { openDatabaseOf } from '../support/database.ts';
import { MOMENT } from '../support/moment.ts';
import { type Api, CLIENT_EMAIL, startTestService, type TestService, until } from '../support/service.ts';
import { startTarget, type Target } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';
import { webhookInput } from './webhook-expectations.ts';

/** A name that a careless JSON writer would break. */
const NAME = 'Zoë "quoted" \\ back/slash </script> 🚒 \u2028\u2029 \u00a0%00 日本語';
const OCCURRED_AT = Date.UTC(2026, 0, 31, 9, 42, 10, 123);
const TIMESTAMP = '2026-01-31T09:42:10.123Z';

const account = { id: 12, name: NAME, enabled: true };
const course = {
  id: 7,
  name: NAME,
  version_id: 1,
  learning_standard: 'SCORM_2004_4TH_EDITION',
  location: 'Home > Safety > "A/B"',
};
const folder = {
  id: 3,
  name: NAME,
  location: 'Home > Safety',
  contents: [
    { type: 'EQUIVALENT' as const, id: 5, name: NAME },
    { type: 'COURSE' as const, id: 7, name: NAME },
  ],
};
const registration = {
  account_id: 12,
  registration_id: '0d0c8c4e',
  course_id: 7,
  learner_id: 'learner "4711"',
};

/** The events that the service publishes, by subtopic, each with the expected JSON text of `resource`, written manually. */
const EVENTS: { readonly [S in Subtopic]: { resource: EventOf<S>['resource']; json: string } } = (() => {
  const quoted = JSON.stringify(NAME);
  const accountJson = `{"id":12,"name":${quoted},"enabled":true}`;
  const courseJson = (version: number) =>
    `{"id":7,"name":${quoted},"version_id":${version},"learning_standard":"SCORM_2004_4TH_EDITION",` +
    `"location":"Home > Safety > \\"A/B\\""}`;
  const folderJson =
    `{"id":3,"name":${quoted},"location":"Home > Safety","contents":[` +
    `{"type":"EQUIVALENT","id":5,"name":${quoted}},{"type":"COURSE","id":7,"name":${quoted}}]}`;
  const bundleJson = `{"id":9,"name":${quoted},"location":"Home"}`;
  const registrationJson =
    '"account_id":12,"registration_id":"0d0c8c4e","course_id":7,"learner_id":"learner \\"4711\\""';
  return {
    ACCOUNT_CREATED: { resource: { account }, json: `{"account":${accountJson}}` },
    ACCOUNT_ACTIVATION_UPDATED: {
      resource: { account: { ...account, enabled: false } },
      json: `{"account":${accountJson.replace('true', 'false')}}`,
    },
    ACCOUNT_DELETED: { resource: { account }, json: `{"account":${accountJson}}` },
    CONTENT_ADDED_TO_ACCOUNT: {
      resource: { account, content: { folder } },
      json: `{"account":${accountJson},"content":{"folder":${folderJson}}}`,
    },
    CONTENT_REMOVED_FROM_ACCOUNT: {
      resource: { account, content: { course, folder, bundle: { id: 9, name: NAME, location: 'Home' } } },
      json: `{"account":${accountJson},"content":{"course":${courseJson(1)},"folder":${folderJson},"bundle":${bundleJson}}}`,
    },
    COURSE_IMPORTED: {
      resource: { content: { course: { ...course, version_id: 0 } } },
      json: `{"content":{"course":${courseJson(0)}}}`,
    },
    COURSE_VERSION_UPLOADED: {
      resource: { content: { course } },
      json: `{"content":{"course":${courseJson(1)}}}`,
    },
    COURSE_VERSION_PUBLISHED: {
      resource: { content: { course } },
      json: `{"content":{"course":${courseJson(1)}}}`,
    },
    REGISTRATION_LAUNCHED: {
      resource: { account, content: { course }, registration },
      json: `{"account":${accountJson},"content":{"course":${courseJson(1)}},"registration":{${registrationJson}}}`,
    },
    REGISTRATION_STATUS_UPDATED: {
      resource: {
        account,
        content: { course },
        registration: {
          ...registration,
          completion: 'Completed',
          success: 'PASS',
          score: 85.5,
          duration: 130,
          completion_dt: TIMESTAMP,
        },
      },
      json:
        `{"account":${accountJson},"content":{"course":${courseJson(1)}},"registration":{${registrationJson},` +
        `"completion":"Completed","success":"PASS","score":85.5,"duration":130,"completion_dt":"${TIMESTAMP}"}}`,
    },
  };
})();

describe('messages as targets receive them', () => {
  let service: TestService;
  let api: Api;
  let target: Target;
  let database: Database;
  let publisher: WebhookPublisher;

  before(async () => {
    target = await startTarget();
    // A short interval, because messages that another connection queues are found by polling.
    service = await startTestService({
      settings: { queue_polling_interval: 0.02, retry_initial_delay: 60, retry_max_delay: 60 },
    });
    api = service.api;
    database = await openDatabaseOf(service.settings.data_dir);
    const queue = new DatabaseQueue({ database, maxReceives: 1_000, now: () => OCCURRED_AT });
    publisher = new WebhookPublisher({ queue, onPublished: () => {}, now: () => OCCURRED_AT });
  });
  after(async () => {
    await database[Symbol.asyncDispose]();
    await service.stop();
    await target.close();
  });

  const publish = (event: ServiceEvent) => database.transaction((tx) => publisher.publish(tx, event));
  const eventOf = (subtopic: Subtopic, user = CLIENT_EMAIL) =>
    ({
      subtopic,
      user,
      resource: EVENTS[subtopic].resource,
      accountId: 12,
      content: [],
    }) as ServiceEvent;
  const receivedAt = (place: string) => target.requests.filter((request) => request.path === place);

  for (const subtopic of SUBTOPICS) {
    test(`${subtopic}: every member in the documented order, to the last byte`, async () => {
      const place = `/${subtopic}?a=b&c="d`;
      const targetUrl = target.url + place;
      const webhook = await api.create(
        '/webhooks',
        webhookInput({
          name: NAME,
          topic: topicOf(subtopic),
          subtopics: [subtopic],
          target_url: targetUrl,
          max_attempts: 7,
        }),
      );
      await publish(eventOf(subtopic));
      await target.waitFor((requests) => requests.some(({ path }) => path.startsWith(`/${subtopic}?`)));
      const [received] = target.requests.filter((request) => request.path.startsWith(`/${subtopic}?`));
      assert.equal(
        received?.text,
        `{"subscription_id":${webhook.id},"name":${JSON.stringify(NAME)},"topic":"${topicOf(subtopic)}",` +
          `"subtopic":"${subtopic}","resource":${EVENTS[subtopic].json},"user":"${CLIENT_EMAIL}",` +
          `"timestamp":"${TIMESTAMP}","target_url":${JSON.stringify(targetUrl)},` +
          `"logging_mode":"FULL_ON_ERROR","max_attempts":7}`,
      );
      assert.equal(received?.headers['content-length'], String(received?.body.length));
      await api.delete(`/webhooks/${webhook.id}`);
    });
  }

  test('the bytes on the queue are the bytes of each attempt and of the history', async () => {
    target.respondWith(answer(503));
    const webhook = await api.create(
      '/webhooks',
      webhookInput({ name: NAME, target_url: `${target.url}/bytes` }),
    );
    await publish(eventOf('ACCOUNT_CREATED', NAME));
    await target.waitFor(() => receivedAt('/bytes').length === 1);
    const [queued] = await database.reader.all<{ body: string; message_id: string }>(
      'select stored_body as body, message_id from queue_messages where line_id = ?',
      webhook.id,
    );
    target.respondWith(answer(200));
    await until(async () => {
      const { status } = await api.post(`/webhooks/${webhook.id}/line/retry`);
      return status === 200;
    }, 'the failure is settled, and the message is due again');
    await target.waitFor(() => receivedAt('/bytes').length === 2);
    const bytes = Buffer.from(queued?.body ?? '', 'utf8');
    for (const request of receivedAt('/bytes')) {
      assert.ok(request.body.equals(bytes), request.text);
      assert.equal(request.headers['webhook-id'], queued?.message_id);
    }
    assert.equal((JSON.parse(queued?.body ?? '') as { user: string }).user, NAME);
    const delivery = await until(async () => {
      const { body } = await api.get(`/webhooks/${webhook.id}/deliveries`);
      return body.data[0]?.status === 'DELIVERED' && body.data[0];
    }, 'the delivery is recorded');
    const { body } = await api.get(`/webhooks/${webhook.id}/deliveries/${delivery.id}`);
    assert.deepEqual(body.message, JSON.parse(queued?.body ?? ''));
    await api.delete(`/webhooks/${webhook.id}`);
  });

  test('logging_mode is spelled as messages spell it', async () => {
    const spelled = { NONE: 'NONE', SUMMARY: 'SUMMARY', FULL: 'FULL', FULLONERROR: 'FULL_ON_ERROR' };
    const ids: number[] = [];
    for (const logging_mode of Object.keys(spelled)) {
      ids.push(
        (
          await api.create(
            '/webhooks',
            webhookInput({ logging_mode, target_url: `${target.url}/mode/${logging_mode}` }),
          )
        ).id,
      );
    }
    await publish(eventOf('ACCOUNT_DELETED'));
    for (const [logging_mode, expected] of Object.entries(spelled)) {
      await target.waitFor(() => receivedAt(`/mode/${logging_mode}`).length === 1);
      const message = receivedAt(`/mode/${logging_mode}`)[0]?.json as { logging_mode: string };
      assert.equal(message.logging_mode, expected);
    }
    for (const id of ids) await api.delete(`/webhooks/${id}`);
  });

  test('events of accounts through the API have the right time and caller', async () => {
    const webhook = await api.create('/webhooks', webhookInput({ target_url: `${target.url}/accounts` }));
    const created = await api.create('/accounts', { name: NAME });
    const touched = `/accounts/${created.id}`;
    await api.put(touched, { name: NAME, enabled: true });
    await api.put(touched, { name: 'Renamed', enabled: true });
    await api.put(touched, { name: 'Renamed', enabled: false });
    await api.put(touched, { name: 'Renamed', enabled: false });
    await api.put(touched, { name: 'Again', enabled: true });
    await api.delete(touched);
    await target.waitFor(() => receivedAt('/accounts').length === 4);
    const expected = [
      ['ACCOUNT_CREATED', NAME, true],
      ['ACCOUNT_ACTIVATION_UPDATED', 'Renamed', false],
      ['ACCOUNT_ACTIVATION_UPDATED', 'Again', true],
      ['ACCOUNT_DELETED', 'Again', true],
    ] as const;
    const moments: string[] = [];
    for (const [index, [subtopic, name, enabled]] of expected.entries()) {
      const request = receivedAt('/accounts')[index]!;
      const { timestamp } = request.json as { timestamp: string };
      moments.push(timestamp);
      assert.match(timestamp, MOMENT);
      assert.equal(
        request.text,
        `{"subscription_id":${webhook.id},"name":"Accounts","topic":"ACCOUNT","subtopic":"${subtopic}",` +
          `"resource":{"account":{"id":${created.id},"name":${JSON.stringify(name)},"enabled":${enabled}}},` +
          `"user":"${CLIENT_EMAIL}","timestamp":"${timestamp}","target_url":"${target.url}/accounts",` +
          `"logging_mode":"FULL_ON_ERROR","max_attempts":10}`,
      );
    }
    assert.ok(moments[0]! >= created.created_dt);
    assert.deepEqual(moments, moments.toSorted());
    await api.delete(`/webhooks/${webhook.id}`);
  });

  test('a change that is rolled back leaves no message, and an edited webhook gets the next one as edited', async () => {
    const webhook = await api.create('/webhooks', webhookInput({ target_url: `${target.url}/rolled-back` }));
    const undone = database.transaction(async (tx) => {
      await publisher.publish(tx, eventOf('ACCOUNT_CREATED'));
      throw new Error('undone');
    });
    await assert.rejects(undone, /undone/);
    await api.put(`/webhooks/${webhook.id}`, { ...webhook, name: 'Edited' });
    await publish(eventOf('ACCOUNT_DELETED'));
    await target.waitFor(() => receivedAt('/rolled-back').length === 1);
    const message = receivedAt('/rolled-back')[0]?.json as { name: string; subtopic: string };
    assert.deepEqual([message.name, message.subtopic], ['Edited', 'ACCOUNT_DELETED']);
    await api.delete(`/webhooks/${webhook.id}`);
  });
});
