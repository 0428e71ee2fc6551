import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { runSql } from '../support/database.ts';
import { startTestService, type TestService, temporaryFolder, until } from '../support/service.ts';
import { runProgram } from '../support/service-process.ts';
import { type ReceivedPostback, startTarget, type Target } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';
import { assertProblem, webhookInput } from './webhook-expectations.ts';

// Runs on SQLite alone: messages are signed after they were read. Other tests of webhooks run the same queries on both
// databases.

const OLD = 'o'.repeat(64);
const NEW = 'n'.repeat(64);
const DAY_S = 24 * 60 * 60;

async function addWebhook({ api }: TestService, target: Target, more: object = {}): Promise<number> {
  return (await api.create('/webhooks', webhookInput({ target_url: target.url, ...more }))).id;
}

/** Creates or replaces the secret of a webhook. */
async function rotate({ api }: TestService, id: number, body?: object) {
  const { status, body: made } = await api.post(`/webhooks/${id}/signing-secret`, body);
  assert.equal(status, 200, JSON.stringify(made));
  return made as {
    signing_secret: string;
    signing_since_dt: string;
    former_signing_secret_until_dt: string | null;
  };
}

/** The postback of a new event. */
async function nextPostback({ api }: TestService, target: Target): Promise<ReceivedPostback> {
  const before = target.requests.length;
  await api.create('/accounts', { name: 'Nörthwind “Traders” 💥' });
  await target.waitFor(before + 1);
  return target.requests[before]!;
}

/** The headers as a receiver sees them. */
function headersOf({ headers }: ReceivedPostback): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

/** Verifies with the library of Standard Webhooks. @throws if it refuses the postback */
function verify(secret: string, postback: ReceivedPostback, body = postback.text): unknown {
  return new Webhook(secret).verify(body, headersOf(postback));
}

const signaturesOf = (postback: ReceivedPostback) =>
  String(postback.headers['webhook-signature'] ?? '')
    .split(' ')
    .filter(Boolean);

