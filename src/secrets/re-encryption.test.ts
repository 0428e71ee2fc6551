import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openSqliteFile, type SqliteFile } from '../../test/support/sqlite-file.ts';
import { alertUrlContext, CredentialsCipher, signingContext } from './credentials-cipher.ts';
import { reEncrypt } from './re-encryption.ts';
import { checkSecret, readSecretUse, WrongSecretError } from './secret-check.ts';

const OLD = 'o'.repeat(64);
const NEW = 'n'.repeat(64);
const OTHER = 'x'.repeat(64);
const old = new CredentialsCipher([OLD]);
const both = new CredentialsCipher([NEW, OLD]);
const renewed = new CredentialsCipher([NEW]);

/** More than one step handles in every round. */
const MANY = 1_050;

/** A database whose webhooks' credentials `OLD` has encrypted, ids from 1. */
async function openWith(webhooks: number): Promise<SqliteFile> {
  const opened = await openSqliteFile();
  await checkSecret(opened.database, old);
  await opened.database.transaction(async (tx) => {
    for (let id = 1; id <= webhooks; id++) await addWebhook(tx, id, old);
  });
  return opened;
}

async function addWebhook(
  tx: { run(sql: string, ...values: (string | number)[]): Promise<number> },
  id: number,
  cipher: CredentialsCipher,
): Promise<void> {
  await tx.run(
    `insert into webhooks (id, name, topic, all_subtopics, target_url, authentication_type, credentials, enabled,
       max_attempts, logging_mode, revision, created_at, updated_at)
     values (?, 'w', 'ACCOUNT', 1, 'http://127.0.0.1:9/', 'BASIC', ?, 1, 10, 'NONE', 1, 0, 0)`,
    id,
    cipher.encryptCredentials(id, { key: 'key', secret: `secret ${id}` }),
  );
}

async function secretsOf({ database }: SqliteFile, cipher: CredentialsCipher): Promise<string[]> {
  const rows = await database.reader.all<{ id: number; credentials: string }>(
    'select id, credentials from webhooks order by id',
  );
  return rows.map(({ id, credentials }) => cipher.decryptCredentials(id, credentials).secret);
}

function expectedSecrets(webhooks: number): string[] {
  return Array.from({ length: webhooks }, (_, place) => `secret ${place + 1}`);
}

