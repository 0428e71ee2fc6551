import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { runSql } from '../support/database.ts';
import { dropDatabaseOf } from '../support/postgres.ts';
import {
  Api,
  requestToken,
  startTestService,
  type TestService,
  temporaryFolder,
  until,
} from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { assertInvalid, webhookInput } from './webhook-expectations.ts';

// Runs on SQLite alone: addresses are checked before they are stored.

describe('target URLs', () => {
  let service: TestService;
  let api: Api;

  aroundTests(async (parts) => {
    // As on a public service: no network except the public Internet is allowed.
    service = parts.use(await startTestService({ settings: { target_allowed_networks: [] } }));
    api = service.api;
  });

  async function refused(target_url: unknown): Promise<string> {
    const answer = await api.post('/webhooks', webhookInput({ target_url }));
    assertInvalid(answer, ['/target_url'], JSON.stringify(target_url));
    return answer.body.errors[0].detail;
  }
  const taken = async (target_url: string) =>
    assert.equal((await api.create('/webhooks', webhookInput({ target_url }))).target_url, target_url);

  test('are http or https, and are kept as they were given', async () => {
    for (const url of [
      'http://example.com',
      'https://example.com:8443/a/b?c=d&e=f#g',
      'HTTPS://EXAMPLE.COM/',
      'https://münchen.example/straße?q=ü',
      'https://example.com/%7Euser/a%20b',
      'https://[2606:2800:220:1:248:1893:25c8:1946]/',
      'https://93.184.215.14/',
      'https://a-name-that-is-judged-when-it-is-looked-up.internal/',
    ]) {
      await taken(url);
    }
  });

  test('with another scheme, or that are not URLs, are rejected', async () => {
    for (const url of [
      'ftp://example.com/',
      'file:///etc/passwd',
      'javascript:alert(1)',
      'data:,x',
      'ws://example.com/',
    ]) {
      assert.match(await refused(url), /not http or https/);
    }
    for (const url of [
      '',
      'example.com',
      '//example.com/',
      '/postbacks',
      'http://',
      'https://exa mple.com/',
      'http://example.com:99999/',
    ]) {
      await refused(url);
    }
    for (const url of [null, 7, {}, ['http://example.com/']]) await refused(url);
    for (const url of [
      'http://example.com/\r\nX-Injected: 1',
      'http://example.com/\u0000',
      '\thttp://example.com/',
    ])
      await refused(url);
  });

  test('whose real destination differs from what they look like are rejected, with the reason', async () => {
    const cases: [RegExp, string[]][] = [
      [
        /begins or ends with white space/,
        [
          ' http://example.com/',
          'http://example.com/ ',
          'http://example.com\u00a0',
          '\ufeffhttp://example.com/',
        ],
      ],
      [
        /control character/,
        [
          'http://exam\tple.com/',
          'ht\ntp://example.com/',
          'http://example.com/a\r\nb',
          'http://example.com/\u007f',
          'http://example.com/\u0085x',
          '\thttp://example.com/',
          'http://example.com/\n',
        ],
      ],
      [
        /invisible character/,
        ['http://exam\u200bple.com/', 'http://example.com/\u202egnp', 'http://a\u00ad.example/'],
      ],
      [
        /backslash/,
        [
          'http://example.com\\evil/',
          'http:\\\\example.com/',
          'http://example.com/a\\b',
          'http://example.com/?a\\b',
        ],
      ],
      [
        /two slashes/,
        [
          'http:/example.com',
          'http:example.com',
          'http:///example.com',
          'https:////example.com/',
          'HTTP:/example.com',
        ],
      ],
      [/credentials/, ['http://@example.com/', 'http://:@example.com/', 'http://a@b@example.com/']],
    ];
    const webhook = await api.create('/webhooks', webhookInput({ target_url: 'https://example.com/' }));
    for (const [reason, urls] of cases) {
      for (const target_url of urls) {
        assert.match(await refused(target_url), reason, JSON.stringify(target_url));
        const answer = await api.put(`/webhooks/${webhook.id}`, { ...webhook, target_url });
        assertInvalid(answer, ['/target_url'], JSON.stringify(target_url));
      }
    }
    assert.equal((await api.get(`/webhooks/${webhook.id}`)).body.target_url, 'https://example.com/');
    for (const url of ['http://example.com/a b', 'http://example.com/@a:b', 'http://example.com/?a=//b@c'])
      await taken(url);
  });

  test('of an earlier release stay unchanged until another one is given', async () => {
    const webhook = await api.create('/webhooks', webhookInput({ target_url: 'https://example.com/' }));
    const former = ' http:/example.com';
    await runSql(
      service.settings.data_dir,
      'update webhooks set target_url = ? where id = ?',
      former,
      webhook.id,
    );
    const read = (await api.get(`/webhooks/${webhook.id}`)).body;
    const deactivated = await api.put(`/webhooks/${webhook.id}`, { ...read, enabled: false });
    assert.deepEqual([deactivated.status, deactivated.body.target_url], [200, former]);
    assertInvalid(await api.put(`/webhooks/${webhook.id}`, { ...read, target_url: `${former}/` }), [
      '/target_url',
    ]);
  });

  test('that are no longer allowed may stay while the rest is changed, but are never called', async () => {
    await using stack = new AsyncDisposableStack();
    const { path: dataDir } = stack.use(temporaryFolder());
    stack.defer(() => dropDatabaseOf(dataDir));
    const target = stack.use(await startTarget());
    const start = (target_allowed_networks: string[]) =>
      startTestService({ dataDir, settings: { target_allowed_networks } });
    const before = await start(['127.0.0.0/8']);
    const created = await before.api.create('/webhooks', webhookInput({ target_url: target.url }));
    await before.stop();

    const now = stack.use(await start([]));
    const address = `/webhooks/${created.id}`;
    for (const change of [{ paused: true }, { enabled: false }, { name: 'Renamed', max_attempts: 1 }]) {
      const changed = await now.api.put(address, { ...created, ...change });
      assert.equal(changed.status, 200, JSON.stringify(changed.body));
      assert.equal(changed.body.target_url, target.url);
    }
    const other = `${target.url}other`;
    assertInvalid(await now.api.put(address, { ...created, target_url: other }), ['/target_url']);
    assertInvalid(await now.api.post('/webhooks', webhookInput({ target_url: target.url })), ['/target_url']);

    await now.api.create('/accounts', { name: 'Contoso' });
    const letters = () => now.api.get(`${address}/deliveries?status=DEAD_LETTERED`);
    await until(async () => (await letters()).body.data.length === 1, 'the message is a dead letter');
    const tested = await now.api.post(`${address}/test`);
    assert.deepEqual([tested.status, tested.body.delivered], [200, false], JSON.stringify(tested.body));
    assert.equal(target.requests.length, 0);
  });

  test('that are no longer allowed do not hide the response to a repeated key', async () => {
    await using stack = new AsyncDisposableStack();
    const { path: dataDir } = stack.use(temporaryFolder());
    stack.defer(() => dropDatabaseOf(dataDir));
    const former = await startTestService({
      dataDir,
      settings: { target_allowed_networks: ['127.0.0.0/8'] },
    });
    const headers = { 'idempotency-key': 'once' };
    const first = await former.api.post('/webhooks', webhookInput(), headers);
    await former.stop();

    const now = stack.use(await startTestService({ dataDir, settings: { target_allowed_networks: [] } }));
    const token = await requestToken(now.url, former.clientId, former.clientSecret);
    const repeated = await new Api(now.url, token).post('/webhooks', webhookInput(), headers);
    assert.deepEqual([repeated.status, repeated.body], [201, first.body]);
    assert.equal(repeated.headers.get('idempotent-replayed'), 'true');
  });

  test('with credentials are rejected: they would appear in messages and logs', async () => {
    for (const url of [
      'https://user:password@example.com/',
      'https://user@example.com/',
      'https://:password@example.com/',
    ]) {
      const detail = await refused(url);
      assert.match(detail, /credentials/);
      assert.doesNotMatch(detail, /password|user/);
    }
  });

  test('have at most 2,048 characters', async () => {
    const ofLength = (length: number) => 'https://example.com/'.padEnd(length, 'a');
    await taken(ofLength(2_048));
    await refused(ofLength(2_049));
    await refused(ofLength(500_000));
  });

  test('of addresses inside the network are rejected, however they are written', async () => {
    const addresses = [
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f.0.0.1',
      '0177.0.0.1',
      '10.0.0.1',
      '172.16.0.1',
      '192.168.1.1',
      '169.254.169.254',
      '100.64.0.1',
      '0.0.0.0',
      '224.0.0.1',
      '255.255.255.255',
      '[::1]',
      '[::]',
      '[fe80::1]',
      '[fd00::1]',
      '[ff02::1]',
      '[::ffff:127.0.0.1]',
      '[::ffff:a00:1]',
      '[64:ff9b::7f00:1]',
      '①②⑦.0.0.1',
    ];
    for (const address of addresses) assert.match(await refused(`http://${address}/`), /not allowed/);
  });

  test('are checked again on update', async () => {
    const webhook = await api.create('/webhooks', webhookInput({ target_url: 'https://example.com/' }));
    const answer = await api.put(`/webhooks/${webhook.id}`, {
      ...webhook,
      target_url: 'http://169.254.169.254/latest/',
    });
    assertInvalid(answer, ['/target_url']);
  });
});
