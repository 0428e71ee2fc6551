import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { cmi5Package } from '../support/course-packages.ts';
import { MOMENT } from '../support/moment.ts';
import { type Api, CLIENT_EMAIL, startTestService, type TestService } from '../support/service.ts';
import type { Target } from '../support/target.ts';
import { targetOfEachTest } from '../support/target-of-each-test.ts';
import { importCourse, uploadForm } from './packages.ts';
import {
  give,
  launch,
  makeBundle,
  makeEquivalent,
  makeParties,
  register,
  takeAll,
} from './registration-helpers.ts';

interface Message {
  subtopic: string;
  user: string;
  timestamp: string;
  subscription_id: number;
  resource: {
    registration: { registration_id: string; learner_id: string; score: number | null; completion: string };
  };
}

describe('events of registrations', () => {
  let service: TestService;
  let api: Api;
  let target: Target;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    api = service.api;
  });
  targetOfEachTest(
    () => api,
    (started) => {
      target = started;
    },
  );

  async function createWebhook(configuration: Record<string, unknown> = {}): Promise<{ id: number }> {
    return await api.create('/webhooks', {
      name: 'Registrations',
      topic: 'REGISTRATION',
      target_url: target.url,
      ...configuration,
    });
  }

  async function putStatus(id: string, status: Record<string, unknown>): Promise<void> {
    const { status: code, body } = await api.put(`/registrations/${id}/status`, status);
    assert.equal(code, 200, JSON.stringify(body));
  }

  const messages = () => target.requests.map(({ json }) => json as Message);

  /** Waits for a marker of another webhook. Until then, everything that a focus matches has arrived. */
  async function subtopicsBefore(marker: string): Promise<[string, number | null][]> {
    await target.waitFor((requests) => requests.some(({ text }) => text.includes(marker)));
    return messages()
      .filter(({ resource }) => resource.registration.learner_id !== marker)
      .map(({ subtopic, resource }) => [subtopic, resource.registration.score ?? null]);
  }

  async function sendMarker(parties: { account_id: number; course_id: number }): Promise<string> {
    const marker = `marker-${parties.account_id}-${parties.course_id}`;
    await launch(service, (await register(service, parties, marker)).registration_id);
    return marker;
  }

  it('report the first launch, by the learner', async () => {
    const webhook = await createWebhook();
    const folder = await api.create('/folders', { name: 'Safety' });
    const { id: accountId } = await api.create('/accounts', { name: 'Northwind “Ltd”' });
    const { id: courseId } = await importCourse(service, { name: 'Fire', folder_id: String(folder.id) });
    await give(service, accountId, 'FOLDER', folder.id);
    const { registration_id: id } = await register(
      service,
      { account_id: accountId, course_id: courseId },
      'ann@example.com',
    );
    // A version that is published later is not the one that this learner launched.
    await api.post(`/courses/${courseId}/versions`, uploadForm(new Uint8Array(await cmi5Package())));
    await api.post(`/courses/${courseId}/versions/1/publish`);
    await launch(service, id);
    await target.waitFor(1);
    const { text } = target.requests[0]!;
    const [{ timestamp }] = messages() as [Message];
    assert.ok(timestamp >= (await api.get(`/registrations/${id}`)).body.launched_dt);
    assert.equal(
      text,
      JSON.stringify({
        subscription_id: webhook.id,
        name: 'Registrations',
        topic: 'REGISTRATION',
        subtopic: 'REGISTRATION_LAUNCHED',
        resource: {
          account: { id: accountId, name: 'Northwind “Ltd”', enabled: true },
          content: {
            course: {
              id: courseId,
              name: 'Fire',
              version_id: 0,
              learning_standard: 'SCORM_12',
              location: 'Home > Safety',
            },
          },
          registration: {
            account_id: accountId,
            registration_id: id,
            course_id: courseId,
            learner_id: 'ann@example.com',
          },
        },
        user: 'ann@example.com',
        timestamp,
        target_url: target.url,
        logging_mode: 'FULL_ON_ERROR',
        max_attempts: 10,
      }),
    );
  });

  it('report an updated status, by the API client, with all its members', async () => {
    const webhook = await createWebhook({ subtopics: ['REGISTRATION_STATUS_UPDATED'] });
    const parties = await makeParties(service);
    const { registration_id: id } = await register(service, parties);
    await putStatus(id, { completion: 'Incomplete', success: 'UNKNOWN' });
    await putStatus(id, {
      completion: 'Completed',
      success: 'PASS',
      score: 87.5,
      duration: 130,
      completion_dt: '2026-01-31T10:42:10+01:00',
    });
    await target.waitFor(2);
    const expected = [
      { completion: 'Incomplete', success: 'UNKNOWN', score: null, duration: 0, completion_dt: null },
      {
        completion: 'Completed',
        success: 'PASS',
        score: 87.5,
        duration: 130,
        completion_dt: '2026-01-31T09:42:10.000Z',
      },
    ];
    for (const [index, status] of expected.entries()) {
      const { timestamp } = messages()[index]!;
      assert.match(timestamp, MOMENT);
      assert.equal(
        target.requests[index]?.text,
        JSON.stringify({
          subscription_id: webhook.id,
          name: 'Registrations',
          topic: 'REGISTRATION',
          subtopic: 'REGISTRATION_STATUS_UPDATED',
          resource: {
            account: { id: parties.account_id, name: 'Northwind', enabled: true },
            content: {
              course: {
                id: parties.course_id,
                name: 'Fire safety',
                version_id: 0,
                learning_standard: 'SCORM_12',
                location: 'Home',
              },
            },
            registration: {
              account_id: parties.account_id,
              registration_id: id,
              course_id: parties.course_id,
              learner_id: 'learner-4711',
              ...status,
            },
          },
          user: CLIENT_EMAIL,
          timestamp,
          target_url: target.url,
          logging_mode: 'FULL_ON_ERROR',
          max_attempts: 10,
        }),
      );
    }
  });

  it('report only one launch when a registration is launched many times, even at the same time', async () => {
    await createWebhook();
    const parties = await makeParties(service);
    const { registration_id: id } = await register(service, parties);
    await Promise.all(Array.from({ length: 10 }, () => launch(service, id)));
    const { launched_dt } = (await api.get(`/registrations/${id}`)).body;
    await launch(service, id);
    const again = await api.get(`/registrations/${id}`);
    assert.deepEqual([again.body.launched_dt, again.headers.get('etag')], [launched_dt, '"2"']);
    const marker = await sendMarker(parties);
    assert.deepEqual(await subtopicsBefore(marker), [['REGISTRATION_LAUNCHED', null]]);
  });

  it('report changes of completion, success and score, and of nothing else', async () => {
    await createWebhook();
    const parties = await makeParties(service);
    const { registration_id: id } = await register(service, parties);
    const unknown = { completion: 'Unknown', success: 'UNKNOWN' };
    await putStatus(id, unknown);
    await putStatus(id, { ...unknown, duration: 60 });
    await putStatus(id, { ...unknown, duration: 60, completion_dt: '2026-01-31T09:42:10Z' });
    assert.equal((await api.get(`/registrations/${id}`)).headers.get('etag'), '"3"');
    await putStatus(id, { ...unknown, score: 1 });
    await putStatus(id, { ...unknown, score: 1, duration: 90 });
    await putStatus(id, { ...unknown, success: 'FAIL', score: 1 });
    await putStatus(id, { completion: 'Completed', success: 'FAIL', score: 1 });
    await putStatus(id, { completion: 'Completed', success: 'FAIL', score: 1 });
    await putStatus(id, { completion: 'Completed', success: 'FAIL', score: 0 });
    await putStatus(id, { completion: 'Completed', success: 'FAIL' });
    const deleted = await register(service, parties);
    await api.delete(`/registrations/${deleted.registration_id}`);
    const marker = await sendMarker(parties);
    assert.deepEqual(
      await subtopicsBefore(marker),
      [1, 1, 1, 0, null].map((score) => ['REGISTRATION_STATUS_UPDATED', score]),
    );
  });

  it('do not report rejected requests', async () => {
    await createWebhook();
    const parties = await makeParties(service);
    const { registration_id: id } = await register(service, parties);
    const status = { completion: 'Completed', success: 'PASS' };
    const stale = await api.put(`/registrations/${id}/status`, status, { 'If-Match': '"9"' });
    const invalid = await api.put(`/registrations/${id}/status`, { ...status, score: 101 });
    await takeAll(service, parties.account_id);
    const notHeld = await api.post(`/registrations/${id}/launch`);
    assert.deepEqual([stale.status, invalid.status, notHeld.status], [412, 400, 409]);
    await give(service, parties.account_id, 'COURSE', parties.course_id);
    assert.deepEqual(await subtopicsBefore(await sendMarker(parties)), []);
  });

  it('are in the order of the changes if these are made at the same time', async () => {
    await createWebhook();
    const { registration_id: id } = await register(service, await makeParties(service));
    const scores = Array.from({ length: 20 }, (_, index) => Math.floor(index / 2));
    const answers = await Promise.all(
      scores.map((score) =>
        api.put(`/registrations/${id}/status`, { completion: 'Unknown', success: 'UNKNOWN', score }),
      ),
    );
    const revision = (answer: (typeof answers)[number]) => Number(answer.headers.get('etag')?.slice(1, -1));
    const byRevision = new Map(answers.map((answer) => [revision(answer), answer.body.score]));
    const changes = [...byRevision].sort(([a], [b]) => a - b).map(([, score]) => score);
    await target.waitFor(changes.length);
    const published = messages().map(({ resource }) => resource.registration.score);
    assert.deepEqual(published, changes);
    assert.equal(published.at(-1), (await api.get(`/registrations/${id}`)).body.score);
  });

  it('match a focus on the account, the course, and everything that contains the course', async () => {
    const folder = await api.create('/folders', { name: 'Focused' });
    const parties = { account_id: (await api.create('/accounts', { name: 'A' })).id, course_id: 0 };
    parties.course_id = (await importCourse(service, { folder_id: String(folder.id) })).id;
    await give(service, parties.account_id, 'COURSE', parties.course_id);
    const upper = await api.create('/folders', { name: 'Of the equivalent' });
    const equivalent = await makeEquivalent(service, parties.course_id, upper.id);
    const holders = [
      ['ACCOUNT', parties.account_id],
      ['COURSE', parties.course_id],
      ['EQUIVALENT', equivalent],
      ['BUNDLE', await makeBundle(service, 'COURSE', parties.course_id)],
      ['BUNDLE', await makeBundle(service, 'EQUIVALENT', equivalent)],
      ['FOLDER', folder.id],
      ['FOLDER', upper.id],
      ['FOLDER', 1],
    ] as const;
    const other = await makeParties(service, { account: 'Other', course: 'Other' });
    const others = [
      ['ACCOUNT', other.account_id],
      ['COURSE', other.course_id],
      ['EQUIVALENT', await makeEquivalent(service, other.course_id)],
      ['BUNDLE', await makeBundle(service, 'COURSE', other.course_id)],
      ['FOLDER', (await api.create('/folders', { name: 'Elsewhere' })).id],
    ] as const;
    const webhookOf = async (...focuses: (readonly [string, number])[]) => {
      const focus = focuses.map(([type, id]) => ({ webhook_focus_type: type, webhook_focus_id: id }));
      return (await createWebhook({ focus })).id;
    };
    const reached: number[] = [];
    for (const each of holders) reached.push(await webhookOf(each));
    const [account, ...content] = holders;
    for (const each of content) reached.push(await webhookOf(account, each));
    reached.push(await webhookOf(account, others[0]!, others[1]!, content[0]!));
    for (const each of others) await webhookOf(each);
    // Both kinds must match.
    await webhookOf(account, others[1]!);
    await webhookOf(others[0]!, content[0]!);

    const { registration_id: id } = await register(service, parties);
    await launch(service, id);
    await putStatus(id, { completion: 'Completed', success: 'PASS' });
    const expected = reached.flatMap((webhook) => [
      `${webhook} REGISTRATION_LAUNCHED`,
      `${webhook} REGISTRATION_STATUS_UPDATED`,
    ]);
    // A webhook without a focus is the last one to get an event's message, so it is the marker.
    const all = await createWebhook();
    await launch(service, (await register(service, parties, 'marker')).registration_id);
    await target.waitFor((requests) =>
      requests.some(({ text }) => text.includes(`"subscription_id":${all.id}`)),
    );
    await target.waitFor(expected.length + reached.length + 1);
    const published = messages()
      .filter(({ resource }) => resource.registration.registration_id === id)
      .map(({ subscription_id, subtopic }) => `${subscription_id} ${subtopic}`);
    assert.deepEqual(published.sort(), expected.sort());
    assert.equal(target.requests.length, expected.length + reached.length + 1);
  });
});
