import assert from 'node:assert/strict';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { runSql } from '../support/database.ts';
import { startTestService, temporaryFolder, until } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { webhookInput } from './webhook-expectations.ts';

const SECRET = 'S'.repeat(64);
const BASIC = { type: 'BASIC', key: 'coursewire', secret: 'open sesame' };
const AUTHORIZATION = `Basic ${Buffer.from('coursewire:open sesame').toString('base64')}`;

/** Starts a service on a folder in which a webhook with credentials was made, and stops it again. */
async function makeWebhook(
  dataDir: string,
  targetUrl: string,
  webhooks_auth_secret: string | null,
): Promise<number> {
  await using service = await startTestService({ dataDir, settings: { webhooks_auth_secret } });
  const { id } = await service.api.create(
    '/webhooks',
    webhookInput({ target_url: targetUrl, authentication: BASIC }),
  );
  return id;
}

async function refusalToStart(dataDir: string, webhooks_auth_secret: string | null): Promise<string> {
  const start = startTestService({ dataDir, settings: { webhooks_auth_secret } });
  let message = '';
  await assert.rejects(start, (error: Error) => {
    message = error.message;
    return true;
  });
  for (const hidden of [SECRET, BASIC.secret]) assert.ok(!message.includes(hidden), message);
  return message;
}

describe('webhooks_auth_secret', () => {
  test('made at the first start: kept for its owner, and credentials live on through restarts', async () => {
    using folder = temporaryFolder();
    await using target = await startTarget();
    await makeWebhook(folder.path, target.url, null);
    const file = path.join(folder.path, 'webhooks_auth_secret');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const secret = readFileSync(file, 'utf8');
    await using service = await startTestService({ dataDir: folder.path });
    assert.equal(readFileSync(file, 'utf8'), secret);
    await service.api.create('/accounts', { name: 'Northwind' });
    const [received] = await target.waitFor(1);
    assert.equal(received?.headers.authorization, AUTHORIZATION);
  });

  test('another one than before is noticed at start, and named', async () => {
    using folder = temporaryFolder();
    await makeWebhook(folder.path, 'http://127.0.0.1:9/', SECRET);
    for (const wrong of ['T'.repeat(64), `${SECRET.slice(1)}s`, null]) {
      assert.match(await refusalToStart(folder.path, wrong), /webhooks_auth_secret is not the one/);
    }
    await using service = await startTestService({
      dataDir: folder.path,
      settings: { webhooks_auth_secret: SECRET },
    });
    assert.equal((await service.api.get('/webhooks')).body.data[0].authentication.key, BASIC.key);
  });

  test('one that was lost is noticed at start, before any webhook is', async () => {
    using folder = temporaryFolder();
    await using service = await startTestService({ dataDir: folder.path });
    await service.stop();
    rmSync(path.join(folder.path, 'webhooks_auth_secret'));
    assert.match(await refusalToStart(folder.path, null), /webhooks_auth_secret is not the one/);
  });

  test('a damaged file of it is said clearly at start, and left alone', async () => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, 'webhooks_auth_secret');
    await makeWebhook(folder.path, 'http://127.0.0.1:9/', null);
    for (const damaged of ['', 'half of it', 'x'.repeat(128)]) {
      writeFileSync(file, damaged);
      const message = await refusalToStart(folder.path, null);
      assert.match(message, /webhooks_auth_secret must hold 64 characters, it holds \d+/);
      assert.equal(readFileSync(file, 'utf8'), damaged);
    }
  });

  test('credentials that were copied from another row are sent nowhere, and can be set anew', async () => {
    using folder = temporaryFolder();
    await using target = await startTarget();
    const first = await makeWebhook(folder.path, 'http://127.0.0.1:9/', SECRET);
    const second = await makeWebhook(folder.path, target.url, SECRET);
    const copied = await runSql(
      folder.path,
      'update webhooks set credentials = (select credentials from webhooks where id = ?) where id = ? returning id',
      first,
      second,
    );
    assert.equal(copied.length, 1);

    await using service = await startTestService({
      dataDir: folder.path,
      settings: { webhooks_auth_secret: SECRET },
    });
    const { api } = service;
    const record = (await api.get(`/webhooks/${second}`)).body;
    assert.deepEqual(record.authentication, { type: 'BASIC', key: '' }, 'readable, so that it can be mended');
    await api.delete(`/webhooks/${first}`);
    await api.create('/accounts', { name: 'Northwind' });
    const statistics = await until(async () => {
      const { body } = await api.get(`/webhooks/${second}/statistics`);
      return body.error_count > 0 && body;
    }, 'the attempt failed');
    assert.match(statistics.last_error_message, /credentials cannot be decrypted/);
    assert.equal(target.requests.length, 0);
    const mended = await api.put(`/webhooks/${second}`, { ...record, authentication: BASIC });
    assert.equal(mended.status, 200);
    const [received] = await target.waitFor(1);
    assert.equal(received?.headers.authorization, AUTHORIZATION);
  });
});
