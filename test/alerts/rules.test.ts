import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createWebhook } from '../delivery/webhook-helpers.ts';
import { runSql } from '../support/database.ts';
import { type Api, startTestService, type TestService, temporaryFolder } from '../support/service.ts';
import { type MailServer, startMailServer } from '../support/smtp.ts';
import { assertInvalid, assertProblem } from '../webhooks/webhook-expectations.ts';
import { alertInput } from './alert-helpers.ts';

const URL_WITH_TOKEN = 'http://127.0.0.1:9/services/T0/B0/very-secret-token?key=another-secret';
const SECRETS = ['very-secret-token', 'another-secret'];

let mail: MailServer;
let service: TestService;
let api: Api;
before(async () => {
  mail = await startMailServer();
  service = await startTestService({ settings: mail.settings });
  ({ api } = service);
});
after(async () => {
  await service[Symbol.asyncDispose]();
  await mail[Symbol.asyncDispose]();
});

describe('an alert rule', () => {
  it('is created with its defaults, and its URL is neither returned, nor logged, nor stored in the clear', async () => {
    const answer = await api.post('/alerts', {
      name: 'Failing webhooks',
      condition: 'WEBHOOK_IN_ERROR',
      target: { format: 'SLACK', url: URL_WITH_TOKEN },
    });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    const { id, created_dt, updated_dt, ...record } = answer.body;
    assert.deepEqual(record, {
      name: 'Failing webhooks',
      enabled: true,
      condition: 'WEBHOOK_IN_ERROR',
      minutes: 15,
      webhook_ids: null,
      email_to: [],
      target: { format: 'SLACK', origin: 'http://127.0.0.1:9' },
      quiet_hours: null,
      quiet_now: false,
      firing: 0,
      last_notices: [],
    });
    assert.equal(created_dt, updated_dt);
    assert.equal(answer.headers.get('location'), `/alerts/${id}`);
    const read = await api.get(`/alerts/${id}`);
    assert.deepEqual(read.body, answer.body);
    assert.equal(read.headers.get('etag'), answer.headers.get('etag'));
    const rows = await runSql(service.settings.data_dir, 'select * from alert_rules where id = ?', id);
    for (const secret of SECRETS)
      assert.ok(!JSON.stringify([rows, service.logLines, read.body]).includes(secret), 'the URL is a secret');
    const listed = (await api.get('/alerts?limit=200')).body.data;
    assert.ok(listed.some((each: { id: number }) => each.id === id));
  });

  it('can be sent back as it was read, which keeps the URL', async () => {
    const { id } = await api.create('/alerts', alertInput(URL_WITH_TOKEN, { email_to: ['ops@example.com'] }));
    const stored = () =>
      runSql<{ target_url: string }>(
        service.settings.data_dir,
        'select target_url from alert_rules where id = ?',
        id,
      );
    const before = await stored();
    const { body, headers } = await api.get(`/alerts/${id}`);
    const etag = headers.get('etag') ?? '';
    const renamed = await api.put(`/alerts/${id}`, { ...body, name: 'Renamed' }, { 'if-match': etag });
    assert.equal(renamed.status, 200, JSON.stringify(renamed.body));
    const { name, target, email_to } = renamed.body;
    assert.deepEqual(
      [name, target, email_to],
      ['Renamed', { format: 'JSON', origin: 'http://127.0.0.1:9' }, ['ops@example.com']],
    );
    assert.deepEqual(await stored(), before);
    assertProblem(await api.put(`/alerts/${id}`, body, { 'if-match': etag }), 412, 'precondition-failed');
    assertProblem(await api.delete(`/alerts/${id}`, { 'if-match': etag }), 412, 'precondition-failed');
    assert.equal((await api.delete(`/alerts/${id}`)).status, 204);
    for (const answer of [
      await api.get(`/alerts/${id}`),
      await api.put(`/alerts/${id}`, body),
      await api.delete(`/alerts/${id}`),
      await api.post(`/alerts/${id}/test`),
      await api.get('/alerts/none'),
    ])
      assertProblem(answer, 404, 'not-found');
  });

  it('is created once with an idempotency key', async () => {
    const headers = { 'idempotency-key': 'alert-1' };
    const first = await api.post('/alerts', alertInput(URL_WITH_TOKEN), headers);
    const second = await api.post('/alerts', alertInput(URL_WITH_TOKEN), headers);
    assert.deepEqual([first.status, second.status], [201, 201]);
    assert.equal(second.body.id, first.body.id);
    const keys = await runSql(service.settings.data_dir, 'select * from idempotency_keys');
    for (const secret of SECRETS) assert.ok(!JSON.stringify(keys).includes(secret));
  });

  it('is returned for a repeated key although one of its webhooks was deleted in the meantime', async () => {
    const webhook = await createWebhook(api, 'http://127.0.0.1:9/');
    const headers = { 'idempotency-key': 'alert-of-webhook' };
    const input = alertInput(URL_WITH_TOKEN, { webhook_ids: [webhook] });
    const first = await api.post('/alerts', input, headers);
    assert.equal((await api.delete(`/webhooks/${webhook}`)).status, 204);
    const repeated = await api.post('/alerts', input, headers);
    assert.deepEqual([repeated.status, repeated.body], [201, first.body]);
    assert.equal(repeated.headers.get('idempotent-replayed'), 'true');
    const other = { 'idempotency-key': 'another-alert' };
    assertInvalid(await api.post('/alerts', input, other), ['/webhook_ids/0']);
  });

  it('names every invalid member', async () => {
    assertInvalid(await api.post('/alerts', {}), ['/name', '/condition', '/email_to']);
    assertInvalid(
      await api.post('/alerts', {
        name: ' ',
        condition: 'SERVICE_IN_TROUBLE',
        minutes: 0,
        webhook_ids: [1],
        email_to: ['ops@example.com', 'no address', 'a@example.com, b@example.com'],
        target: { format: 'PAGER', url: 'ftp://example.com' },
        quiet_hours: { from: '25:00', to: '7:00', time_zone: 'Europe/Nowhere' },
        colour: 'red',
      }),
      [
        '/name',
        '/minutes',
        '/webhook_ids',
        '/webhook_ids/0',
        '/email_to/1',
        '/email_to/2',
        '/target/format',
        '/target/url',
        '/quiet_hours/from',
        '/quiet_hours/to',
        '/quiet_hours/time_zone',
        '/colour',
      ],
    );
    const quiet_hours = { from: '25:00', to: '07:00', time_zone: 'UTC' };
    const { body } = await api.post('/alerts', alertInput(URL_WITH_TOKEN, { quiet_hours }));
    assert.deepEqual(body.errors, [
      { pointer: '/quiet_hours/from', detail: 'must be hours and minutes, such as 22:00' },
    ]);
    const invalid = [
      [{ condition: 'MESSAGE_DEAD_LETTERED', minutes: 5 }, ['/minutes']],
      [{ webhook_ids: [] }, ['/webhook_ids']],
      [{ webhook_ids: [900_001] }, ['/webhook_ids/0']],
      [{ target: { format: 'JSON' } }, ['/target/url']],
      [{ target: { format: 'JSON', url: 'http://user:password@127.0.0.1:9/' } }, ['/target/url']],
      [{ target: { format: 'JSON', url: 'http://10.0.0.1/' } }, ['/target/url']],
      [{ target: null }, ['/email_to']],
      [{ quiet_hours: { from: '22:00', to: '22:00', time_zone: 'UTC' } }, ['/quiet_hours/to']],
    ] as const;
    for (const [changes, pointers] of invalid)
      assertInvalid(
        await api.post('/alerts', alertInput(URL_WITH_TOKEN, changes)),
        pointers,
        JSON.stringify(changes),
      );
  });

  it('is not changed after someone else changed it, even if that makes the change invalid', async () => {
    const webhook = await createWebhook(api, 'http://127.0.0.1:9/');
    const input = alertInput(URL_WITH_TOKEN, { webhook_ids: [webhook] });
    const { id, ...read } = await api.create('/alerts', input);
    const etag = { 'If-Match': '"1"' };
    const others = { ...read, webhook_ids: null };
    assert.equal((await api.put(`/alerts/${id}`, others, etag)).status, 200);
    await api.delete(`/webhooks/${webhook}`);
    assertProblem(await api.put(`/alerts/${id}`, read, etag), 412, 'precondition-failed');
    assertInvalid(await api.put(`/alerts/${id}`, read), ['/webhook_ids/0']);
  });

  it('names at most a hundred webhooks that do not exist', async () => {
    const ids = Array.from({ length: 1_000 }, (_, index) => 900_000 + index);
    const { status, body } = await api.post('/alerts', alertInput(URL_WITH_TOKEN, { webhook_ids: ids }));
    assert.deepEqual([status, body.errors.length], [400, 100]);
    assert.match(body.detail, /at least 1000 errors/);
  });

  it('keeps a deleted webhook, but accepts no other one that does not exist', async () => {
    const webhook = await createWebhook(api, 'http://127.0.0.1:9/');
    const { id } = await api.create('/alerts', alertInput(URL_WITH_TOKEN, { webhook_ids: [webhook] }));
    await api.delete(`/webhooks/${webhook}`);
    const { body } = await api.get(`/alerts/${id}`);
    assert.equal((await api.put(`/alerts/${id}`, body)).status, 200);
    assertInvalid(await api.put(`/alerts/${id}`, { ...body, webhook_ids: [webhook, webhook + 900] }), [
      '/webhook_ids/1',
    ]);
  });
});

