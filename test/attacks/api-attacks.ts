import assert from 'node:assert/strict';
import { importCourse, uploadForm } from '../content/packages.ts';
import { HOSTILE_MANIFESTS } from '../course-packages/hostile-manifests.ts';
import { zipOf } from '../support/course-packages.ts';
import { arrayOf, BODY_LENGTH } from '../support/large-bodies.ts';
import type { Api } from '../support/service.ts';
import type { Target } from '../support/target.ts';
import type { WatchedService } from '../support/watched-service.ts';
import { webhookInput } from '../webhooks/webhook-expectations.ts';
import { type Attack, assertStatus, manyTimes } from './attack.ts';
import type { ManyRows } from './many-rows.ts';

const MANY_WEBHOOKS = 10_000;
const MANY_BUNDLES = 20_000;
const CONTENT_WEBHOOKS = 50;
const MOST_ITEMS = '1,000 items of a resource of 100,000 attributes';
const MANY_DEAD_LETTERS = 100_000;
/** More concurrent requests than a caller may have. */
const CROWD = 300;

/** Attacks with requests to the API alone. */
export async function apiAttacks({ api }: WatchedService, rows: ManyRows, target: Target): Promise<Attack[]> {
  const webhook = await api.create(
    '/webhooks',
    webhookInput({
      subtopics: ['ACCOUNT_DELETED'],
      authentication: { type: 'BASIC', key: 'k', secret: 's' },
    }),
  );
  await rows.deadLetters(webhook.id, MANY_DEAD_LETTERS);
  return [
    ...Object.entries(HOSTILE_MANIFESTS).map(([what, files]) => ({
      name: nameOfManifest(what),
      ...(/^(?:[25]00|1,000) items /.test(what) ? {} : { queriesLike: nameOfManifest(MOST_ITEMS) }),
      async perform() {
        const hostile = new Uint8Array(await zipOf(files()));
        assertStatus(await api.post('/courses', uploadForm(hostile)), 201, 400);
      },
    })),
    {
      name: 'attempts to have a stored secret sent elsewhere',
      perform: () =>
        manyTimes(100, 10, async () => {
          const authentication = { type: 'BASIC', key: 'k' };
          const elsewhere = webhookInput({ target_url: 'http://127.0.0.1:10/', authentication });
          assertStatus(await api.put(`/webhooks/${webhook.id}`, elsewhere), 400);
        }),
    },
    ...(await focusAttacks(api)),
    ...(await eventAttacks(api, rows, target)),
    ...invalidBodies(api),
    {
      name: 'targets that are forbidden',
      perform: () =>
        manyTimes(FORBIDDEN_TARGETS.length, 5, async (n) => {
          const input = webhookInput({ target_url: FORBIDDEN_TARGETS[n], subtopics: ['ACCOUNT_DELETED'] });
          const { status, body } = await api.post('/webhooks', input);
          if (status === 400) return;
          const { body: result } = await api.post(`/webhooks/${body.id}/test`);
          assert.equal(result.delivered, false, `${FORBIDDEN_TARGETS[n]}: ${JSON.stringify(result)}`);
          await api.delete(`/webhooks/${body.id}`);
        }),
    },
    {
      name: 'a redelivery of a hundred thousand dead letters',
      async perform() {
        assertStatus(await api.post(`/webhooks/${webhook.id}/deliveries/redeliver?limit=100`), 202);
      },
    },
    {
      name: 'pages of a history of a hundred thousand messages',
      perform: () =>
        manyTimes(20, 4, async () =>
          assertStatus(await api.get(`/webhooks/${webhook.id}/deliveries?limit=200`), 200),
        ),
    },
    {
      name: 'searches without results in a history of a hundred thousand messages',
      perform: () =>
        manyTimes(20, 4, async () =>
          assertStatus(
            await api.get(`/webhooks/${webhook.id}/deliveries?learner_id=nobody&course_id=7&limit=200`),
            200,
          ),
        ),
    },
    {
      name: 'endless requests for metrics and health',
      perform: () =>
        manyTimes(200, 20, async (n) =>
          assertStatus(await api.get(n % 2 === 0 ? '/metrics' : '/health/ready'), 200),
        ),
    },
  ];
}

function nameOfManifest(what: string): string {
  return `a manifest that is meant to keep the service busy: ${what}`;
}

