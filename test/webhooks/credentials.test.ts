import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { basic } from '../support/basic.ts';
import { runSql } from '../support/database.ts';
import { type Api, startTestService, type TestService, temporaryFolder, until } from '../support/service.ts';
import { startTarget, type Target } from '../support/target.ts';
import { echo } from '../support/target-behaviours.ts';
import { assertInvalid, webhookInput } from './webhook-expectations.ts';

// Runs on SQLite alone: credentials are checked and encrypted before they are stored.

describe('credentials of webhooks', () => {
  let service: TestService;
  let api: Api;
  let target: Target;

  before(async () => {
    target = await startTarget();
    service = await startTestService();
    api = service.api;
  });
  after(async () => {
    await service.stop();
    await target.close();
  });

  let created = 0;
  async function create(
    authentication: object,
  ): Promise<{ id: number; input: Record<string, unknown>; path: string }> {
    created += 1;
    const path = `/credentials/${created}`;
    const input = webhookInput({ target_url: target.url + path });
    const { id } = await api.create('/webhooks', { ...input, authentication });
    return { id, input, path };
  }
  /** The Authorization header of this webhook's next postback. */
  async function nextAuthorization(webhookPath: string): Promise<string | undefined> {
    const received = () => target.requests.filter((request) => request.path === webhookPath);
    const before = received().length;
    await api.create('/accounts', { name: 'Northwind' });
    await target.waitFor(() => received().length > before);
    return received().at(-1)?.headers.authorization;
  }

  test('are sent with each postback as HTTP Basic', async () => {
    const { path } = await create({ type: 'BASIC', key: 'coursewire', secret: 'open sesame' });
    assert.equal(await nextAuthorization(path), basic('coursewire', 'open sesame'));
  });

  test('are sent as UTF-8, whatever characters they have', async () => {
    const { path } = await create({ type: 'BASIC', key: 'Zoë "x"', secret: 'pässwörd: 🚒 {}' });
    assert.equal(await nextAuthorization(path), basic('Zoë "x"', 'pässwörd: 🚒 {}'));
  });

  test('are in the database only as long as the webhook exists', async () => {
    const { id } = await create({ type: 'BASIC', key: 'coursewire', secret: 'open sesame' });
    const stored = async () => {
      const sql = 'select credentials from webhooks where id = ?';
      return await runSql<{ credentials: string | null }>(service.settings.data_dir, sql, id);
    };
    const [before] = await stored();
    assert.notEqual(before?.credentials, null);
    assert.equal((await api.delete(`/webhooks/${id}`)).status, 204);
    // Its history keeps the row.
    assert.deepEqual(await stored(), [{ credentials: null }]);
  });

  test('are absent for type NONE', async () => {
    const { path } = await create({ type: 'NONE' });
    assert.equal(await nextAuthorization(path), undefined);
  });

  test('stay if an update has the same key and no secret', async () => {
    const { id, input, path } = await create({ type: 'BASIC', key: 'k', secret: 'first' });
    const updated = await api.put(`/webhooks/${id}`, {
      ...input,
      name: 'New',
      authentication: { type: 'BASIC', key: 'k' },
    });
    assert.deepEqual(updated.body.authentication, { type: 'BASIC', key: 'k' });
    assert.equal(await nextAuthorization(path), basic('k', 'first'));
    const read = (await api.get(`/webhooks/${id}`)).body;
    assert.equal((await api.put(`/webhooks/${id}`, read)).status, 200);
    assert.equal(await nextAuthorization(path), basic('k', 'first'));
  });

  test('change with a new secret, and with a new key only if its secret is given too', async () => {
    const { id, input, path } = await create({ type: 'BASIC', key: 'k', secret: 'first' });
    const put = (authentication: object) => api.put(`/webhooks/${id}`, { ...input, authentication });
    assert.equal((await put({ type: 'BASIC', key: 'k', secret: 'second' })).status, 200);
    assert.equal(await nextAuthorization(path), basic('k', 'second'));
    assertInvalid(await put({ type: 'BASIC', key: 'other' }), ['/authentication/secret']);
    assertInvalid(await put({ type: 'BASIC', key: 'K' }), ['/authentication/secret']);
    assert.equal(await nextAuthorization(path), basic('k', 'second'));
    assert.equal((await put({ type: 'BASIC', key: 'other', secret: 'third' })).status, 200);
    assert.equal(await nextAuthorization(path), basic('other', 'third'));
  });

  test('are sent to another scheme, host or port only if the secret is given again', async () => {
    const { id, input, path } = await create({ type: 'BASIC', key: 'k', secret: 'first' });
    const { port } = new URL(target.url);
    const put = (target_url: string, secret?: string) =>
      api.put(`/webhooks/${id}`, {
        ...input,
        target_url,
        authentication: { type: 'BASIC', key: 'k', secret },
      });
    const elsewhere = [
      `https://127.0.0.1:${port}${path}`,
      `http://localhost:${port}${path}`,
      `http://127.0.0.2:${port}${path}`,
      `http://127.0.0.1:${Number(port) - 1}${path}`,
      `http://127.0.0.1${path}`,
    ];
    for (const url of elsewhere) assertInvalid(await put(url), ['/authentication/secret']);
    assert.equal(await nextAuthorization(path), basic('k', 'first'));

    assert.equal((await put(`${target.url}${path}?token=1#top`)).status, 200);
    assert.equal((await put(`HTTP://127.0.0.1:${port}${path}`)).status, 200);
    assert.equal(await nextAuthorization(path), basic('k', 'first'));
    assert.equal((await put(`http://localhost:${port}${path}`, 'again')).status, 200);
    assert.equal(await nextAuthorization(path), basic('k', 'again'));
  });

  test('are deleted with type NONE, and if the member is omitted', async () => {
    for (const forgetting of [{ authentication: { type: 'NONE' } }, {}]) {
      const { id, input, path } = await create({ type: 'BASIC', key: 'k', secret: 'first' });
      const updated = await api.put(`/webhooks/${id}`, { ...input, ...forgetting });
      assert.deepEqual(updated.body.authentication, { type: 'NONE' });
      assert.equal(await nextAuthorization(path), undefined);
      const again = await api.put(`/webhooks/${id}`, {
        ...input,
        authentication: { type: 'BASIC', key: 'k' },
      });
      assertInvalid(again, ['/authentication/secret'], 'the old secret is gone');
    }
  });
});

