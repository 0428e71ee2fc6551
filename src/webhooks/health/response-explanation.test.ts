import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { responseExplanation } from './response-explanation.ts';

/** The explanation of a failure with this body. */
function explanationOf(
  body: string | null,
  { status = 500, reason = 'the reason' }: { status?: number | null; reason?: string | null } = {},
): string | null {
  return responseExplanation({ status, body, reason });
}

describe('the explanation of a failure in a target’s response', () => {
  it('is the member of a JSON body that explains it', () => {
    const explained = {
      '{"message":"API key crm was revoked"}': 'API key crm was revoked',
      '{"title":"Forbidden","status":403,"detail":"Key expired"}': 'Key expired',
      '{"error":"invalid_token","error_description":"The token expired"}': 'The token expired',
      '{"error":{"code":7,"message":"No such tenant"}}': 'No such tenant',
      '{"errors":[{"message":"Unknown learner"},{"message":"second"}]}': 'Unknown learner',
      '"Quota exceeded"': 'Quota exceeded',
    };
    for (const [body, said] of Object.entries(explained)) assert.equal(explanationOf(body), said, body);
  });

  it('is the title of a page, or the text', () => {
    assert.equal(
      explanationOf('<!doctype html><html><head><title>502 Bad\n Gateway</title>'),
      '502 Bad Gateway',
    );
    assert.equal(explanationOf('  account\tlocked\r\n'), 'account locked');
    assert.equal(explanationOf('{"cut off at the limit": "tex'), '{"cut off at the limit": "tex');
  });

  it('is nothing for a body without an explanation', () => {
    for (const body of [
      null,
      '',
      ' \n',
      '{}',
      '[]',
      '{"message":""}',
      '{"status":500}',
      '<html><p>Sorry</p>',
    ])
      assert.equal(explanationOf(body), null, String(body));
  });

  it('is one short line of printable characters, whatever the target sends', () => {
    assert.equal(explanationOf(`{"message":${JSON.stringify('long '.repeat(100))}}`)?.length, 200);
    assert.equal(explanationOf(JSON.stringify({ message: 'a\u0000b\u202ec' })), 'a b c');
    assert.equal(explanationOf(`${'{"error":'.repeat(50)}1${'}'.repeat(50)}`), null);
    assert.equal(explanationOf('{"__proto__":{"message":"x"}}'), null);
  });

  it('is nothing for a success, of which the rest did not arrive, or without a response', () => {
    const body = '{"message":"accepted"}';
    for (const status of [200, 204, 299, null]) assert.equal(explanationOf(body, { status }), null);
    for (const status of [300, 308, 404, 599]) assert.equal(explanationOf(body, { status }), 'accepted');
  });

  it('is nothing if the reason already says it', () => {
    const said = {
      '502 Bad Gateway': '<html><head><title>502 Bad Gateway</title></head>',
      '401 Unauthorized': 'unauthorized\n',
      '404 Not Found': '{"error":"Not  Found"}',
    };
    for (const [reason, body] of Object.entries(said))
      assert.equal(explanationOf(body, { reason }), null, reason);
    assert.equal(explanationOf('Not found: hook', { reason: '404 Not Found' }), 'Not found: hook');
    assert.equal(explanationOf('Not Found', { reason: null }), 'Not Found');
  });

  it('is nothing if the body is not text', () => {
    const text = '{"message":"The key of this webhook was revoked yesterday"}';
    for (const bytes of [gzipSync(text), deflateSync(text), brotliCompressSync(text), randomBytes(500)])
      assert.equal(explanationOf(bytes.toString('utf8').replaceAll('\0', '\uFFFD')), null);
    assert.equal(explanationOf('Ung\uFFFDltig'), 'Ung\uFFFDltig', 'a single character of another encoding');
    const german = 'Der Schl\uFFFDssel f\uFFFDr diesen Empf\uFFFDnger ist ung\uFFFDltig';
    assert.equal(explanationOf(german), german, 'a few of them in a longer text');
  });

  it('is read after a byte order mark', () => {
    assert.equal(explanationOf('\uFEFF{"message":"Key expired"}'), 'Key expired');
    assert.equal(explanationOf('\uFEFF<title>Key expired</title>'), 'Key expired');
    assert.equal(explanationOf('\uFEFF Key expired'), 'Key expired');
  });

  it('has characters instead of entities if it is the title of a page', () => {
    const title = (text: string) => explanationOf(`<title>${text}</title>`);
    assert.equal(title('Page d&#39;erreur &amp; co'), "Page d'erreur & co");
    assert.equal(title('&lt;a&gt; &quot;b&quot; &apos;c&apos;&nbsp;d &#xe9;&#128165;'), `<a> "b" 'c' d é💥`);
    assert.equal(
      title('&amp;lt; &unknown; &#1114112; &#xd800; & AT&T'),
      '&lt; &unknown; &#1114112; &#xd800; & AT&T',
    );
    assert.equal(explanationOf('a &amp; b'), 'a &amp; b', 'plain text has none');
  });

  it('has no secret, however the page writes it', () => {
    const censored = (text: string) => text.replaceAll('key=a&b', '[censored]');
    assert.equal(
      responseExplanation({ status: 404, body: '<title>no /?key=a&amp;b</title>', reason: '404' }, censored),
      'no /?[censored]',
    );
  });
});