describe('re-encryption', () => {
  test('includes the URLs of alert rules, and names those that no secret decrypts', async () => {
    await using opened = await openWith(1);
    const { database } = opened;
    const urls: (readonly [number, CredentialsCipher])[] = [
      [1, old],
      [2, new CredentialsCipher([OTHER])],
      [3, renewed],
    ];
    await database.transaction(async (tx) => {
      for (const [id, cipher] of urls)
        await tx.run(
          `insert into alert_rules (id, name, enabled, condition, email_to, target_format, target_origin, target_url,
             active_since, revision, created_at, updated_at)
           values (?, 'a', 1, 'WEBHOOK_IN_ERROR', '[]', 'JSON', 'http://a.example', ?, 0, 1, 0, 0)`,
          id,
          cipher.encrypt(alertUrlContext(id), `http://a.example/${id}`),
        );
    });
    assert.deepEqual(await readSecretUse(database.reader, both), { current: 1, former: 3, unknown: 1 });
    const done = await reEncrypt(database, both);
    assert.deepEqual(done, {
      changed: 3,
      unreadable: [],
      unreadableAlerts: [2],
      remaining: 0,
      use: { current: 4, former: 0, unknown: 1 },
    });
    const [first] = await database.reader.all<{ target_url: string }>(
      'select target_url from alert_rules where id = 1',
    );
    assert.equal(renewed.decrypt(alertUrlContext(1), first!.target_url), 'http://a.example/1');
  });

  test('encrypts everything with the current secret, which then decrypts everything, and the former one nothing', async () => {
    await using opened = await openWith(MANY);
    const { database } = opened;
    const done = await reEncrypt(database, both);
    assert.deepEqual(done, {
      changed: MANY + 1,
      unreadable: [],
      unreadableAlerts: [],
      remaining: 0,
      use: { current: MANY + 1, former: 0, unknown: 0 },
    });
    assert.deepEqual(await secretsOf(opened, renewed), expectedSecrets(MANY));
    await checkSecret(database, renewed);
    await assert.rejects(checkSecret(database, old), WrongSecretError);
    assert.equal((await reEncrypt(database, both)).changed, 0, 'again: nothing is left to do');
  });

  test('includes the signing secrets of webhooks, also the former ones that still sign', async () => {
    await using opened = await openWith(1);
    const { database } = opened;
    await database.transaction((tx) =>
      tx.run(
        'update webhooks set signing_secret = ?, former_signing_secret = ? where id = 1',
        old.encrypt(signingContext(1), 'signs'),
        old.encrypt(signingContext(1), 'signed'),
      ),
    );
    assert.deepEqual(await readSecretUse(database.reader, both), { current: 0, former: 4, unknown: 0 });
    assert.equal((await reEncrypt(database, both)).changed, 4);
    const [webhook] = await database.reader.all<{ signing_secret: string; former_signing_secret: string }>(
      'select signing_secret, former_signing_secret from webhooks',
    );
    assert.ok(webhook !== undefined);
    assert.equal(renewed.decrypt(signingContext(1), webhook.signing_secret), 'signs');
    assert.equal(renewed.decrypt(signingContext(1), webhook.former_signing_secret), 'signed');
  });

  test('if interrupted, it leaves everything readable with both secrets, rejects the new one alone, and continues', async () => {
    await using opened = await openWith(MANY);
    const { database } = opened;
    const brokenOff = reEncrypt(database, both, () => {
      throw new Error('broken off');
    });
    await assert.rejects(brokenOff, { message: 'broken off' });
    const use = await readSecretUse(database.reader, both);
    assert.ok(use.current > 0 && use.former > 0, JSON.stringify(use));
    assert.deepEqual(await secretsOf(opened, both), expectedSecrets(MANY));
    await assert.rejects(checkSecret(database, renewed), WrongSecretError);
    assert.equal((await reEncrypt(database, both)).changed, use.former);
    assert.deepEqual(await secretsOf(opened, renewed), expectedSecrets(MANY));
  });

  test('includes what a service writes with the former secret in the meantime', async () => {
    await using opened = await openWith(MANY);
    const { database } = opened;
    let written = false;
    const done = await reEncrypt(database, both, () => {
      if (written) return;
      written = true;
      // A webhook of the first step, which is complete by now.
      opened
        .connect()
        .prepare('update webhooks set credentials = ? where id = 1')
        .run(old.encryptCredentials(1, { key: 'key', secret: 'set meanwhile' }));
    });
    assert.equal(done.remaining, 0);
    assert.deepEqual(await secretsOf(opened, renewed), ['set meanwhile', ...expectedSecrets(MANY).slice(1)]);
  });

  test('reports what remains if a service keeps writing with the former secret', async () => {
    await using opened = await openWith(1);
    const { database } = opened;
    // No configured secret decrypts it, so it does not need the former one.
    await database.transaction((tx) => addWebhook(tx, 2, new CredentialsCipher([OTHER])));
    const connection = opened.connect();
    const done = await reEncrypt(database, both, () => {
      connection
        .prepare('update webhooks set credentials = ? where id = 1')
        .run(old.encryptCredentials(1, { key: 'key', secret: 'again' }));
    });
    assert.deepEqual([done.remaining, done.unreadable], [1, [2]]);
    await assert.rejects(
      checkSecret(database, renewed),
      WrongSecretError,
      'the former one must not be dropped',
    );
  });

  test('keeps and names values that no secret decrypts, and re-encrypts the others', async () => {
    await using opened = await openWith(3);
    const { database } = opened;
    await database.transaction(async (tx) => {
      await addWebhook(tx, 4, new CredentialsCipher([OTHER]));
      await tx.run(
        'update webhooks set credentials = (select credentials from webhooks where id = 1) where id = 2',
      );
    });
    const done = await reEncrypt(database, both);
    assert.deepEqual(done.unreadable, [2, 4]);
    assert.equal(done.remaining, 0);
    assert.deepEqual(done.use, { current: 3, former: 1, unknown: 1 });
    await checkSecret(database, renewed);
  });

  test('does nothing without a former secret', async () => {
    await using opened = await openWith(2);
    const done = await reEncrypt(opened.database, old);
    assert.deepEqual(done, {
      changed: 0,
      unreadable: [],
      unreadableAlerts: [],
      remaining: 0,
      use: { current: 3, former: 0, unknown: 0 },
    });
  });
});
