import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as api from './client';
import { client } from './client/client.gen';

const { API = '', CLIENT_ID = '', CLIENT_SECRET = '', PACKAGE = '' } = process.env;
client.setConfig({ baseUrl: API });
const granted = await api.requestAccessToken({
  body: { grant_type: 'client_credentials', client_id: CLIENT_ID, client_secret: CLIENT_SECRET },
});
assert.ok(granted.data, JSON.stringify(granted.error));
client.setConfig({ baseUrl: API, auth: granted.data.access_token });

const created = await api.createAccount({ body: { name: 'Northwind' } });
assert.ok(created.data, JSON.stringify(created.error));
const { id } = created.data;
const path = { account_id: id };
const read = await api.getAccount({ path });
const tag = read.response?.headers.get('etag') ?? '';
const change = (match: string) =>
  api.updateAccount({ path, headers: { 'If-Match': match }, body: { name: 'Northwind Traders' } });
assert.equal((await change(tag)).data?.name, 'Northwind Traders');
const expectProblem = (problem: api.Problem | undefined, status: number) => {
  assert.equal(problem?.status, status);
  assert.ok(problem.type.startsWith('urn:coursewire:problem:'));
};
expectProblem((await change(tag)).error, 412);
const invalid = await api.createAccount({ body: { name: ' ' } });
expectProblem(invalid.error, 400);
assert.equal(invalid.error?.errors?.[0]?.pointer, '/name');
expectProblem((await api.getAccount({ path: { account_id: 999_999 } })).error, 404);

const parent = await api.createFolder({ body: { name: 'Safety' } });
assert.ok(parent.data);
await api.createFolder({ body: { name: 'Fire', parent_id: parent.data.id } });
expectProblem((await api.deleteFolder({ path: { folder_id: parent.data.id } })).error, 409);

for (const name of ['a', 'b', 'c']) await api.createAccount({ body: { name } });
const seen = new Set<number>();
for (let cursor: string | null | undefined; cursor !== null; ) {
  const page = await api.listAccounts({ query: { limit: 2, ...(cursor === undefined ? {} : { cursor }) } });
  assert.ok(page.data);
  for (const account of page.data.data) seen.add(account.id);
  cursor = page.data.next_cursor;
}
assert.ok(seen.size >= 4 && seen.has(id));

const webhook = await api.createWebhook({
  body: {
    name: 'CRM',
    topic: 'REGISTRATION',
    target_url: 'http://127.0.0.1:9/',
    focus: [{ webhook_focus_type: 'ACCOUNT', webhook_focus_id: id }],
  },
});
assert.ok(webhook.data, JSON.stringify(webhook.error));
const ofWebhook = { webhook_id: webhook.data.id };
assert.equal(webhook.data.focus[0]?.webhook_focus_id, id);
const put = await api.updateWebhook({
  path: ofWebhook,
  headers: { 'If-Match': webhook.response?.headers.get('etag') ?? '' },
  // A record can be sent back as it was read.
  body: { ...webhook.data, name: 'CRM 2' },
});
assert.equal(put.data?.name, 'CRM 2', JSON.stringify(put.error));
assert.equal((await api.getWebhookStatistics({ path: ofWebhook })).data?.success_count, 0);
const tested = await api.testWebhook({ path: ofWebhook, query: { subtopic: 'REGISTRATION_STATUS_UPDATED' } });
const message = tested.data?.message;
assert.ok(message?.subtopic === 'REGISTRATION_STATUS_UPDATED');
assert.equal(typeof message.resource.registration.duration, 'number');

const course = await api.importCourse({ body: { file: new File([readFileSync(PACKAGE)], 'course.zip') } });
assert.ok(course.data, JSON.stringify(course.error));
await api.addAccountContent({ path, body: { contents: [{ type: 'COURSE', id: course.data.id }] } });
const registered = await api.createRegistration({
  body: { account_id: id, course_id: course.data.id, learner_id: 'learner-1' },
});
assert.equal(registered.data?.score, null);

const events = await api.listEvents({ query: { subtopic: 'ACCOUNT_CREATED', account_id: id } });
assert.deepEqual(
  events.data?.data.map(({ account }) => account?.id),
  [id],
);
assert.ok(registered.data);
await api.launchRegistration({ path: { registration_id: registered.data.registration_id } });
const resourceOf = async (subtopic: 'CONTENT_ADDED_TO_ACCOUNT' | 'REGISTRATION_LAUNCHED') => {
  const found = await api.listEvents({ query: { subtopic, account_id: id } });
  const event_id = found.data?.data[0]?.id ?? 0;
  return (await api.getEvent({ path: { event_id } })).data?.resource;
};
const launched = await resourceOf('REGISTRATION_LAUNCHED');
assert.equal(launched?.registration?.learner_id, 'learner-1');
assert.equal(launched.content?.course?.id, course.data.id);
const added = await resourceOf('CONTENT_ADDED_TO_ACCOUNT');
assert.equal(added?.content?.folder?.contents[0]?.id, course.data.id);
const rule = { name: 'Dead letters', condition: 'MESSAGE_DEAD_LETTERED' } as const;
const target = { format: 'JSON', url: 'http://127.0.0.1:9/' } as const;
const alert = await api.createAlert({ body: { ...rule, target } });
assert.ok(alert.data, JSON.stringify(alert.error));
const ofAlert = { alert_id: alert.data.id };
const alertTag = alert.response?.headers.get('etag') ?? '';
const changeAlert = () =>
  api.updateAlert({
    path: ofAlert,
    headers: { 'If-Match': alertTag },
    // The record does not have the URL, and an update that omits it keeps it.
    body: { ...alert.data, enabled: false },
  });
assert.equal((await changeAlert()).data?.enabled, false);
expectProblem((await changeAlert()).error, 412);
assert.equal((await api.deleteAlert({ path: ofAlert })).response?.status, 204);
expectProblem((await api.getAlert({ path: ofAlert })).error, 404);
const audited = await api.listAuditEntries({
  query: { object_type: 'WEBHOOK', object_id: String(webhook.data.id), action: ['WEBHOOK_UPDATED'] },
});
const renamed = audited.data?.data[0]?.changes.find(({ field }) => field === 'name');
assert.deepEqual([renamed?.before, renamed?.after], ['CRM', 'CRM 2']);

assert.equal((await api.deleteWebhook({ path: ofWebhook })).response?.status, 204);
assert.equal((await api.deleteAccount({ path })).response?.status, 204);