describe('signed postbacks', () => {
  test('a receiver with the library of Standard Webhooks accepts a postback, and none with a changed byte', async () => {
    await using service = await startTestService();
    await using target = await startTarget();
    const id = await addWebhook(service, target);
    const unsigned = await nextPostback(service, target);
    assert.equal(unsigned.headers['webhook-signature'], undefined);

    const { signing_secret: secret } = await rotate(service, id);
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    const postback = await nextPostback(service, target);
    assert.deepEqual(verify(secret, postback), postback.json);
    assert.equal(signaturesOf(postback).length, 1);
    assert.throws(() => verify(secret, postback, postback.text.replace('Nörthwind', 'Northwind')));
    assert.throws(() => verify(`whsec_${Buffer.alloc(32).toString('base64')}`, postback));
    const headers = headersOf(postback);
    assert.throws(() =>
      new Webhook(secret).verify(postback.text, { ...headers, 'webhook-id': crypto.randomUUID() }),
    );
    const old = String(Number(headers['webhook-timestamp']) - 3_600);
    assert.throws(() => new Webhook(secret).verify(postback.text, { ...headers, 'webhook-timestamp': old }));
  });

  test('after a rotation, both secrets verify until the former one expires', async () => {
    let now = Date.now();
    await using service = await startTestService({ now: () => now });
    await using target = await startTarget();
    const id = await addWebhook(service, target);
    const first = await rotate(service, id);
    assert.equal(first.former_signing_secret_until_dt, null);
    const second = await rotate(service, id);
    assert.notEqual(second.signing_secret, first.signing_secret);
    assert.equal(second.signing_since_dt, first.signing_since_dt);
    assert.equal(Date.parse(second.former_signing_secret_until_dt ?? ''), now + DAY_S * 1_000);

    const both = await nextPostback(service, target);
    assert.equal(signaturesOf(both).length, 2);
    for (const { signing_secret: secret } of [first, second]) verify(secret, both);

    const third = await rotate(service, id, { former_valid_for: 600 });
    const again = await nextPostback(service, target);
    for (const { signing_secret: secret } of [second, third]) verify(secret, again);
    assert.throws(() => verify(first.signing_secret, again), 'only one former secret signs');

    now += 600_000;
    const later = await nextPostback(service, target);
    // The library compares with the real clock: compare the signature by itself.
    const signed = new Webhook(third.signing_secret).sign(
      String(later.headers['webhook-id']),
      new Date(Number(later.headers['webhook-timestamp']) * 1_000),
      later.text,
    );
    assert.deepEqual(signaturesOf(later), [signed]);
    const { body: record } = await service.api.get(`/webhooks/${id}`);
    assert.equal(record.former_signing_secret_until_dt, null);
  });

  test('a client that has not read a later rotation cannot delete the secret', async () => {
    await using service = await startTestService();
    await using target = await startTarget();
    const id = await addWebhook(service, target);
    await rotate(service, id);
    const { headers } = await service.api.get(`/webhooks/${id}`);
    await rotate(service, id);
    const path = `/webhooks/${id}/signing-secret`;
    const refused = await service.api.delete(path, { 'if-match': headers.get('etag')! });
    assertProblem(refused, 412, 'precondition-failed');
    const current = await service.api.get(`/webhooks/${id}`);
    assert.notEqual(current.body.signing_since_dt, null);
    assert.equal((await service.api.delete(path, { 'if-match': current.headers.get('etag')! })).status, 204);
  });

  test('a rotation that keeps the former secret for 0 seconds ends it at once', async () => {
    await using service = await startTestService();
    await using target = await startTarget();
    const id = await addWebhook(service, target);
    const { signing_secret: leaked } = await rotate(service, id);
    const { signing_secret: secret, former_signing_secret_until_dt: until } = await rotate(service, id, {
      former_valid_for: 0,
    });
    assert.equal(until, null);
    const postback = await nextPostback(service, target);
    assert.equal(signaturesOf(postback).length, 1);
    verify(secret, postback);
    assert.throws(() => verify(leaked, postback));
  });

  test('a rotation rejects more than 7 days, less than 0, and unknown members', async () => {
    await using service = await startTestService();
    await using target = await startTarget();
    const id = await addWebhook(service, target);
    await rotate(service, id, { former_valid_for: 7 * DAY_S });
    for (const body of [{ former_valid_for: 7 * DAY_S + 1 }, { former_valid_for: -1 }, { hours: 1 }]) {
      const { status } = await service.api.post(`/webhooks/${id}/signing-secret`, body);
      assert.equal(status, 400, JSON.stringify(body));
    }
    for (const path of ['/webhooks/999/signing-secret', '/webhooks/x/signing-secret']) {
      assert.equal((await service.api.post(path)).status, 404);
      assert.equal((await service.api.delete(path)).status, 404);
    }
  });

  test('the record shows since when it signs; updates keep the secret, and DELETE ends signing', async () => {
    await using service = await startTestService();
    await using target = await startTarget();
    const id = await addWebhook(service, target);
    const { signing_secret: secret, signing_since_dt: since } = await rotate(service, id);
    const { body: record, headers } = await service.api.get(`/webhooks/${id}`);
    assert.equal(record.signing_since_dt, since);
    assert.notEqual(headers.get('etag'), '"1"');
    assert.ok(!JSON.stringify(record).includes(secret.slice('whsec_'.length)));
    assert.equal((await service.api.put(`/webhooks/${id}`, { ...record, name: 'renamed' })).status, 200);
    verify(secret, await nextPostback(service, target));

    assert.equal((await service.api.delete(`/webhooks/${id}/signing-secret`)).status, 204);
    assert.equal((await service.api.delete(`/webhooks/${id}/signing-secret`)).status, 404);
    assert.equal((await service.api.get(`/webhooks/${id}`)).body.signing_since_dt, null);
    const postback = await nextPostback(service, target);
    assert.equal(postback.headers['webhook-signature'], undefined);
  });

  test('test messages, retries and redeliveries are signed, in addition to Basic credentials', async () => {
    await using service = await startTestService();
    await using target = await startTarget({ respondWith: answer(500) });
    const authentication = { type: 'BASIC', key: 'crm', secret: 'open sesame' };
    const id = await addWebhook(service, target, { authentication });
    const { signing_secret: secret } = await rotate(service, id);
    await service.api.post(`/webhooks/${id}/test`);
    const [tested] = target.requests;
    verify(secret, tested!);
    assert.equal(tested!.headers['webhook-test'], 'true');
    await service.api.create('/accounts', { name: 'Northwind' });
    await target.waitFor(3);
    target.respondWith(answer(200));
    await service.api.post(`/webhooks/${id}/line/retry`);
    await target.waitFor(4);
    const [delivery] = (await service.api.get(`/webhooks/${id}/deliveries`)).body.data;
    const before = target.requests.length;
    for (const postback of target.requests.slice(1)) verify(secret, postback);
    assert.equal((await service.api.get(`/webhooks/${id}/deliveries/${delivery.id}`)).status, 200);
    await redeliver(service, id, delivery.id);
    await target.waitFor(before + 1);
    const redelivered = target.requests[before]!;
    verify(secret, redelivered);
    assert.match(String(redelivered.headers.authorization), /^Basic /);
    assert.equal(redelivered.headers['webhook-id'], target.requests[1]!.headers['webhook-id']);
  });

  test('a repeated request with the same key returns the same secret and creates no other', async () => {
    await using service = await startTestService();
    await using target = await startTarget();
    const id = await addWebhook(service, target);
    const once = await service.api.post(`/webhooks/${id}/signing-secret`, {}, { 'idempotency-key': 'k' });
    const twice = await service.api.post(`/webhooks/${id}/signing-secret`, {}, { 'idempotency-key': 'k' });
    assert.deepEqual(twice.body, once.body);
    assert.equal(twice.headers.get('idempotent-replayed'), 'true');
    verify(once.body.signing_secret, await nextPostback(service, target));
  });

  test('no secret is in plain text in the database, in a log, or left after the webhook was deleted', async () => {
    await using service = await startTestService({ settings: { log_level: 'debug' } });
    await using target = await startTarget();
    const id = await addWebhook(service, target, { logging_mode: 'FULL' });
    const made = [await rotate(service, id), await rotate(service, id)];
    await nextPostback(service, target);
    const columns = 'signing_secret, former_signing_secret, signing_since, former_signing_secret_until';
    const stored = await runSql(
      service.settings.data_dir,
      `select ${columns} from webhooks where id = ${id}`,
    );
    const seen = JSON.stringify([stored, service.logLines]);
    for (const { signing_secret: secret } of made) assert.ok(!seen.includes(secret.slice('whsec_'.length)));
    assert.equal((await service.api.delete(`/webhooks/${id}`)).status, 204);
    const [left] = await runSql(
      service.settings.data_dir,
      `select ${columns} from webhooks where id = ${id}`,
    );
    assert.deepEqual(
      Object.values(left ?? {}).filter((value) => value !== null),
      [],
    );
  });

  test('a webhook keeps its secrets when webhooks_auth_secret changes and they are re-encrypted', async () => {
    using folder = temporaryFolder();
    await using target = await startTarget();
    const made: string[] = [];
    let id: number;
    {
      await using service = await startTestService({
        dataDir: folder.path,
        settings: { webhooks_auth_secret: OLD },
      });
      id = await addWebhook(service, target);
      for (let n = 0; n < 2; n++) made.push((await rotate(service, id)).signing_secret);
    }
    const ended = await runProgram(['secrets', 're-encrypt'], {
      data_dir: folder.path,
      webhooks_auth_secret: NEW,
      webhooks_auth_secret_previous: OLD,
    });
    assert.equal(ended.code, 0, ended.errors);
    await using service = await startTestService({
      dataDir: folder.path,
      settings: { webhooks_auth_secret: NEW },
    });
    const postback = await nextPostback(service, target);
    for (const secret of made) verify(secret, postback);
  });

  test('a webhook whose secret cannot be decrypted sends nothing unsigned, and says what to do', async () => {
    await using service = await startTestService();
    await using target = await startTarget();
    const id = await addWebhook(service, target);
    await rotate(service, id);
    await runSql(
      service.settings.data_dir,
      `update webhooks set signing_secret = 'v1.00000000.a.b', revision = revision + 1 where id = ${id}`,
    );
    const { body } = await service.api.post(`/webhooks/${id}/test`);
    assert.deepEqual(
      [body.delivered, body.error],
      [false, 'the stored signing secret cannot be decrypted; create a new one'],
    );
    assert.equal(target.requests.length, 0);
    const { signing_secret: secret } = await rotate(service, id);
    verify(secret, await nextPostback(service, target));
  });

  test('while the webhooks service is disabled, secrets cannot be changed', async () => {
    using folder = temporaryFolder();
    await using target = await startTarget();
    let id: number;
    {
      await using service = await startTestService({ dataDir: folder.path });
      id = await addWebhook(service, target);
      await rotate(service, id);
    }
    await using service = await startTestService({
      dataDir: folder.path,
      settings: { enable_webhooks_service: false },
    });
    for (const method of ['POST', 'DELETE']) {
      const { status, body } = await service.api.call(method, `/webhooks/${id}/signing-secret`);
      assert.equal(status, 403);
      assert.equal(body.type, 'urn:coursewire:problem:webhooks-read-only');
    }
    assert.notEqual((await service.api.get(`/webhooks/${id}`)).body.signing_since_dt, null);
  });
});

/** Sends a message again, once its delivery is settled. */
async function redeliver({ api }: TestService, webhookId: number, deliveryId: number): Promise<void> {
  const path = `/webhooks/${webhookId}/deliveries/${deliveryId}`;
  await until(async () => (await api.get(path)).body.status === 'DELIVERED', 'the message is delivered');
  assert.equal((await api.post(`${path}/redeliver`)).status, 202);
}