test('secrets are in no response, log line or file, whatever is called and however it fails', async () => {
  using folder = temporaryFolder();
  await using target = await startTarget({ respondWith: echo(500) });
  const key = 'the-key-of-the-target';
  const secret = 'the "s€cret"/of the\\target';
  const answers: string[] = [];
  let lines = '';
  let hidden: string[] = [];
  {
    await using service = await startTestService({
      dataDir: folder.path,
      settings: { log_level: 'trace' },
    });
    const { api } = service;
    const call = async (method: string, path: string, body?: unknown) => {
      const answer = await api.call(method, path, body);
      answers.push(JSON.stringify([answer.body, ...answer.headers]));
      return answer.body;
    };
    const input = webhookInput({
      target_url: target.url,
      logging_mode: 'FULL',
      max_attempts: 2,
      authentication: { type: 'BASIC', key, secret },
    });
    const { id } = await call('POST', '/webhooks', input);
    await call('POST', '/accounts', { name: 'Northwind' });
    await until(async () => {
      const { data } = await call('GET', `/webhooks/${id}/deliveries`);
      return data[0]?.status === 'DEAD_LETTERED';
    }, 'both attempts are made');
    const { data } = await call('GET', `/webhooks/${id}/deliveries`);
    await call('GET', `/webhooks/${id}/deliveries/${data[0].id}`);
    for (const part of ['', '/statistics', '/line']) await call('GET', `/webhooks/${id}${part}`);
    await call('GET', '/webhooks');
    await call('POST', `/webhooks/${id}/test`);
    await call('PUT', `/webhooks/${id}`, { ...input, authentication: { type: 'BASIC', key: 'other' } });
    await call('PUT', `/webhooks/${id}`, { ...input, authentication: { type: 'NONE', secret } });
    await call('POST', '/webhooks', {
      ...input,
      name: '',
      authentication: { type: 'BASIC', key: 'a:b', secret },
    });
    await call(
      'POST',
      '/webhooks',
      `{"authentication":{"type":"BASIC","key":"k","secret":${JSON.stringify(secret)}}`,
    );
    await call('PUT', `/webhooks/${id}`, input);
    hidden = [service.clientSecret, api.token, basic(key, secret), basic(key, secret).slice('Basic '.length)];
    await service.stop();
    lines = service.logLines.map((line) => JSON.stringify(line)).join('\n');
  }
  assert.ok(target.requests.length >= 3, 'the target got them and echoed them');
  assert.ok(target.requests.every(({ headers }) => headers.authorization === basic(key, secret)));
  assert.match(lines, /the-key-of|response_body/, 'the log is as full as it gets');

  const encoded = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)];
  for (const text of [...hidden, ...encoded]) {
    assert.ok(
      !lines.includes(text) && !lines.includes(JSON.stringify(text).slice(1, -1)),
      `a log line holds ${text}`,
    );
    for (const answer of answers) {
      assert.ok(
        !answer.includes(text) && !answer.includes(JSON.stringify(text).slice(1, -1)),
        `an answer holds ${text}: ${answer}`,
      );
    }
  }
  for (const entry of readdirSync(folder.path, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const bytes = readFileSync(path.join(entry.parentPath, entry.name));
    for (const text of [...hidden, ...encoded, key])
      assert.ok(!bytes.includes(text), `${entry.name} holds ${text}`);
  }
});
