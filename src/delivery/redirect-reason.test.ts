import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { redirectReason } from './redirect-reason.ts';

const REASON = '308 Permanent Redirect';

function reasonWith(location: string | undefined, status = 308): string {
  return redirectReason(REASON, { status, location, url: 'http://example.com/hooks/crm' });
}

describe('the reason of a redirect', () => {
  it('says where it leads, and that it was not followed', () => {
    const led = {
      'https://example.com/hooks/crm': 'https://example.com/hooks/crm',
      '/hooks/crm/': 'http://example.com/hooks/crm/',
      '//other.example:8443/x': 'http://other.example:8443/x',
      '': 'http://example.com/hooks/crm',
    };
    for (const [location, to] of Object.entries(led))
      assert.equal(reasonWith(location), `${REASON} to ${to}, not followed`);
  });

  it('has neither credentials nor what may contain a token', () => {
    for (const location of [
      'https://user:hush@example.com/login?token=hush#hush',
      'https://example.com/login;jsessionid=hush',
      'https://example.com/login%3Ftoken%3Dhush',
      'https://example.com/login%3bid=hush',
    ])
      assert.equal(reasonWith(location), `${REASON} to https://example.com/login, not followed`, location);
  });

  it('is one short line, whatever the target sends', () => {
    for (const location of ['https://', 'mailto:ann@example.com'])
      assert.equal(reasonWith(location), `${REASON}, not followed`);
    assert.equal(reasonWith('http://x/\u202e\nb'), `${REASON} to http://x/%E2%80%AEb, not followed`);
    assert.ok(reasonWith(`http://x/${'y'.repeat(10_000)}`).length < 260);
  });

  it('is the status for other responses, and without an address', () => {
    assert.equal(reasonWith(undefined), REASON);
    for (const status of [201, 300, 304, 305, 404, 503]) assert.equal(reasonWith('/x', status), REASON);
    for (const status of [301, 302, 303, 307]) assert.notEqual(reasonWith('/x', status), REASON);
  });
});
