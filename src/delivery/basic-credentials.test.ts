import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { basicAuthorization, withoutCredentials } from './basic-credentials.ts';

describe('Basic credentials', () => {
  it('are encoded as RFC 7617 shows', () => {
    assert.equal(
      basicAuthorization({ key: 'Aladdin', secret: 'open sesame' }),
      'Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==',
    );
    assert.equal(basicAuthorization({ key: 'test', secret: '123£' }), 'Basic dGVzdDoxMjPCow==');
  });

  it('may have an empty secret, or one with colons', () => {
    assert.equal(basicAuthorization({ key: 'k', secret: '' }), `Basic ${btoa('k:')}`);
    assert.equal(basicAuthorization({ key: 'k', secret: 'a:b' }), `Basic ${btoa('k:a:b')}`);
  });

  const credentials = { key: 'key', secret: 'p"ss wörd' };

  it('are removed from responses, in each form that a target may echo', () => {
    const echoed = [
      basicAuthorization(credentials),
      credentials.secret,
      JSON.stringify({ secret: credentials.secret }),
      new URLSearchParams({ a: 'b' }).toString() + encodeURIComponent(credentials.secret),
    ].join('\n');
    assert.equal(
      withoutCredentials(echoed, credentials),
      'Basic [censored]\n[censored]\n{"secret":"[censored]"}\na=b[censored]',
    );
  });

  it('are removed from a response that is nothing but the secret', () => {
    assert.equal(withoutCredentials(credentials.secret, credentials), '[censored]');
  });

  it('are removed if slashes are escaped or percent-encoded', () => {
    const slashed = { key: 'kk?', secret: 'abc?/' };
    const encoded = basicAuthorization(slashed).slice('Basic '.length);
    assert.match(encoded, /\//);
    for (const echo of [encoded.replaceAll('/', '\\/'), encodeURIComponent(encoded), 'abc?\\/', 'abc%3F%2F'])
      assert.equal(withoutCredentials(`got ${echo} from you`, slashed), 'got [censored] from you');
  });

  for (const [form, echo] of [
    ['JSON of Python', '"p\\u00e4$$ w/\\u00f6+rd&<x>\\u20ac"'],
    ['JSON of PHP', '"p\\u00e4$$ w\\/\\u00f6+rd&<x>\\u20ac"'],
    ['JSON of Go', '"pä$$ w/ö+rd\\u0026\\u003cx\\u003e€"'],
    ['JSON of .NET', '"p\\u00E4$$ w/\\u00F6\\u002Brd\\u0026\\u003Cx\\u003E\\u20AC"'],
    ['a form', 'p%C3%A4%24%24+w%2F%C3%B6%2Brd%26%3Cx%3E%E2%82%AC'],
    ['a form with small letters', 'p%c3%a4%24%24+w%2f%c3%b6%2brd%26%3cx%3e%e2%82%ac'],
    ['a URL with small letters', 'p%c3%a4%24%24%20w%2f%c3%b6%2brd%26%3cx%3e%e2%82%ac'],
    ['HTML', '<p>pä$$ w/ö+rd&amp;&lt;x&gt;€</p>'],
    ['Base64', Buffer.from('pä$$ w/ö+rd&<x>€').toString('base64')],
  ] as const)
    it(`are removed from ${form}`, () => {
      const censored = withoutCredentials(`you sent ${echo}`, { key: 'key', secret: 'pä$$ w/ö+rd&<x>€' });
      assert.match(censored, /^you sent ["<p>/]*\[censored\]["<p>/]*$/);
    });

  for (const [form, secret, echo] of [
    ['JSON of .NET with quotes', `Tom's "pass&word"`, String.raw`Tom\u0027s \u0022pass\u0026word\u0022`],
    ['JSON of Gson', `Tom's <pass&word>==`, String.raw`Tom\u0027s \u003cpass\u0026word\u003e\u003d\u003d`],
    ['HTML of Python', `Tom's "pass&word"`, 'Tom&#x27;s &quot;pass&amp;word&quot;'],
    ['HTML of Go', `Tom's "pass&word"`, 'Tom&#39;s &#34;pass&amp;word&#34;'],
    ['HTML of PHP', `Tom's "pass&word"`, 'Tom&#039;s &quot;pass&amp;word&quot;'],
    ['HTML of templates of Go', `Tom's a+b/c=`, 'Tom&#39;s a&#43;b/c='],
    ['HTML of ASP.NET Core', `Tom's a+b/c=`, 'Tom&#x27;s a&#x2B;b/c='],
    ['HTML of Handlebars', `Tom's a+b/c=`, 'Tom&#x27;s a+b/c&#x3D;'],
    ['HTML of Mustache', `Tom's a+b/c=`, 'Tom&#39;s a+b&#x2F;c&#x3D;'],
    ['XML', `Tom's "pass&word"`, 'Tom&apos;s &quot;pass&amp;word&quot;'],
    ['HTML of browsers', `Tom's "pass&word"`, `Tom's "pass&amp;word"`],
    ['a URL of PHP', `it's (1*) wörd!`, 'it%27s%20%281%2A%29%20w%C3%B6rd%21'],
    ['a form of PHP', `it's (1*) wörd!`, 'it%27s+%281%2A%29+w%C3%B6rd%21'],
    ['a URL of Python', 'ab/cdEFGH+ij9==', 'ab/cdEFGH%2Bij9%3D%3D'],
    ['Base64 without padding', 'supersecretpassw', 'c3VwZXJzZWNyZXRwYXNzdw'],
    ['Base64 for URLs', 'abc?/abc>~', 'YWJjPy9hYmM-fg'],
  ] as const)
    it(`are removed from ${form}`, () => {
      const censored = withoutCredentials(`you sent ${echo} to us`, { key: 'key', secret });
      assert.equal(censored, 'you sent [censored] to us');
    });

  for (const [form, echo] of [
    ['plain text', 'api/key?:p/ss wörd'],
    ['JSON of PHP', String.raw`api\/key?:p\/ss w\u00f6rd`],
    ['a form', 'api%2Fkey%3F%3Ap%2Fss+w%C3%B6rd'],
    ['a form with small letters', 'api%2fkey%3f%3ap%2fss+w%c3%b6rd'],
    ['the address of a URL', 'api%2Fkey%3F:p%2Fss%20w%C3%B6rd'],
  ] as const)
    it(`are removed as a pair, with the key, from ${form}`, () => {
      const censored = withoutCredentials(`you sent ${echo} to us`, { key: 'api/key?', secret: 'p/ss wörd' });
      assert.equal(censored, 'you sent [censored] to us');
    });

  it('are removed as a pair if both are alike, or the secret is very short', () => {
    const alike = { key: 'admin', secret: 'admin' };
    assert.equal(withoutCredentials('it is admin:admin', alike), 'it is [censored]');
    assert.equal(
      withoutCredentials('it is me:7, not me:77', { key: 'me', secret: '7' }),
      'it is [censored], not me:77',
    );
  });

  it('leave other text unchanged', () => {
    assert.equal(withoutCredentials('all is well with your key', credentials), 'all is well with your key');
    assert.equal(withoutCredentials('', credentials), '');
  });

  it('leave text unchanged if it contains a very short secret by chance', () => {
    assert.equal(withoutCredentials('{"id":12}', { key: 'k', secret: '1' }), '{"id":12}');
    assert.equal(withoutCredentials('{"id":12}', { key: 'k', secret: '' }), '{"id":12}');
    assert.equal(withoutCredentials('bazooka', { key: 'k', secret: '' }), 'bazooka');
  });

  it('are removed only as whole words if the secret is very short', () => {
    const echoed = '{"secret":"a.c","id":"xa.cx"} secret=a.c&x abc';
    assert.equal(
      withoutCredentials(echoed, { key: 'k', secret: 'a.c' }),
      '{"secret":"[censored]","id":"xa.cx"} secret=[censored]&x abc',
    );
    assert.equal(withoutCredentials('pin: 7', { key: 'k', secret: '7' }), 'pin: [censored]');
  });

  it('may contain malformed text', () => {
    assert.equal(withoutCredentials('nothing here', { key: 'k', secret: 'abc\uD800' }), 'nothing here');
  });
});
