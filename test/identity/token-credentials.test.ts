import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { basic, startEndpoint } from './identity-helpers.ts';
import { ask, GRANT, post, putClient } from './token-requests.ts';

describe('form-encoded credentials at the token endpoint', () => {
  const SPECIAL_ID = 'a:b c+d%25=&é'.replace('é', '~');
  const SPECIAL_SECRET = 'p:q r+s%41=&ü\u{1f600}';

  it('are decoded in both halves of Basic credentials and in form parameters', async () => {
    await using endpoint = await startEndpoint();
    await putClient(endpoint, SPECIAL_ID, SPECIAL_SECRET);
    assert.equal((await ask(endpoint, GRANT, basic(SPECIAL_ID, SPECIAL_SECRET))).status, 200);

    const form = { ...GRANT, client_id: SPECIAL_ID, client_secret: SPECIAL_SECRET };
    const inForm = await post(endpoint.url, { body: new URLSearchParams(form).toString() });
    assert.equal(inForm.status, 200);
  });

  it('are split at the first colon of Basic credentials before decoding', async () => {
    await using endpoint = await startEndpoint();
    await putClient(endpoint, 'plain', 'with:colons:');
    const unescaped = `Basic ${Buffer.from('plain:with:colons:').toString('base64')}`;
    assert.equal((await ask(endpoint, GRANT, unescaped)).status, 200);
  });
});
