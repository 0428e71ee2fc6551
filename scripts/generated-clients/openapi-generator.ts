import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as api from './client';

const { API = '', CLIENT_ID = '', CLIENT_SECRET = '', PACKAGE = '' } = process.env;
const open = new api.AuthenticationApi(new api.Configuration({ basePath: API }));
const granted = await open.requestAccessToken({
  grantType: 'client_credentials',
  clientId: CLIENT_ID,
  clientSecret: CLIENT_SECRET,
});
const configuration = new api.Configuration({ basePath: API, accessToken: `Bearer ${granted.accessToken}` });
const accounts = new api.AccountsApi(configuration);
const folders = new api.FoldersApi(configuration);
const webhooks = new api.WebhooksApi(configuration);

const created = await accounts.createAccount({ accountInput: { name: 'Northwind' } });
const { id } = created;
const read = await accounts.getAccountRaw({ accountId: id });
const ifMatch = read.raw.headers.get('etag') ?? '';
const change = () =>
  accounts.updateAccount({ accountId: id, ifMatch, accountInput: { name: 'Northwind Traders' } });
assert.equal((await change()).name, 'Northwind Traders');
const expectProblem = async (call: Promise<unknown>, status: number): Promise<api.Problem> => {
  const error = await call.then(
    () => assert.fail(`no ${status}`),
    (thrown: api.ResponseError) => thrown,
  );
  const problem = api.ProblemFromJSON(await error.response.json());
  assert.equal(problem.status, status);
  assert.ok(problem.type.startsWith('urn:coursewire:problem:'));
  return problem;
};
await expectProblem(change(), 412);
const invalid = await expectProblem(accounts.createAccount({ accountInput: { name: ' ' } }), 400);
assert.equal(invalid.errors?.[0]?.pointer, '/name');
await expectProblem(accounts.getAccount({ accountId: 999_999 }), 404);

const parent = await folders.createFolder({ folderInput: { name: 'Safety' } });
await folders.createFolder({ folderInput: { name: 'Fire', parentId: parent.id } });
await expectProblem(folders.deleteFolder({ folderId: parent.id }), 409);

for (const name of ['a', 'b', 'c']) await accounts.createAccount({ accountInput: { name } });
const seen = new Set<number>();
for (let cursor: string | null | undefined; cursor !== null; ) {
  const page = await accounts.listAccounts({ limit: 2, ...(cursor === undefined ? {} : { cursor }) });
  for (const account of page.data) seen.add(account.id);
  cursor = page.nextCursor;
}
assert.ok(seen.size >= 4 && seen.has(id));

const webhook = await webhooks.createWebhook({
  webhookInput: {
    name: 'CRM',
    topic: 'REGISTRATION',
    targetUrl: 'http://127.0.0.1:9/',
    focus: [{ webhookFocusType: 'ACCOUNT', webhookFocusId: id }],
  },
});
assert.equal(webhook.focus[0]?.webhookFocusId, id);
const reread = await webhooks.getWebhookRaw({ webhookId: webhook.id });
const put = await webhooks.updateWebhook({
  webhookId: webhook.id,
  ifMatch: reread.raw.headers.get('etag') ?? '',
  webhookInput: { ...(await reread.value()), name: 'CRM 2' },
});
assert.equal(put.name, 'CRM 2');
assert.equal((await webhooks.getWebhookStatistics({ webhookId: webhook.id })).successCount, 0);
const { message } = await webhooks.testWebhook({
  webhookId: webhook.id,
  subtopic: 'REGISTRATION_STATUS_UPDATED',
});
assert.ok(message.subtopic === 'REGISTRATION_STATUS_UPDATED');
assert.equal(typeof message.resource.registration.duration, 'number');

const course = await new api.CoursesApi(configuration).importCourse({
  file: new File([readFileSync(PACKAGE)], 'course.zip'),
});
await new api.AccountContentApi(configuration).addAccountContent({
  accountId: id,
  accountContentAdditionInput: { contents: [{ type: 'COURSE', id: course.id }] },
});
const registrations = new api.RegistrationsApi(configuration);
const registered = await registrations.createRegistration({
  registrationInput: { accountId: id, courseId: course.id, learnerId: 'learner-1' },
});
assert.equal(registered.score, null);
assert.ok(registered.createdDt instanceof Date);

const events = new api.EventsApi(configuration);
const creations = await events.listEvents({ subtopic: 'ACCOUNT_CREATED', accountId: id });
assert.deepEqual(
  creations.data.map(({ account }) => account?.id),
  [id],
);
await registrations.launchRegistration({ registrationId: registered.registrationId });
const resourceOf = async (subtopic: api.Subtopic) => {
  const found = await events.listEvents({ subtopic, accountId: id });
  return (await events.getEvent({ eventId: found.data[0]?.id ?? 0 })).resource;
};
const launched = await resourceOf('REGISTRATION_LAUNCHED');
assert.equal(launched.registration?.learnerId, 'learner-1');
assert.equal(launched.content?.course?.id, course.id);
const added = await resourceOf('CONTENT_ADDED_TO_ACCOUNT');
assert.equal(added.content?.folder?.contents[0]?.id, course.id);
const alerts = new api.AlertsApi(configuration);
const alert = await alerts.createAlert({
  alertInput: {
    name: 'Dead letters',
    condition: 'MESSAGE_DEAD_LETTERED',
    target: { format: 'JSON', url: 'http://127.0.0.1:9/' },
  },
});
const ofAlert = await alerts.getAlertRaw({ alertId: alert.id });
const changeAlert = async () =>
  await alerts.updateAlert({
    alertId: alert.id,
    ifMatch: ofAlert.raw.headers.get('etag') ?? '',
    // The record does not have the URL, and an update that omits it keeps it.
    alertInput: { ...alert, enabled: false },
  });
assert.equal((await changeAlert()).enabled, false);
await expectProblem(changeAlert(), 412);
await alerts.deleteAlert({ alertId: alert.id });
await expectProblem(alerts.getAlert({ alertId: alert.id }), 404);
const audited = await new api.AuditLogApi(configuration).listAuditEntries({
  objectType: 'WEBHOOK',
  objectId: String(webhook.id),
  action: ['WEBHOOK_UPDATED'],
});
const renamed = audited.data[0]?.changes.find(({ field }) => field === 'name');
assert.deepEqual([renamed?.before, renamed?.after], ['CRM', 'CRM 2']);

await webhooks.deleteWebhook({ webhookId: webhook.id });
await accounts.deleteAccount({ accountId: id });
