import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { contentOriginRisks } from './content-origin-risks.ts';

/** The risks of serving courses from this address. */
function risksOf(contentUrl: string, base_url: string | null = 'https://wire.example.com'): string[] {
  return contentOriginRisks({ base_url }, contentUrl).map((risk) => {
    if (/has the host name of base_url/.test(risk)) return 'host';
    if (/belongs to the same domain \S+ as base_url/.test(risk)) return 'domain';
    return /all launches share/.test(risk) ? 'shared' : risk;
  });
}

describe('the risks of the address of courses', () => {
  test('are none for a host name of each registration in another domain than the admin UI', () => {
    assert.deepEqual(risksOf('https://{launch}.example-courses.net'), []);
    assert.deepEqual(risksOf('https://{launch}.other.co.uk', 'https://wire.example.co.uk'), []);
    assert.deepEqual(risksOf('https://{launch}.other.com.au', 'https://example.com.au'), []);
  });

  test('include the domain of the admin UI, with any subdomain', () => {
    for (const [contentUrl, baseUrl] of [
      ['https://{launch}.content.example.com', 'https://wire.example.com'],
      ['https://{launch}.example.com', 'https://wire.example.com:8443/learning'],
      ['https://{launch}.wire.example.com', 'https://wire.example.com'],
      ['https://{launch}.wire.example.com', 'https://example.com'],
      ['http://{launch}.content.example.com:8081', 'https://example.com'],
      ['https://{launch}.content.example.co.uk', 'https://wire.example.co.uk'],
      ['https://{launch}.content.ab.de', 'https://wire.ab.de'],
    ] as const) {
      assert.deepEqual(risksOf(contentUrl, baseUrl), ['domain'], `${contentUrl} of ${baseUrl}`);
    }
    assert.deepEqual(risksOf('https://content.example.com'), ['domain', 'shared']);
  });

  test('include the host name of the admin UI, once', () => {
    assert.deepEqual(risksOf('https://wire.example.com:8081'), ['host', 'shared']);
    assert.deepEqual(risksOf('http://10.1.2.3:8081', 'http://10.1.2.3:8080'), ['host', 'shared']);
  });

  test('of IP addresses and names without dots are not those of domains', () => {
    for (const [contentUrl, baseUrl] of [
      ['http://10.2.2.3:8081', 'http://10.1.2.3:8080'],
      ['http://[2001:db8::1]:8081', 'http://[2001:db8::2]:8080'],
      ['http://courses:8081', 'http://wire:8080'],
    ] as const) {
      assert.deepEqual(risksOf(contentUrl, baseUrl), ['shared'], contentUrl);
    }
    assert.deepEqual(risksOf('http://{launch}.localhost:8081', 'http://localhost:8080'), []);
  });

  test('are not reported for a service without base_url, which is being tried out', () => {
    assert.deepEqual(risksOf('http://127.0.0.1:8081', null), []);
  });
});
