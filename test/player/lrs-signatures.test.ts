import assert from 'node:assert/strict';
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { describe, test } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { type LrsClient, openStore, PASSED, statement, withSignature } from './lrs-helpers.ts';

// Runs on SQLite in `npm test`: signatures are verified before anything is stored.

/** A self-signed certificate with a key of Ed25519, in base64. */
const ED25519_CERTIFICATE =
  'MIIBLDCB36ADAgECAhQKlDqV0Ea4b6CSGzRox+ndHcyxhDAFBgMrZXAwDDEKMAgGA1UEAwwBeDAeFw0yNjExMjgyMTIyMTlaFw0z' +
  'NjExMjUyMTIyMTlaMAwxCjAIBgNVBAMMAXgwKjAFBgMrZXADIQCLH4sYUqV4fkpaClZvnsOagxC4VQaBskakGBABXo4bIqNTMFEw' +
  'HQYDVR0OBBYEFI+IlphtJs+ttHlupqQ293/59ucwMB8GA1UdIwQYMBaAFI+IlphtJs+ttHlupqQ293/59ucwMA8GA1UdEwEB/wQF' +
  'MAMBAf8wBQYDK2VwA0EAQzlfVyDLDqeFbsZJx5rK/H6HmOyV3YXuNmWWVjLpUZUn44l6jrTTt1/f3M2YKbG/BzfOc/ElNlltiVM2' +
  'B5LDCg==';
/** The same with a kind of key that does not exist. */
const UNKNOWN_KEY_CERTIFICATE = ED25519_CERTIFICATE.replace('KjAFBgMrZXAD', 'KjAFBgMrZXcD');

/** A self-signed certificate with an RSA key, in base64. */
const CERTIFICATE =
  'MIIC+zCCAeOgAwIBAgIUR5ZnoeER+Zx0pav+e0a+GrdU+5MwDQYJKoZIhvcNAQELBQAwDDEKMAgGA1UEAwwBeDAgFw0yNjExMjkwMTAw' +
  'NDJaGA8yMTI2MTEwNTAxMDA0MlowDDEKMAgGA1UEAwwBeDCCASIwDQYJKoZIhvcNAQEBBQADggEPADCCAQoCggEBAKFRtwwzDL0fQFz9' +
  'qGuhdDDRQJebsTFKLTL2L842IKdyajiK+yIVf/APsMtLRMeQvKEMXNFee/tWbNmXPDFOopT7tjBv7d4UH8BwoX+ReoZuz7qqPSja/icq' +
  '5+05g6O3l5q+hdcvfodiRhgJRcZenrD6xB7rgDFCQ7Q0RLLiRn4YkWCLhDAE6NRi+wUqiVeN4yJRoMC2QGyIYUe0VlCfLm5/aRTuC4dK' +
  'tbCJ+zOcEjn83FwZFLsVhUT6TIeEg/6Qq2RJfao1xP9pZb7drtsFzFa/qfntxAuWOCBWOoDt0MTFB+DKhlVAMQmgyMXb2/PXGvmbI6IM' +
  '/zg2SFiYJ99JQqMCAwEAAaNTMFEwHQYDVR0OBBYEFBsa2wFrnxo/Drx/dKHZgMxEIvpdMB8GA1UdIwQYMBaAFBsa2wFrnxo/Drx/dKHZ' +
  'gMxEIvpdMA8GA1UdEwEB/wQFMAMBAf8wDQYJKoZIhvcNAQELBQADggEBAGissj04EyBlhyVk54pIKsbJDRr5DcJNkDZcSwIGp6oyQ9Ot' +
  'uZ9QjRWt55r1h/RylTx1eacfIINS6ch6er6L4TN+o36p/CucJ2bJVPVSIM1nLRxr2+r5cozSNk2ivBHRtqGFXT3xjOQYsWV8w/hQG4KI' +
  'mWCrtM+FnqcCjnwGYKswPQ201+GKLK8J4R0wbV1gIrGsBq5HttQPBRkszBpsah+vY1B+Otjh3TGRBfPFkf4sXUUv3vKNRFgXWCrssPBb' +
  '/17bQ4hPFlii9qkR5iEeMoyHoHn8PbCtxzolai93ByAuXWw8rzgc8HNUP5opDfftDMwBh1A9CDwT+KI3sG9QsD0=';