describe('an alert rule with e-mail', () => {
  it('is refused if no SMTP server is set, because nobody would be notified', async () => {
    await using without = await startTestService();
    const answer = await without.api.post(
      '/alerts',
      alertInput(URL_WITH_TOKEN, { email_to: ['a@example.com'] }),
    );
    assertInvalid(answer, ['/email_to']);
    assert.match(answer.body.errors[0].detail, /smtp_host/);
    const wrong = alertInput(URL_WITH_TOKEN, { email_to: ['a@example.com', 'no address'] });
    assertInvalid(await without.api.post('/alerts', wrong), ['/email_to', '/email_to/1']);
  });

  it('can be edited and disabled without an SMTP server, but gets no further addresses', async () => {
    using folder = temporaryFolder();
    const dataDir = folder.path;
    await using first = await startTestService({ dataDir, settings: mail.settings });
    const input = alertInput('', { target: null, email_to: ['a@example.com', 'b@example.com'] });
    const { id } = await first.api.create('/alerts', input);
    await first.stop();
    await using without = await startTestService({ dataDir });
    const { body } = await without.api.get(`/alerts/${id}`);
    const put = (changes: object) => without.api.put(`/alerts/${id}`, { ...body, ...changes });
    assertInvalid(await put({ email_to: [...body.email_to, 'c@example.com'] }), ['/email_to']);
    for (const changes of [{}, { enabled: false, name: 'Quiet' }, { email_to: ['b@example.com'] }])
      assert.equal((await put(changes)).status, 200, JSON.stringify(changes));
    assertInvalid(await put({ email_to: ['a@example.com'] }), ['/email_to']);
  });
});
