import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
// biome-ignore lint/correctness/noUndeclaredDependencies: the script installs it beside the generated client.
import createClient, { type Middleware } from 'openapi-fetch';
import type { components, paths } from './client/schema';

const { API = '', CLIENT_ID = '', CLIENT_SECRET = '', PACKAGE = '' } = process.env;
const client = createClient<paths>({ baseUrl: API });
const granted = await client.POST('/public/v1/auth', {
  body: { grant_type: 'client_credentials', client_id: CLIENT_ID, client_secret: CLIENT_SECRET },
  bodySerializer: (body) => new URLSearchParams(body as Record<string, string>),
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
});
const bearer: Middleware = {
  onRequest: ({ request }) => request.headers.set('authorization', `Bearer ${granted.data?.access_token}`),
};
client.use(bearer);

const created = await client.POST('/accounts', { body: { name: 'Northwind' } });
assert.ok(created.data);
const { id } = created.data;
const path = { account_id: id };
const read = await client.GET('/accounts/{account_id}', { params: { path } });
const tag = read.response.headers.get('etag') ?? '';
const change = (match: string) =>
  client.PUT('/accounts/{account_id}', {
    params: { path, header: { 'If-Match': match } },
    body: { name: 'Northwind Traders' },
  });
assert.equal((await change(tag)).data?.name, 'Northwind Traders');
const expectProblem = (problem: components['schemas']['Problem'] | undefined, status: number) => {
  assert.equal(problem?.status, status);
  assert.ok(problem.type.startsWith('urn:coursewire:problem:'));
};
expectProblem((await change(tag)).error, 412);
const invalid = await client.POST('/accounts', { body: { name: ' ' } });
expectProblem(invalid.error, 400);
assert.equal(invalid.error?.errors?.[0]?.pointer, '/name');
expectProblem(
  (await client.GET('/accounts/{account_id}', { params: { path: { account_id: 999_999 } } })).error,
  404,
);

const parent = await client.POST('/folders', { body: { name: 'Safety' } });
assert.ok(parent.data);
await client.POST('/folders', { body: { name: 'Fire', parent_id: parent.data.id } });
expectProblem(
  (await client.DELETE('/folders/{folder_id}', { params: { path: { folder_id: parent.data.id } } })).error,
  409,
);

for (const name of ['a', 'b', 'c']) await client.POST('/accounts', { body: { name } });
const seen = new Set<number>();
for (let cursor: string | null | undefined; cursor !== null; ) {
  const page = await client.GET('/accounts', {
    params: { query: { limit: 2, ...(cursor === undefined ? {} : { cursor }) } },
  });
  assert.ok(page.data);
  for (const account of page.data.data) seen.add(account.id);
  cursor = page.data.next_cursor;
}
assert.ok(seen.size >= 4 && seen.has(id));

const webhook = await client.POST('/webhooks', {
  body: {
    name: 'CRM',
    topic: 'REGISTRATION',
    target_url: 'http://127.0.0.1:9/',
    focus: [{ webhook_focus_type: 'ACCOUNT', webhook_focus_id: id }],
  },
});
assert.ok(webhook.data);
const ofWebhook = { webhook_id: webhook.data.id };
assert.equal(webhook.data.focus[0]?.webhook_focus_id, id);
const put = await client.PUT('/webhooks/{webhook_id}', {
  params: { path: ofWebhook, header: { 'If-Match': webhook.response.headers.get('etag') ?? '' } },
  // A record can be sent back as it was read.
  body: { ...webhook.data, name: 'CRM 2' },
});
assert.equal(put.data?.name, 'CRM 2');
const statistics = await client.GET('/webhooks/{webhook_id}/statistics', { params: { path: ofWebhook } });
assert.equal(statistics.data?.success_count, 0);
const tested = await client.POST('/webhooks/{webhook_id}/test', {
  params: { path: ofWebhook, query: { subtopic: 'REGISTRATION_STATUS_UPDATED' } },
});
const message = tested.data?.message;
assert.ok(message?.subtopic === 'REGISTRATION_STATUS_UPDATED');
assert.equal(typeof message.resource.registration.duration, 'number');

const form = (body: { file: string }) => {
  const data = new FormData();
  data.set('file', new Blob([readFileSync(body.file)]), 'course.zip');
  return data;
};
const course = await client.POST('/courses', { body: { file: PACKAGE }, bodySerializer: form });
assert.ok(course.data, JSON.stringify(course.error));
await client.POST('/accounts/{account_id}/content', {
  params: { path },
  body: { contents: [{ type: 'COURSE', id: course.data.id }] },
});
const registered = await client.POST('/registrations', {
  body: { account_id: id, course_id: course.data.id, learner_id: 'learner-1' },
});
assert.equal(registered.data?.score, null);

const events = await client.GET('/events', {
  params: { query: { subtopic: 'ACCOUNT_CREATED', account_id: id } },
});
assert.deepEqual(
  events.data?.data.map(({ account }) => account?.id),
  [id],
);
assert.ok(registered.data);
await client.POST('/registrations/{registration_id}/launch', {
  params: { path: { registration_id: registered.data.registration_id } },
});
const resourceOf = async (subtopic: 'CONTENT_ADDED_TO_ACCOUNT' | 'REGISTRATION_LAUNCHED') => {
  const found = await client.GET('/events', { params: { query: { subtopic, account_id: id } } });
  const event_id = found.data?.data[0]?.id ?? 0;
  return (await client.GET('/events/{event_id}', { params: { path: { event_id } } })).data?.resource;
};
const launched = await resourceOf('REGISTRATION_LAUNCHED');
assert.equal(launched?.registration?.learner_id, 'learner-1');
assert.equal(launched.content?.course?.id, course.data.id);
const added = await resourceOf('CONTENT_ADDED_TO_ACCOUNT');
assert.equal(added?.content?.folder?.contents[0]?.id, course.data.id);
const alert = await client.POST('/alerts', {
  body: {
    name: 'Dead letters',
    condition: 'MESSAGE_DEAD_LETTERED',
    target: { format: 'JSON', url: 'http://127.0.0.1:9/' },
  },
});
assert.ok(alert.data, JSON.stringify(alert.error));
const ofAlert = { alert_id: alert.data.id };
const alertTag = alert.response.headers.get('etag') ?? '';
const changeAlert = () =>
  client.PUT('/alerts/{alert_id}', {
    params: { path: ofAlert, header: { 'If-Match': alertTag } },
    // The record does not have the URL, and an update that omits it keeps it.
    body: { ...alert.data, enabled: false },
  });
assert.equal((await changeAlert()).data?.enabled, false);
expectProblem((await changeAlert()).error, 412);
assert.equal((await client.DELETE('/alerts/{alert_id}', { params: { path: ofAlert } })).response.status, 204);
expectProblem((await client.GET('/alerts/{alert_id}', { params: { path: ofAlert } })).error, 404);
const audited = await client.GET('/audit-log', {
  params: {
    query: { object_type: 'WEBHOOK', object_id: String(webhook.data.id), action: ['WEBHOOK_UPDATED'] },
  },
});
const renamed = audited.data?.data[0]?.changes.find(({ field }) => field === 'name');
assert.deepEqual([renamed?.before, renamed?.after], ['CRM', 'CRM 2']);

assert.equal(
  (await client.DELETE('/webhooks/{webhook_id}', { params: { path: ofWebhook } })).response.status,
  204,
);
assert.equal((await client.DELETE('/accounts/{account_id}', { params: { path } })).response.status, 204);
