import assert from 'node:assert/strict';
import { createHmac, createSecretKey, hkdfSync } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { LaunchTokens } from '../../src/content/registrations/launch-tokens.ts';
import { KnownBrowsers } from '../../src/identity/administrators/known-browsers.ts';
import { AccessTokens } from '../../src/identity/tokens/access-tokens.ts';
import { deriveTokenKeys } from '../../src/identity/tokens/token-keys.ts';
import { CredentialsCipher } from '../../src/secrets/credentials-cipher.ts';
import { checkSecret } from '../../src/secrets/secret-check.ts';
import { HOUR_MS } from '../../src/time/units.ts';
import { openTestDatabase } from '../support/database.ts';

/*
 * Values that an earlier release derived from one webhooks_auth_secret, byte for byte. If the service could no longer
 * read one, every installation that upgrades would be locked out. Change the code, never the values.
 */
const SECRET = '0123456789abcdef'.repeat(4);
const MADE_AT = Date.UTC(2026, 0, 31, 9, 30);

const CREDENTIALS_OF_WEBHOOK_7 =
  'v1.1540afab.lxHFw5Zv6QlOqG9J.KfiWzVqccgshtRDa4RCEkxZpw4ZIZnroVuFxggcXajQsLRMr92PijSsmq0AGqHI_nCmvcRwv4au0BSI';
const CHECK_VALUE = 'v1.1540afab.udkbS1eIkn5PJQ5B.EdXadbS9UUu-oBfEEFEpOF1K9R0_GdK1Hj8';
const BROWSER_OF_ANN = 'XdIi5ZUQvjpaqFOvQaD9Lg.20484.CZFjkG9T40SJb90B95k5FJepTDCLpRkeGi6TOsK10F4';
const ANN = { emailKey: 'ann@example.com', passwordHash: '$argon2id$v=19$m=8,t=1,p=1$c2FsdA$aGFzaA' };
const LAUNCH_TOKEN = 'cwl1_AZwVGr3AAAAAAw0MjE56VU9qmmNdDjofXBF3bFPmBQkes5RllSeaxSf3Ok7j2mqrd0ktmF0xghs0GQ';
const ACCESS_TOKEN_SALT = 'BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc';
const ACCESS_TOKEN =
  'cwt1_AZwTmjhAAAAABAAJbY0h5BmGS4Znb2xkZW4tY2xpZW50rERDQJu5MHqwgem43TRfOdn81-ylMTBv-0LOVKpxojQ';

/** The purposes for which keys are derived from the secret, by the module that derives them. */
const PURPOSES: Readonly<Record<string, string>> = {
  'src/secrets/credentials-cipher.ts': 'coursewire webhook credentials',
  'src/identity/tokens/token-keys.ts': 'coursewire access token',
  'src/identity/administrators/known-browsers.ts': 'coursewire known browser',
  'src/content/registrations/launch-tokens.ts': 'coursewire launch url',
  'src/player/launches/content-tokens.ts': 'coursewire content origin',
};
/** Derives a key for the purpose that its caller names. */
const SIGNED_TOKENS = 'src/secrets/signed-token.ts';

const ROOT = path.join(import.meta.dirname, '../..');