const FORBIDDEN_TARGETS = [
  'http://169.254.169.254/latest/meta-data/',
  'http://10.0.0.1/',
  'http://[::ffff:10.0.0.1]/',
  'http://[64:ff9b::a00:1]/',
  'http://0.0.0.0/',
  'http://224.0.0.1/',
  'http://100.64.0.1/',
  'http://[fc00::1]/',
  'http://[fe80::1]/',
  'ftp://127.0.0.1/',
  'http://user:password@127.0.0.1/',
  `http://127.0.0.1/${'a'.repeat(3_000)}`,
];

async function focusAttacks(api: Api): Promise<Attack[]> {
  const focus = Array.from({ length: 1_000 }, (_, n) => ({
    webhook_focus_type: 'ACCOUNT',
    webhook_focus_id: n + 1_000_000,
    webhook_focus_name: 'é'.repeat(200),
  }));
  const large = webhookInput({ focus, subtopics: ['ACCOUNT_DELETED'] });
  for (let n = 0; n < 8; n++) await api.create('/webhooks', large);
  return [
    {
      name: 'the largest focus',
      async perform() {
        const { body, status } = await api.post('/webhooks', large);
        assertStatus({ status, body }, 201);
        await api.delete(`/webhooks/${body.id}`);
      },
    },
    {
      name: 'the largest pages of webhooks',
      perform: () => manyTimes(5, 5, async () => assertStatus(await api.get('/webhooks?limit=200'), 200)),
    },
    {
      name: 'hundreds of the largest pages of webhooks at once',
      perform: () =>
        manyTimes(CROWD, CROWD, async () => assertStatus(await api.get('/webhooks?limit=200'), 200, 429)),
    },
  ];
}

async function eventAttacks(api: Api, rows: ManyRows, target: Target): Promise<Attack[]> {
  // Created before any webhook listens to accounts: each would cause ten thousand messages.
  const accounts: number[] = [];
  for (let n = 0; n < 4; n++) accounts.push((await api.create('/accounts', { name: `a ${n}` })).id);
  await rows.webhooks({
    count: MANY_WEBHOOKS,
    topic: 'ACCOUNT',
    subtopic: 'ACCOUNT_CREATED',
    targetUrl: target.url,
  });
  await rows.webhooks({
    count: CONTENT_WEBHOOKS,
    topic: 'ACCOUNT_CONTENT',
    subtopic: 'CONTENT_ADDED_TO_ACCOUNT',
    targetUrl: target.url,
  });
  const { id: courseId } = await importCourse({ api });
  const { data: folders } = (await api.get('/folders')).body;
  const { id: folderId } = await api.create('/folders', { name: 'f', parent_id: folders[0].id });
  await rows.bundles(folderId, courseId, MANY_BUNDLES);
  return [
    {
      name: 'an event that ten thousand webhooks match',
      async perform() {
        assertStatus(await api.post('/accounts', { name: 'a' }), 201);
      },
    },
    {
      name: 'a folder of twenty thousand bundles, added to an account that fifty webhooks focus on',
      async perform() {
        const contents = [{ type: 'FOLDER', id: folderId }];
        assertStatus(await api.post(`/accounts/${accounts.pop()}/content`, { contents }), 200);
      },
    },
  ];
}

function invalidBodies(api: Api): Attack[] {
  const bodies: Record<string, [string, unknown]> = {
    'a focus of a million numbers': ['/webhooks', `{"focus":${arrayOf('1')}}`],
    'a focus of empty objects': ['/webhooks', `{"focus":${arrayOf('{}')}}`],
    'subtopics that repeat': [
      '/webhooks',
      `{"name":"w","topic":"ACCOUNT","subtopics":${arrayOf('"ACCOUNT_DELETED"')}}`,
    ],
    'members without end': ['/accounts', `{${arrayOf('"a":1').slice(1, -1)}}`],
    'contents of empty objects': ['/bundles', `{"contents":${arrayOf('{}')}}`],
    'an array of arrays': ['/accounts', arrayOf('[[]]')],
    'brackets that are never closed': ['/accounts', '['.repeat(BODY_LENGTH)],
    'a number of a million digits': ['/accounts', `{"name":${'1'.repeat(BODY_LENGTH - 20)}}`],
    'a text of a megabyte': ['/accounts', { name: 'a'.repeat(BODY_LENGTH - 100) }],
    'escapes of a megabyte': ['/accounts', `{"name":"${'\\u0061'.repeat(170_000)}"}`],
  };
  return Object.entries(bodies).map(([name, [path, body]]) => ({
    name: `JSON: ${name}`,
    stopsBeforeDatabase: true,
    perform: async () => assertStatus(await api.post(path, body), 400),
  }));
}
