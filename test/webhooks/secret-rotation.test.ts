import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Settings } from '../../src/settings/settings-table.ts';
import { importCourse } from '../content/packages.ts';
import { basic } from '../support/basic.ts';
import { runSql } from '../support/database.ts';
import { Api, startTestService, type TestService, temporaryFolder, until } from '../support/service.ts';
import { runProgram } from '../support/service-process.ts';
import { startTarget, type Target } from '../support/target.ts';
import { webhookInput } from './webhook-expectations.ts';

const OLD = 'o'.repeat(64);
const NEW = 'n'.repeat(64);
const OTHER = 'x'.repeat(64);
const BASIC = { type: 'BASIC', key: 'postbacks', secret: 'open sesame' };
const AUTHORIZATION = basic('postbacks', 'open sesame');

type Secrets = Pick<Settings, 'webhooks_auth_secret' | 'webhooks_auth_secret_previous'>;
const secrets = (
  webhooks_auth_secret: string,
  webhooks_auth_secret_previous: string | null = null,
): Secrets => ({
  webhooks_auth_secret,
  webhooks_auth_secret_previous,
});

function start(dataDir: string, given: Secrets): Promise<TestService> {
  return startTestService({ dataDir, settings: given });
}

async function reEncrypt(dataDir: string, given: Secrets) {
  const ended = await runProgram(['secrets', 're-encrypt'], {
    data_dir: dataDir,
    ...(Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null)) as Record<
      string,
      string
    >),
  });
  for (const hidden of [OLD, NEW, OTHER, BASIC.key, BASIC.secret]) {
    assert.ok(!`${ended.output}${ended.errors}`.includes(hidden), 'nothing secret is shown');
  }
  return ended;
}

function addWebhook({ api }: TestService, target: Target, name: string): Promise<{ id: number }> {
  const input = { name, target_url: target.url, authentication: BASIC, max_attempts: 1_000 };
  return api.create('/webhooks', webhookInput(input));
}

/** Causes an event and asserts that this many webhooks send it with the credentials that were set. */
async function assertAuthorized(service: TestService, target: Target, webhooks: number): Promise<void> {
  const before = target.requests.length;
  await service.api.create('/accounts', { name: 'Northwind' });
  await target.waitFor(before + webhooks);
  const sent = target.requests.slice(before).map(({ headers }) => headers.authorization);
  assert.deepEqual(
    sent,
    Array.from({ length: webhooks }, () => AUTHORIZATION),
  );
}

const warnings = ({ logLines }: TestService): string[] =>
  logLines.flatMap(({ msg }) => (/webhooks_auth_secret/.test(msg) ? [msg] : []));

