import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as api from './client/api';

const { API = '', CLIENT_ID = '', CLIENT_SECRET = '', PACKAGE = '' } = process.env;
const granted = await api.requestAccessToken({
  grant_type: 'client_credentials',
  client_id: CLIENT_ID,
  client_secret: CLIENT_SECRET,
});
assert.ok(API && granted.status === 200);
const authorization = `Bearer ${granted.data.access_token}`;
const auth = { headers: { authorization } };

const created = await api.createAccount({ name: 'Northwind' }, auth);
assert.ok(created.status === 201);
const { id } = created.data;
const read = await api.getAccount(id, auth);
const tag = read.headers.get('etag') ?? '';
const change = (match: string) =>
  api.updateAccount(id, { name: 'Northwind Traders' }, { headers: { authorization, 'If-Match': match } });
const changed = await change(tag);
assert.ok(changed.status === 200 && changed.data.name === 'Northwind Traders');
const expectProblem = (answer: { status: number; data: unknown }, status: number) => {
  assert.equal(answer.status, status);
  assert.ok((answer.data as api.Problem).type.startsWith('urn:coursewire:problem:'));
};
expectProblem(await change(tag), 412);
const invalid = await api.createAccount({ name: ' ' }, auth);
assert.ok(invalid.status === 400);
assert.equal(invalid.data.errors?.[0]?.pointer, '/name');
expectProblem(await api.getAccount(999_999, auth), 404);

const parent = await api.createFolder({ name: 'Safety' }, auth);
assert.ok(parent.status === 201);
await api.createFolder({ name: 'Fire', parent_id: parent.data.id }, auth);
expectProblem(await api.deleteFolder(parent.data.id, auth), 409);

for (const name of ['a', 'b', 'c']) await api.createAccount({ name }, auth);
const seen = new Set<number>();
for (let cursor: string | null | undefined; cursor !== null; ) {
  const page = await api.listAccounts({ limit: 2, ...(cursor === undefined ? {} : { cursor }) }, auth);
  assert.ok(page.status === 200);
  for (const account of page.data.data) seen.add(account.id);
  cursor = page.data.next_cursor;
}
assert.ok(seen.size >= 4 && seen.has(id));

const webhook = await api.createWebhook(
  {
    name: 'CRM',
    topic: 'REGISTRATION',
    target_url: 'http://127.0.0.1:9/',
    focus: [{ webhook_focus_type: 'ACCOUNT', webhook_focus_id: id }],
  },
  auth,
);
assert.ok(webhook.status === 201);
assert.equal(webhook.data.focus[0]?.webhook_focus_id, id);
const put = await api.updateWebhook(
  webhook.data.id,
  // A record can be sent back as it was read.
  { ...webhook.data, name: 'CRM 2' },
  {},
  { headers: { authorization, 'If-Match': webhook.headers.get('etag') ?? '' } },
);
assert.ok(put.status === 200 && put.data.name === 'CRM 2');
const statistics = await api.getWebhookStatistics(webhook.data.id, auth);
assert.ok(statistics.status === 200 && statistics.data.success_count === 0);
const tested = await api.testWebhook(webhook.data.id, { subtopic: 'REGISTRATION_STATUS_UPDATED' }, auth);
assert.ok(tested.status === 200);
const { message } = tested.data;
assert.ok(message.subtopic === 'REGISTRATION_STATUS_UPDATED');
assert.equal(typeof message.resource.registration.duration, 'number');

const course = await api.importCourse({ file: new File([readFileSync(PACKAGE)], 'course.zip') }, auth);
assert.ok(course.status === 201);
await api.addAccountContent(id, { contents: [{ type: 'COURSE', id: course.data.id }] }, auth);
const registered = await api.createRegistration(
  { account_id: id, course_id: course.data.id, learner_id: 'learner-1' },
  auth,
);
assert.ok(registered.status === 201 && registered.data.score === null);

const events = await api.listEvents({ subtopic: 'ACCOUNT_CREATED', account_id: id }, auth);
assert.ok(events.status === 200);
assert.deepEqual(
  events.data.data.map(({ account }) => account?.id),
  [id],
);
await api.launchRegistration(registered.data.registration_id, undefined, auth);
const resourceOf = async (subtopic: 'CONTENT_ADDED_TO_ACCOUNT' | 'REGISTRATION_LAUNCHED') => {
  const found = await api.listEvents({ subtopic, account_id: id }, auth);
  assert.ok(found.status === 200);
  const event = await api.getEvent(found.data.data[0]?.id ?? 0, auth);
  assert.ok(event.status === 200);
  return event.data.resource;
};
const launched = await resourceOf('REGISTRATION_LAUNCHED');
assert.equal(launched.registration?.learner_id, 'learner-1');
assert.equal(launched.content?.course?.id, course.data.id);
const added = await resourceOf('CONTENT_ADDED_TO_ACCOUNT');
assert.equal(added.content?.folder?.contents[0]?.id, course.data.id);
const target = { format: 'JSON', url: 'http://127.0.0.1:9/' } as const;
const alert = await api.createAlert(
  { name: 'Dead letters', condition: 'MESSAGE_DEAD_LETTERED', target },
  auth,
);
assert.ok(alert.status === 201);
const changeAlert = () =>
  api.updateAlert(
    alert.data.id,
    // The record does not have the URL, and an update that omits it keeps it.
    { ...alert.data, enabled: false },
    { headers: { authorization, 'If-Match': alert.headers.get('etag') ?? '' } },
  );
const disabled = await changeAlert();
assert.ok(disabled.status === 200 && !disabled.data.enabled);
expectProblem(await changeAlert(), 412);
assert.equal((await api.deleteAlert(alert.data.id, auth)).status, 204);
expectProblem(await api.getAlert(alert.data.id, auth), 404);
const audited = await api.listAuditEntries(
  { object_type: 'WEBHOOK', object_id: String(webhook.data.id), action: ['WEBHOOK_UPDATED'] },
  auth,
);
assert.ok(audited.status === 200);
const renamed = audited.data.data[0]?.changes.find(({ field }) => field === 'name');
assert.deepEqual([renamed?.before, renamed?.after], ['CRM', 'CRM 2']);

assert.equal((await api.deleteWebhook(webhook.data.id, auth)).status, 204);
assert.equal((await api.deleteAccount(id, auth)).status, 204);
