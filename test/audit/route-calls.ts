import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { importCourse, scormPackage, uploadForm } from '../content/packages.ts';
import { Unit } from '../player/cmi5-helpers.ts';
import { Player } from '../player/learner-helpers.ts';
import { Browser, createAdministrator, PASSWORD, signedInBrowser } from '../support/administration.ts';
import { cmi5Course } from '../support/cmi5-course.ts';
import { registerTo } from '../support/registered-course.ts';
import type { Answer, TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

/** The callers of the routes, and the objects that the calls need. */
export interface World {
  service: TestService;
  /** An administrator with the role admin. */
  ann: Browser;
  /** A target that answers 503. */
  brokenUrl: string;
}

/** Prepares a successful call of a route, without calling it. */
export type PreparedCall = (world: World) => Promise<() => Promise<Answer>>;

const NOWHERE = 'http://127.0.0.1:9/';
const UNIT = 'https://example.com/one';
const XAPI = { 'x-experience-api-version': '1.0.3' };

const rule = (name: string) => ({
  name,
  condition: 'WEBHOOK_IN_ERROR',
  target: { format: 'JSON', url: NOWHERE },
});
const client = (name: string) => ({ name, email: 'crm@example.com', scopes: ['content:read'] });
const webhook = (more: object = {}) => ({ name: 'CRM', topic: 'ACCOUNT', target_url: NOWHERE, ...more });

async function created({ service: { api } }: World, path: string, body: unknown): Promise<number> {
  return (await api.create(path, body)).id;
}

async function course({ service }: World): Promise<number> {
  return (await importCourse(service)).id;
}

async function account(world: World): Promise<number> {
  return await created(world, '/accounts', { name: 'Northwind' });
}

async function equivalentInput(world: World, name: string) {
  return { name, courses: [{ course_id: await course(world), language: 'en' }] };
}

async function bundleInput(world: World, name: string) {
  return { name, contents: [{ type: 'COURSE', id: await course(world) }] };
}

async function accountWithCourse(world: World): Promise<{ accountId: number; courseId: number }> {
  const [accountId, courseId] = [await account(world), await course(world)];
  const contents = [{ type: 'COURSE', id: courseId }];
  assert.equal((await world.service.api.post(`/accounts/${accountId}/content`, { contents })).status, 200);
  return { accountId, courseId };
}

/** A registration whose language is not set. */
async function registrationOfEquivalent(world: World): Promise<string> {
  const { api } = world.service;
  const equivalent_id = await created(world, '/equivalents', await equivalentInput(world, 'Fire safety'));
  const account_id = await account(world);
  const contents = [{ type: 'EQUIVALENT', id: equivalent_id }];
  assert.equal((await api.post(`/accounts/${account_id}/content`, { contents })).status, 200);
  const input = { account_id, equivalent_id, learner_id: 'ada' };
  return (await api.create('/registrations', input)).registration_id;
}

async function registration({ service }: World): Promise<string> {
  return (await registerTo(service, cmi5Course([{ id: UNIT }, { id: `${UNIT}/two` }]))).registrationId;
}

/** The path at which administrators find the bookmark that a course has stored. */
async function bookmark(world: World): Promise<string> {
  const { service } = world;
  const { lrs, actor, ...of } = await Unit.start(
    await (await Player.open(service, await registration(world))).openUnit(UNIT),
  );
  const query = {
    activityId: of.activityId,
    agent: JSON.stringify(actor),
    registration: of.registration,
    stateId: 'bookmark',
  };
  assert.equal((await lrs.call('PUT', 'activities/state', { query, body: { page: 7 } })).status, 204);
  return `/xapi/activities/state?${new URLSearchParams(query)}`;
}

/** A webhook whose message failed once and waits for a late retry. Even while it is paused, a head is leased at first. */
async function waiting(world: World): Promise<number> {
  const id = await created(world, '/webhooks', webhook({ target_url: world.brokenUrl }));
  await account(world);
  await until(
    async () => (await world.service.api.get(`/webhooks/${id}/line`)).body.state === 'RETRYING',
    'the message waits for its retry',
  );
  return id;
}

/** A webhook with a dead letter. */
async function deadLetter(world: World): Promise<{ webhookId: number; deliveryId: number }> {
  const input = webhook({ target_url: world.brokenUrl, max_attempts: 1 });
  const webhookId = await created(world, '/webhooks', input);
  await account(world);
  const delivery = await until(async () => {
    const { body } = await world.service.api.get(`/webhooks/${webhookId}/deliveries?status=DEAD_LETTERED`);
    return body.data[0];
  }, 'the message is a dead letter');
  return { webhookId, deliveryId: delivery.id };
}

async function invited({ ann }: World): Promise<{ id: number; token: string }> {
  const { status, body } = await ann.post('/ui/api/administrators', { email: newEmail(), role: 'viewer' });
  assert.equal(status, 201, JSON.stringify(body));
  return { id: body.id, token: body.invitation_url.split('=')[1] };
}

/** A new administrator who has signed in. */
async function newcomer({ service }: World): Promise<Browser> {
  const email = newEmail();
  await createAdministrator(service.settings.data_dir, { email });
  return await signedInBrowser(service.url, email);
}

const newEmail = () => `${randomUUID()}@example.com`;

/** A call of each route that the audit log records. */
export const ROUTE_CALLS: Readonly<Record<string, PreparedCall>> = {
  'POST /accounts': async ({ ann }) => {
    return () => ann.post('/accounts', { name: 'Northwind' });
  },
  'PUT /accounts/:account_id': async (world) => {
    const id = await account(world);
    return () => world.ann.put(`/accounts/${id}`, { name: 'Southwind' });
  },
  'DELETE /accounts/:account_id': async (world) => {
    const id = await account(world);
    return () => world.ann.delete(`/accounts/${id}`);
  },
  'POST /accounts/:account_id/content': async (world) => {
    const id = await account(world);
    const contents = [{ type: 'COURSE', id: await course(world) }];
    return () => world.ann.post(`/accounts/${id}/content`, { contents });
  },
  'DELETE /accounts/:account_id/content/:type/:content_id': async (world) => {
    const { accountId, courseId } = await accountWithCourse(world);
    return () => world.ann.delete(`/accounts/${accountId}/content/COURSE/${courseId}`);
  },
  'POST /account-content/add': async (world) => {
    const input = {
      account_ids: [await account(world)],
      contents: [{ type: 'COURSE', id: await course(world) }],
    };
    return () => world.ann.post('/account-content/add', input);
  },
  'POST /account-content/remove': async (world) => {
    const { accountId, courseId } = await accountWithCourse(world);
    const input = { account_ids: [accountId], contents: [{ type: 'COURSE', id: courseId }] };
    return () => world.ann.post('/account-content/remove', input);
  },
  'POST /bundles': async (world) => {
    const input = await bundleInput(world, 'Basics');
    return () => world.ann.post('/bundles', input);
  },
  'PUT /bundles/:bundle_id': async (world) => {
    const input = await bundleInput(world, 'Basics');
    const id = await created(world, '/bundles', input);
    return () => world.ann.put(`/bundles/${id}`, { ...input, name: 'Advanced' });
  },
  'DELETE /bundles/:bundle_id': async (world) => {
    const id = await created(world, '/bundles', await bundleInput(world, 'Basics'));
    return () => world.ann.delete(`/bundles/${id}`);
  },
  'POST /courses': async ({ ann }) => {
    const form = uploadForm(await scormPackage());
    return () => ann.post('/courses', form);
  },
  'PUT /courses/:course_id': async (world) => {
    const id = await course(world);
    return () => world.ann.put(`/courses/${id}`, { name: 'Renamed', folder_id: 1 });
  },
  'DELETE /courses/:course_id': async (world) => {
    const id = await course(world);
    return () => world.ann.delete(`/courses/${id}`);
  },
  'POST /courses/:course_id/versions': async (world) => {
    const id = await course(world);
    const form = uploadForm(await scormPackage());
    return () => world.ann.post(`/courses/${id}/versions`, form);
  },
  'POST /courses/:course_id/versions/:version_id/publish': async (world) => {
    const id = await course(world);
    const { status } = await world.ann.post(`/courses/${id}/versions`, uploadForm(await scormPackage()));
    assert.equal(status, 201);
    return () => world.ann.post(`/courses/${id}/versions/1/publish`);
  },
  'POST /equivalents': async (world) => {
    const input = await equivalentInput(world, 'Fire safety');
    return () => world.ann.post('/equivalents', input);
  },
  'PUT /equivalents/:equivalent_id': async (world) => {
    const input = await equivalentInput(world, 'Fire safety');
    const id = await created(world, '/equivalents', input);
    return () => world.ann.put(`/equivalents/${id}`, { ...input, name: 'First aid' });
  },
  'DELETE /equivalents/:equivalent_id': async (world) => {
    const id = await created(world, '/equivalents', await equivalentInput(world, 'Fire safety'));
    return () => world.ann.delete(`/equivalents/${id}`);
  },
  'POST /folders': async ({ ann }) => {
    return () => ann.post('/folders', { name: 'Safety' });
  },
  'PUT /folders/:folder_id': async (world) => {
    const id = await created(world, '/folders', { name: 'Safety' });
    return () => world.ann.put(`/folders/${id}`, { name: 'Security' });
  },
  'DELETE /folders/:folder_id': async (world) => {
    const id = await created(world, '/folders', { name: 'Safety' });
    return () => world.ann.delete(`/folders/${id}`);
  },
  'POST /registrations': async (world) => {
    const { accountId, courseId } = await accountWithCourse(world);
    const input = { account_id: accountId, course_id: courseId, learner_id: 'ada' };
    return () => world.ann.post('/registrations', input);
  },
  'POST /registrations/:registration_id/launch': async (world) => {
    const id = await registrationOfEquivalent(world);
    return () => world.ann.post(`/registrations/${id}/launch`, { language: 'en' });
  },
  'PUT /registrations/:registration_id/status': async (world) => {
    const id = await registration(world);
    const status = { completion: 'Completed', success: 'PASS', score: 92, duration: 60 };
    return () => world.ann.put(`/registrations/${id}/status`, status);
  },
  'POST /registrations/:registration_id/reset': async (world) => {
    const id = await registration(world);
    return () => world.ann.post(`/registrations/${id}/reset`);
  },
  'POST /registrations/:registration_id/waive': async (world) => {
    const id = await registration(world);
    return () => world.ann.post(`/registrations/${id}/waive`, { unit_id: UNIT });
  },
  'DELETE /registrations/:registration_id': async (world) => {
    const id = await registration(world);
    return () => world.ann.delete(`/registrations/${id}`);
  },
  'PUT /xapi/*': async (world) => {
    const path = await bookmark(world);
    return () => world.ann.call('PUT', path, { page: 1 }, XAPI);
  },
  'POST /xapi/*': async (world) => {
    const path = await bookmark(world);
    return () => world.ann.call('POST', path, { page: 1 }, XAPI);
  },
  'DELETE /xapi/*': async (world) => {
    const path = await bookmark(world);
    return () => world.ann.call('DELETE', path, undefined, XAPI);
  },
  'POST /alerts': async ({ ann }) => {
    return () => ann.post('/alerts', rule('On call'));
  },
  'PUT /alerts/:alert_id': async (world) => {
    const id = await created(world, '/alerts', rule('On call'));
    return () => world.ann.put(`/alerts/${id}`, rule('Off call'));
  },
  'DELETE /alerts/:alert_id': async (world) => {
    const id = await created(world, '/alerts', rule('On call'));
    return () => world.ann.delete(`/alerts/${id}`);
  },
  'POST /webhooks': async ({ ann }) => {
    return () => ann.post('/webhooks', webhook());
  },
  'PUT /webhooks/:webhook_id': async (world) => {
    const id = await created(world, '/webhooks', webhook());
    return () => world.ann.put(`/webhooks/${id}`, webhook({ paused: true }));
  },
  'DELETE /webhooks/:webhook_id': async (world) => {
    const id = await created(world, '/webhooks', webhook());
    return () => world.ann.delete(`/webhooks/${id}`);
  },
  'POST /webhooks/:webhook_id/deliveries/:delivery_id/redeliver': async (world) => {
    const { webhookId, deliveryId } = await deadLetter(world);
    return () => world.ann.post(`/webhooks/${webhookId}/deliveries/${deliveryId}/redeliver`);
  },
  'POST /webhooks/:webhook_id/deliveries/redeliver': async (world) => {
    const { webhookId } = await deadLetter(world);
    return () => world.ann.post(`/webhooks/${webhookId}/deliveries/redeliver`);
  },
  'POST /webhooks/:webhook_id/deliveries/remove': async (world) => {
    const { webhookId } = await deadLetter(world);
    return () => world.ann.post(`/webhooks/${webhookId}/deliveries/remove`);
  },
  'POST /ui/api/dead-letters/redeliver': async (world) => {
    const { webhookId } = await deadLetter(world);
    return () => world.ann.post('/ui/api/dead-letters/redeliver', { webhook_id: webhookId });
  },
  'POST /ui/api/dead-letters/remove': async (world) => {
    const { webhookId } = await deadLetter(world);
    return () => world.ann.post('/ui/api/dead-letters/remove', { webhook_id: webhookId });
  },
  'POST /webhooks/:webhook_id/line/skip': async (world) => {
    const id = await waiting(world);
    return () => world.ann.post(`/webhooks/${id}/line/skip`);
  },
  'POST /webhooks/:webhook_id/line/messages/:position/skip': async (world) => {
    const id = await waiting(world);
    const { body } = await world.ann.get(`/webhooks/${id}/line/messages`);
    return () => world.ann.post(`/webhooks/${id}/line/messages/${body.data[0].position}/skip`);
  },
  'POST /webhooks/:webhook_id/line/purge': async (world) => {
    const id = await waiting(world);
    return () => world.ann.post(`/webhooks/${id}/line/purge`);
  },
  'POST /webhooks/:webhook_id/replay': async (world) => {
    await account(world);
    const id = await created(world, '/webhooks', webhook());
    return () => world.ann.post(`/webhooks/${id}/replay?from_dt=2000-01-01T00:00:00Z`);
  },
  'POST /webhooks/:webhook_id/signing-secret': async (world) => {
    const id = await created(world, '/webhooks', webhook());
    return () => world.ann.post(`/webhooks/${id}/signing-secret`);
  },
  'DELETE /webhooks/:webhook_id/signing-secret': async (world) => {
    const id = await created(world, '/webhooks', webhook());
    assert.ok((await world.ann.post(`/webhooks/${id}/signing-secret`)).status < 300);
    return () => world.ann.delete(`/webhooks/${id}/signing-secret`);
  },
  'POST /webhooks/:webhook_id/statistics/reset': async (world) => {
    const id = await created(world, '/webhooks', webhook());
    return () => world.ann.post(`/webhooks/${id}/statistics/reset`);
  },
  'POST /ui/api/clients': async ({ ann }) => {
    return () => ann.post('/ui/api/clients', client('CRM'));
  },
  'PUT /ui/api/clients/:client_id': async ({ ann }) => {
    const { client_id: id } = (await ann.post('/ui/api/clients', client('CRM'))).body;
    return () => ann.put(`/ui/api/clients/${id}`, { ...client('ERP'), enabled: true });
  },
  'DELETE /ui/api/clients/:client_id': async ({ ann }) => {
    const { client_id: id } = (await ann.post('/ui/api/clients', client('CRM'))).body;
    return () => ann.delete(`/ui/api/clients/${id}`);
  },
  'POST /ui/api/clients/:client_id/secret': async ({ ann }) => {
    const { client_id: id } = (await ann.post('/ui/api/clients', client('CRM'))).body;
    return () => ann.post(`/ui/api/clients/${id}/secret`);
  },
  'POST /ui/api/administrators': async ({ ann }) => {
    return () => ann.post('/ui/api/administrators', { email: newEmail(), role: 'viewer' });
  },
  'PUT /ui/api/administrators/:id': async (world) => {
    const { id } = await invited(world);
    return () => world.ann.put(`/ui/api/administrators/${id}`, { role: 'integrator', enabled: true });
  },
  'DELETE /ui/api/administrators/:id': async (world) => {
    const { id } = await invited(world);
    return () => world.ann.delete(`/ui/api/administrators/${id}`);
  },
  'POST /ui/api/administrators/:id/link': async (world) => {
    const { id } = await invited(world);
    return () => world.ann.post(`/ui/api/administrators/${id}/link`);
  },
  'POST /ui/api/setup': async (world) => {
    const { token } = await invited(world);
    return () =>
      new Browser(world.service.url).post('/ui/api/setup', { token, name: 'Vic', password: PASSWORD });
  },
  'PUT /ui/api/password': async (world) => {
    const browser = await newcomer(world);
    const input = { current_password: PASSWORD, new_password: `${PASSWORD} again` };
    return () => browser.put('/ui/api/password', input);
  },
  'PUT /ui/api/profile': async (world) => {
    const browser = await newcomer(world);
    return () => browser.put('/ui/api/profile', { name: 'Another name' });
  },
  'DELETE /ui/api/sessions': async (world) => {
    const browser = await newcomer(world);
    return () => browser.delete('/ui/api/sessions');
  },
  'DELETE /ui/api/sessions/:id': async (world) => {
    const browser = await newcomer(world);
    const { id } = (await browser.get('/ui/api/sessions')).body.data[0];
    return () => browser.delete(`/ui/api/sessions/${id}`);
  },
  'POST /ui/api/session': async ({ service }) => {
    return () => new Browser(service.url).signIn();
  },
};