describe('changing webhooks_auth_secret', () => {
  test('works step by step: postbacks, access tokens and launch links work before, during and after', async () => {
    using folder = temporaryFolder();
    await using target = await startTarget();
    let formerToken: string;
    let launchPath: string;
    {
      await using service = await start(folder.path, secrets(OLD));
      const course = await importCourse(service);
      const account = await service.api.create('/accounts', { name: 'Contoso' });
      await service.api.post(`/accounts/${account.id}/content`, {
        contents: [{ type: 'COURSE', id: course.id }],
      });
      await addWebhook(service, target, 'made before');
      await assertAuthorized(service, target, 1);
      formerToken = service.api.token;
      launchPath = await makeLaunchPath(service, account.id, course.id);
    }

    {
      await using service = await start(folder.path, secrets(NEW, OLD));
      assert.match(
        warnings(service).join(),
        /2 stored values are encrypted with webhooks_auth_secret_previous/,
      );
      assert.equal((await new Api(service.url, formerToken).get('/webhooks')).status, 200);
      assert.equal((await fetch(service.url + launchPath)).status, 200);
      await addWebhook(service, target, 'made during');
      await assertAuthorized(service, target, 2);

      const done = await reEncrypt(folder.path, secrets(NEW, OLD));
      assert.equal(done.code, 0, done.errors);
      assert.match(done.output, /Re-encrypted: 2\.\nNow: 3 with webhooks_auth_secret, 0 with/);
      assert.match(done.output, /Verified: no stored data needs webhooks_auth_secret_previous any longer/);
      // A course that is open may stay open for launch_lifetime.
      assert.match(done.output, /until 12 hours after/);
      await assertAuthorized(service, target, 2);
      assert.equal((await new Api(service.url, formerToken).get('/webhooks')).status, 200);
    }

    {
      await using service = await start(folder.path, secrets(NEW, OLD));
      assert.match(
        warnings(service).join(),
        /No stored value is encrypted with webhooks_auth_secret_previous/,
      );
    }
    await using service = await start(folder.path, secrets(NEW));
    assert.deepEqual(warnings(service), []);
    await assertAuthorized(service, target, 2);
    assert.equal(
      (await new Api(service.url, formerToken).get('/webhooks')).status,
      401,
      'the former secret is gone',
    );
  });

  test('works with several instances: first each one learns the new secret, then each one uses it', async () => {
    using folder = temporaryFolder();
    await using target = await startTarget();
    {
      await using service = await start(folder.path, secrets(OLD));
      await addWebhook(service, target, 'first');
    }
    // As another instance that already uses the new secret would have written it.
    {
      await using service = await start(folder.path, secrets(NEW, OLD));
      await addWebhook(service, target, 'second');
    }
    await using service = await start(folder.path, secrets(OLD, NEW));
    await assertAuthorized(service, target, 2);
  });

  test('lets a running service send again what it could not decrypt, once that is re-encrypted for it', async () => {
    using folder = temporaryFolder();
    await using target = await startTarget();
    await (await start(folder.path, secrets(OLD))).stop();
    let id: number;
    // As another instance that already uses the new secret would have written it.
    {
      await using service = await start(folder.path, secrets(NEW, OLD));
      ({ id } = await addWebhook(service, target, 'first'));
    }
    await using service = await start(folder.path, secrets(OLD));
    await service.api.create('/accounts', { name: 'Northwind' });
    const readDelivery = async () => (await service.api.get(`/webhooks/${id}/deliveries`)).body.data[0];
    await until(async () => (await readDelivery()) !== undefined, 'an attempt has failed');
    assert.match((await readDelivery()).error, /cannot be decrypted/);
    assert.equal((await reEncrypt(folder.path, secrets(OLD, NEW))).code, 0);
    await target.waitFor(1);
    assert.equal(target.requests[0]!.headers.authorization, AUTHORIZATION);
  });

  test('rejects a wrong former secret, at start and by the command, and changes nothing', async () => {
    using folder = temporaryFolder();
    await using target = await startTarget();
    {
      await using service = await start(folder.path, secrets(OLD));
      await addWebhook(service, target, 'first');
    }
    const refusal = /neither webhooks_auth_secret nor webhooks_auth_secret_previous is the one/;
    await assert.rejects(start(folder.path, secrets(NEW, OTHER)), refusal);
    const ended = await reEncrypt(folder.path, secrets(NEW, OTHER));
    assert.equal(ended.code, 1);
    assert.match(ended.errors, refusal);
    await using service = await start(folder.path, secrets(OLD));
    await assertAuthorized(service, target, 1);
  });

  test('reports at start that the former secret was removed too early, until it is set again', async () => {
    using folder = temporaryFolder();
    await using target = await startTarget();
    {
      await using service = await start(folder.path, secrets(OLD));
      await addWebhook(service, target, 'first');
    }
    await assert.rejects(start(folder.path, secrets(NEW)), /set that one as webhooks_auth_secret_previous/);
    assert.equal((await reEncrypt(folder.path, secrets(NEW, OLD))).code, 0);
    // As a service with the former secret wrote it after the re-encryption.
    await runSql(folder.path, "update webhooks set credentials = 'v1.00000000.AAAA.AAAA'");
    await using service = await start(folder.path, secrets(NEW));
    assert.match(
      warnings(service).join(),
      /1 stored value is encrypted with a secret that is not configured/,
    );
    const ended = await reEncrypt(folder.path, secrets(NEW));
    assert.equal(ended.code, 1);
    assert.match(ended.errors, /No configured secret decrypts the credentials of these webhooks: 1\./);
  });

  test('reports wrong usage with exit code 2', async () => {
    using folder = temporaryFolder();
    for (const args of [['secrets'], ['secrets', 'show'], ['secrets', 're-encrypt', 'now']]) {
      const ended = await runProgram(args, { data_dir: folder.path });
      assert.equal(ended.code, 2, args.join(' '));
      assert.match(ended.errors, /coursewire secrets --help/);
    }
  });
});

async function makeLaunchPath({ api }: TestService, accountId: number, courseId: number): Promise<string> {
  const registration = await api.create('/registrations', {
    account_id: accountId,
    course_id: courseId,
    learner_id: 'learner-1',
  });
  const launch = await api.post(`/registrations/${registration.registration_id}/launch`, {});
  assert.equal(launch.status, 200, JSON.stringify(launch.body));
  return new URL(launch.body.launch_url).pathname;
}
