import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestDatabase } from '../../test/support/database.ts';
import { CredentialsCipher } from './credentials-cipher.ts';
import { checkSecret, WrongSecretError } from './secret-check.ts';

const OLD = 'o'.repeat(64);
const NEW = 'n'.repeat(64);

const isWrong = (error: unknown) =>
  error instanceof WrongSecretError && /webhooks_auth_secret/.test(error.message);

describe('the check of the secret at start', () => {
  test('accepts any secret for a new database, and from then on only that one', async () => {
    await using opened = await openTestDatabase();
    await checkSecret(opened.database, new CredentialsCipher([OLD]));
    await checkSecret(opened.database, new CredentialsCipher([OLD]));
    await assert.rejects(checkSecret(opened.database, new CredentialsCipher([NEW])), isWrong);
  });

  test('accepts a new secret while the old one is configured as well', async () => {
    await using opened = await openTestDatabase();
    await checkSecret(opened.database, new CredentialsCipher([OLD]));
    await checkSecret(opened.database, new CredentialsCipher([NEW, OLD]));
  });

  test('lets one of two first starts with different secrets win', async () => {
    await using opened = await openTestDatabase();
    const checks = [OLD, NEW].map((secret) => checkSecret(opened.database, new CredentialsCipher([secret])));
    const outcomes = await Promise.allSettled(checks);
    assert.deepEqual(outcomes.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
  });

  test('detects a value that was tampered with', async () => {
    await using opened = await openTestDatabase();
    const cipher = new CredentialsCipher([OLD]);
    await checkSecret(opened.database, cipher);
    await opened.database.transaction((tx) =>
      tx.run("update service_secrets set value = value || 'A' where name = 'webhooks_auth_secret_check'"),
    );
    await assert.rejects(checkSecret(opened.database, cipher), isWrong);
  });
});