const SIGNED = {
  id: '0d0c8c4e-7a55-4f6a-9a63-5d0e3a1f5c11',
  actor: { mbox: 'mailto:ann@example.com' },
  verb: { id: 'http://adlnet.gov/expapi/verbs/passed' },
  object: { id: 'https://example.com/activities/signed' },
  timestamp: '2026-01-31T09:30:00Z',
};
/** The signature of {@link SIGNED} with the key of {@link CERTIFICATE}, which is not kept. */
const SIGNATURE =
  'IVfGk26A34Z_ClqopV_Izfjn2bblO8yKWzn9s72--GF7qiB_m0BAKB4ScwFVxkonZ_r2FjRTVjg2lF1OGE_xuuL7fIIvh4pLacII32om' +
  'PKAyE5P7SyfJAWgxFqiVpTfjBNeLeM9KOeg_kiu97gf7pgEqcwb2NMXk43EnfryQ47aI1_VBP9AhRuJsOFDyH_21hxBWm1hROKt_cQLq' +
  'mUBgNKyhhNn_73olBMdpCgKJ0MNL7k8HOo3rEABlvQ_tocYJqBCwe-SOAIOVjSpqTZ8l2yob3Y4R1AVEujBAWtz6uSn8TLwnzXp8TpoL' +
  'AIRkFBVyBL7Wsv-TL3CG8NgHPZlmsA';

function signatureOf(header: object, payload: object, signature: string): string {
  const parts = [header, payload].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
  return [...parts, signature].join('.');
}

describe('statements of the learning record store', () => {
  let lrs: LrsClient;

  aroundTests(async (parts) => {
    ({ lrs } = await openStore(parts));
  });

  test('that are signed must equal the content of the signature', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const signed = (payload: object, tamper = false) => {
      const body = statement({ id: randomUUID() });
      const [head, text] = [{ alg: 'RS256' }, tamper ? payload : { ...body, ...payload }].map((part) =>
        Buffer.from(JSON.stringify(part)).toString('base64url'),
      );
      const signature = sign('sha256', Buffer.from(`${head}.${text}`), privateKey).toString('base64url');
      return withSignature(body, `${head}.${text}.${signature}`);
    };
    assert.equal((await lrs.call('POST', 'statements', signed({}))).status, 200);
    assert.equal((await lrs.call('POST', 'statements', signed({ verb: PASSED }))).status, 400);
    assert.equal((await lrs.call('POST', 'statements', signed({}, true))).status, 400);
  });

  test('have a signature of limited size and depth, which only one attachment names', async () => {
    const answerTo = async (payload: string, count = 1) => {
      const parts = ['{"alg":"RS256"}', payload, 'signature'];
      const content = parts.map((part) => Buffer.from(part).toString('base64url')).join('.');
      return await lrs.call('POST', 'statements', withSignature(statement(), content, count));
    };
    const payload = JSON.stringify(statement());
    assert.equal((await answerTo(payload)).status, 200);
    const repeated = await answerTo(payload, 2);
    assert.equal(repeated.status, 400);
    assert.match(repeated.text, /several attachments/);
    assert.equal((await answerTo(`${payload}${' '.repeat(2 ** 20)}`)).status, 413);
    const level = '{"objectType":"SubStatement","object":';
    const nested = await answerTo(`${level.repeat(2_000)}{}${'}'.repeat(2_000)}`);
    assert.equal(nested.status, 400, nested.text);
  });

  test('are refused if the key of the certificate of their signature cannot verify it', async () => {
    for (const [certificate, reason] of [
      [ED25519_CERTIFICATE, /not an RSA key/],
      [UNKNOWN_KEY_CERTIFICATE, /unreadable certificate/],
    ] as const) {
      const body = statement({ id: randomUUID() });
      const parts = [{ alg: 'RS256', x5c: [certificate] }, body].map((part) => JSON.stringify(part));
      const content = [...parts, 'signature']
        .map((part) => Buffer.from(part).toString('base64url'))
        .join('.');
      const reply = await lrs.call('POST', 'statements', withSignature(body, content));
      assert.equal(reply.status, 400, reply.text);
      assert.match(reply.text, reason);
    }
  });

  test('are accepted with a certificate only if it verifies their signature', async () => {
    const header = { alg: 'RS256', x5c: [CERTIFICATE] };
    const answerTo = async (body: object) =>
      await lrs.call('POST', 'statements', withSignature(body, signatureOf(header, body, SIGNATURE)));
    const changed = await answerTo({ ...SIGNED, timestamp: '2026-01-31T09:30:01Z' });
    assert.equal(changed.status, 400);
    assert.match(changed.text, /does not match its certificate/);
    const { status, text } = await answerTo(SIGNED);
    assert.equal(status, 200, text);
  });

  test('are refused with a signature that uses no algorithm of xAPI', async () => {
    for (const alg of ['none', 'HS256', 'ES256', undefined]) {
      const body = statement({ id: randomUUID() });
      const sent = withSignature(body, signatureOf({ alg }, body, 'signature'));
      assert.equal((await lrs.call('POST', 'statements', sent)).status, 400, alg);
    }
  });

  test('may get their id after they were signed', async () => {
    const body = statement();
    const sent = withSignature(
      { ...body, id: randomUUID() },
      signatureOf({ alg: 'RS256' }, body, 'signature'),
    );
    const { status, text } = await lrs.call('POST', 'statements', sent);
    assert.equal(status, 200, text);
  });
});
