import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { WrongSecretError } from '../../src/secrets/secret-check.ts';
import { openAuthSecrets } from '../../src/secrets/stored-secret.ts';
import { basic } from '../support/basic.ts';
import { openTestDatabase, runSql } from '../support/database.ts';
import { startTestService, temporaryFolder, until } from '../support/service.ts';
import { runProgram } from '../support/service-process.ts';
import { startTarget } from '../support/target.ts';
import { assertInvalid, webhookInput } from './webhook-expectations.ts';

// Runs on SQLite in `npm test`: secrets are read and compared in the process. The tests of the secret check and of
// changing the secret store its values on both.

const SECRET = 'S'.repeat(64);
const BASIC = { type: 'BASIC', key: 'coursewire', secret: 'open sesame' };
const AUTHORIZATION = basic('coursewire', 'open sesame');

/** Starts a service on a folder, creates a webhook with credentials, and stops the service again. */
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
  test('is created at the first start, readable only by its owner, and credentials survive restarts', async () => {
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

  test('is compared at start, and a different one is reported by name', async () => {
    using folder = temporaryFolder();
    await makeWebhook(folder.path, 'http://127.0.0.1:9/', SECRET);
    for (const wrong of ['T'.repeat(64), `${SECRET.slice(1)}s`]) {
      assert.match(await refusalToStart(folder.path, wrong), /webhooks_auth_secret is not the one/);
    }
    assert.match(await refusalToStart(folder.path, null), /webhooks_auth_secret is missing/);
    assert.ok(!existsSync(path.join(folder.path, 'webhooks_auth_secret')), 'no other secret was made');
    await using service = await startTestService({
      dataDir: folder.path,
      settings: { webhooks_auth_secret: SECRET },
    });
    assert.equal((await service.api.get('/webhooks')).body.data[0].authentication.key, BASIC.key);
  });

  test('if lost, stops every command, which says what to do and writes nothing', async () => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, 'webhooks_auth_secret');
    await using service = await startTestService({ dataDir: folder.path });
    await service.stop();
    const secret = readFileSync(file, 'utf8');
    rmSync(file);
    // A start that fails must not apply a pending migration.
    await runSql(folder.path, "delete from migrations where name = 'trends' returning number");
    for (const command of [['serve'], ['client', 'list'], ['user', 'list'], ['secrets', 're-encrypt']]) {
      const ended = await runProgram(command, { data_dir: folder.path, port: 0 });
      assert.equal(ended.code, 1, ended.output);
      assert.ok(ended.errors.includes(file), ended.errors);
      assert.match(ended.errors, /webhooks_auth_secret is missing.*restore that file from a backup/);
      assert.match(
        ended.errors,
        /A lost webhooks_auth_secret/,
        'names the chapter for a secret that is gone for good',
      );
      assert.ok(!existsSync(file), 'no other secret was made');
    }
    assert.deepEqual(await runSql(folder.path, "select number from migrations where name = 'trends'"), []);
    await runSql(
      folder.path,
      "insert into migrations (number, name, breaking, applied_at) values (5, 'trends', 0, 0) returning number",
    );

    writeFileSync(file, secret);
    await using again = await startTestService({ dataDir: folder.path });
    assert.equal((await again.api.get('/webhooks')).status, 200);
  });

  test('if lost for good, can be replaced as documented: credentials are set again', async () => {
    using folder = temporaryFolder();
    await using target = await startTarget();
    const id = await makeWebhook(folder.path, target.url, null);
    rmSync(path.join(folder.path, 'webhooks_auth_secret'));
    const documented = readFileSync('docs/operating.md', 'utf8').match(
      /delete from service_secrets where name = '\w+'/g,
    );
    const [statement, ...others] = new Set(documented);
    assert.ok(statement, 'the statement is in the documentation');
    assert.deepEqual(others, [], 'it is the same for both databases');
    await runSql(folder.path, `${statement} returning name`);

    await using service = await startTestService({ dataDir: folder.path });
    const { api, logLines } = service;
    assert.ok(
      logLines.some((line) => /1 stored value is encrypted with a secret that is not/.test(line.msg)),
    );
    const { body: record } = await api.get(`/webhooks/${id}`);
    assert.deepEqual(record.authentication, { type: 'BASIC', key: '' });
    for (const change of [{ enabled: false }, { paused: true }, {}]) {
      const sentBack = await api.put(`/webhooks/${id}`, { ...record, ...change });
      assert.equal(sentBack.status, 200, JSON.stringify(sentBack.body));
      assert.deepEqual(sentBack.body.authentication, record.authentication);
    }
    const otherOrigin = await api.put(`/webhooks/${id}`, { ...record, target_url: 'http://127.0.0.1:9/' });
    assertInvalid(otherOrigin, ['/authentication/secret']);
    const withSecret = { type: 'BASIC', key: '', secret: 'new' };
    assertInvalid(await api.put(`/webhooks/${id}`, { ...record, authentication: withSecret }), [
      '/authentication/key',
    ]);
    assert.equal((await api.put(`/webhooks/${id}`, { ...record, authentication: BASIC })).status, 200);
    await api.create('/accounts', { name: 'Northwind' });
    const [received] = await target.waitFor(1);
    assert.equal(received?.headers.authorization, AUTHORIZATION);
  });

  test('if created twice for one new database at the same time, only the first is kept', async () => {
    using first = temporaryFolder();
    using second = temporaryFolder();
    await using opened = await openTestDatabase();
    const { database } = opened;
    await database.transaction(async (tx) => {
      await tx.run("delete from service_secrets where name = 'webhooks_auth_secret_check'");
    });
    const [file, lateFile] = [first, second].map((folder) => path.join(folder.path, 'webhooks_auth_secret'));
    const open = (secretFile: string) =>
      openAuthSecrets(database, { secretFile, configured: null, former: null });
    const inTime = await open(file!);
    const late = await open(lateFile!);
    await inTime.keep();
    await assert.rejects(late.keep(), WrongSecretError);
    assert.deepEqual([existsSync(file!), existsSync(lateFile!)], [true, false]);
  });

  test('in a damaged file is reported clearly at start, and the file is not changed', async () => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, 'webhooks_auth_secret');
    await makeWebhook(folder.path, 'http://127.0.0.1:9/', null);
    for (const damaged of ['', 'half of it', 'x'.repeat(128)]) {
      writeFileSync(file, damaged);
      const message = await refusalToStart(folder.path, null);
      assert.match(message, /webhooks_auth_secret must contain 64 characters but contains \d+/);
      assert.equal(readFileSync(file, 'utf8'), damaged);
    }
  });

  test('protects credentials that were copied from another row: they are sent nowhere, and can be set again', async () => {
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
    assert.deepEqual(
      record.authentication,
      { type: 'BASIC', key: '' },
      'readable, so that it can be corrected',
    );
    await api.delete(`/webhooks/${first}`);
    await api.create('/accounts', { name: 'Northwind' });
    const statistics = await until(async () => {
      const { body } = await api.get(`/webhooks/${second}/statistics`);
      return body.error_count > 0 && body;
    }, 'the attempt failed');
    assert.match(statistics.last_error_message, /credentials cannot be decrypted/);
    assert.equal(target.requests.length, 0);
    const corrected = await api.put(`/webhooks/${second}`, { ...record, authentication: BASIC });
    assert.equal(corrected.status, 200);
    const [received] = await target.waitFor(1);
    assert.equal(received?.headers.authorization, AUTHORIZATION);
  });
});