describe('this release reads what an earlier one derived from the secret', () => {
  test('credentials of a webhook', () => {
    const cipher = new CredentialsCipher([SECRET]);
    assert.deepEqual(cipher.decryptCredentials(7, CREDENTIALS_OF_WEBHOOK_7), {
      key: 'coursewire',
      secret: 'open sesame',
    });
    assert.equal(cipher.secretOf(CREDENTIALS_OF_WEBHOOK_7), 'current');
  });

  test('the value that detects a wrong secret at the start', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    await database.transaction((tx) =>
      tx.run(
        'insert into service_secrets (name, value) values (?, ?)',
        'webhooks_auth_secret_check',
        CHECK_VALUE,
      ),
    );
    await checkSecret(database, new CredentialsCipher([SECRET]));
    await assert.rejects(checkSecret(database, new CredentialsCipher(['x'.repeat(64)])), {
      name: 'WrongSecretError',
    });
  });

  test('the cookie of a browser in which someone has signed in, until browsers have deleted it', () => {
    const browsers = new KnownBrowsers([SECRET], () => MADE_AT);
    assert.equal(browsers.browserOf(BROWSER_OF_ANN, ANN), 'XdIi5ZUQvjpaqFOvQaD9Lg');
    assert.equal(browsers.browserOf(BROWSER_OF_ANN, { ...ANN, emailKey: 'bob@example.com' }), null);
    const later = new KnownBrowsers([SECRET], () => MADE_AT + 181 * 24 * HOUR_MS);
    assert.equal(later.browserOf(BROWSER_OF_ANN, ANN), null);
  });

  test('a launch URL, which is still built the same way', () => {
    const registrationId = '0d0c8c4e-7a55-4f6a-9a63-5d0e3a1f5c11';
    const claim = { registrationId, versionId: 3, returnUrl: null, mode: 'normal' as const, language: null };
    const tokens = new LaunchTokens({ authSecrets: [SECRET], now: () => MADE_AT });
    assert.deepEqual(tokens.read(LAUNCH_TOKEN), { ...claim, expiresAt: MADE_AT + 8 * HOUR_MS });
    assert.equal(tokens.issue(claim).token, LAUNCH_TOKEN);
  });

  test('an access token', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    await database.transaction(async (tx) => {
      await tx.run(
        'insert into service_secrets (name, value) values (?, ?)',
        'access_token_salt',
        ACCESS_TOKEN_SALT,
      );
      await tx.run(
        `insert into api_clients (client_id, name, email, scopes, secret_hash, enabled, token_generation, created_at)
         values ('golden-client', 'Golden', 'golden@example.com', 'content:read webhooks:write', '', 1, 4, 0)`,
      );
    });
    const tokens = new AccessTokens({
      reader: database.reader,
      keys: await deriveTokenKeys(database, [SECRET]),
      lifetimeMs: HOUR_MS,
      now: () => MADE_AT,
    });
    assert.deepEqual(await tokens.verify(ACCESS_TOKEN), {
      clientId: 'golden-client',
      user: 'golden@example.com',
      name: 'Golden',
      scopes: new Set(['content:read', 'webhooks:write']),
    });
  });
});

describe('keys that are derived from the secret', () => {
  test('have one purpose each, and no module derives one that is not listed here', () => {
    const found = globSync('src/**/*.ts', { cwd: ROOT })
      .map((file) => [file.replaceAll(path.sep, '/'), readFileSync(path.join(ROOT, file), 'utf8')] as const)
      .filter(([file, text]) => file !== SIGNED_TOKENS && /hkdfSync\(|signingKeys\(/.test(text))
      .map(([file, text]) => [file, /KEY_PURPOSE = '([^']+)'/.exec(text)?.[1]]);
    assert.deepEqual(Object.fromEntries(found), PURPOSES);
    const purposes = Object.values(PURPOSES);
    assert.equal(new Set(purposes).size, purposes.length);
  });

  test('cannot open data of another purpose', () => {
    const [browser = '', day = '', signature] = BROWSER_OF_ANN.split('.');
    const text = [browser, day, ANN.emailKey, ANN.passwordHash].join('\0');
    const signed = (purpose: string) => {
      const key = createSecretKey(Buffer.from(hkdfSync('sha256', SECRET, '', purpose, 32)));
      return createHmac('sha256', key).update(text).digest('base64url');
    };
    const browsers = new KnownBrowsers([SECRET], () => MADE_AT);
    for (const purpose of Object.values(PURPOSES)) {
      const isOwn = purpose === 'coursewire known browser';
      assert.equal(signed(purpose) === signature, isOwn, purpose);
      const opened = browsers.browserOf(`${browser}.${day}.${signed(purpose)}`, ANN);
      assert.equal(opened !== null, isOwn, purpose);
    }
  });
});
