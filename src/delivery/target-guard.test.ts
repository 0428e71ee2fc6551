import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseAllowedNetworks, TargetGuard, TargetRefusedError } from './target-guard.ts';

const strict = new TargetGuard({ allowedNetworks: [] });

describe('addresses', () => {
  const refused: Record<string, readonly string[]> = {
    loopback: ['127.0.0.1', '127.255.255.254', '::1'],
    private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
    'link-local': ['169.254.169.254', 'fe80::1', 'fe80::1%eth0', 'febf::1'],
    'unique-local': ['fc00::1', 'fd00:ec2::254'],
    'site-local': ['fec0::1'],
    multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1', 'ff0e::1'],
    unspecified: ['0.0.0.0', '0.1.2.3', '::'],
    broadcast: ['255.255.255.255'],
    reserved: ['240.0.0.1', '192.0.0.1', '4000::1', '5f00::1', '100::1'],
    'carrier-grade NAT': ['100.64.0.1', '100.127.255.255', '100.100.100.200'],
    benchmarking: ['198.18.0.1', '198.19.255.255', '2001:2::1'],
    documentation: ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
    'IPv4-mapped forms of them': ['::ffff:127.0.0.1', '::ffff:a00:1', '::ffff:169.254.169.254'],
    'IPv4-compatible forms of them': ['::127.0.0.1', '::a00:1', '::1.1.1.1'],
    'IPv4-translated forms of them': ['::ffff:0:127.0.0.1'],
    'NAT64 forms of them': [
      '64:ff9b::127.0.0.1',
      '64:ff9b::a9fe:a9fe',
      '64:ff9b:1::a00:1',
      '64:ff9b:1:a00:1::',
    ],
    '6to4 forms of them': ['2002:7f00:1::', '2002:a00:1::1'],
    'Teredo forms of them': ['2001:0:7f00:1::', '2001:0:4136:e378:8000:63bf:f5ff:fffe'],
    'cloud platform services': ['168.63.129.16', '192.0.0.192'],
  };
  for (const [kind, addresses] of Object.entries(refused)) {
    it(`refuses ${kind}`, () => {
      for (const address of addresses) assert.equal(strict.allowsAddress(address), false, address);
    });
  }

  it('allows public addresses, including neighbours of refused ones', () => {
    const addresses = [
      ...[
        '1.1.1.1',
        '9.255.255.255',
        '11.0.0.0',
        '100.63.255.255',
        '100.128.0.0',
        '126.255.255.255',
        '128.0.0.0',
      ],
      ...[
        '169.253.255.255',
        '172.15.255.255',
        '172.32.0.0',
        '192.167.255.255',
        '198.17.255.255',
        '198.20.0.0',
      ],
      ...['223.255.255.255', '2606:4700:4700::1111', '2001:4860:4860::8888', '2a00:1450:4001::1'],
      ...['::ffff:1.1.1.1', '64:ff9b::1.1.1.1'],
    ];
    for (const address of addresses) assert.equal(strict.allowsAddress(address), true, address);
  });

  it('rejects texts that the system would not accept as an address', () => {
    for (const text of [
      '',
      'localhost',
      '1.1.1',
      '0x1.1.1.1',
      '01.1.1.1',
      '16843009',
      '1.1.1.1%eth0',
      '[2606:4700::1]',
      '%',
    ])
      assert.equal(strict.allowsAddress(text), false, text);
  });

  it('allows addresses in the allowed networks, in each of their forms', () => {
    const guard = new TargetGuard({ allowedNetworks: ['10.1.0.0/16', 'fd00:1::/32', '192.168.7.9'] });
    for (const address of [
      '10.1.0.1',
      '::ffff:10.1.255.255',
      '64:ff9b::10.1.2.3',
      'fd00:1::5',
      'fd00:1::5%eth0',
      '192.168.7.9',
    ])
      assert.equal(guard.allowsAddress(address), true, address);
    for (const address of ['10.2.0.1', '::ffff:10.0.255.255', 'fd00:2::5', '192.168.7.8', '127.0.0.1', '::1'])
      assert.equal(guard.allowsAddress(address), false, address);
  });

  it('allows tunnel addresses that contain an allowed IPv4 address only if they are in an allowed network themselves', () => {
    const byIpv4 = new TargetGuard({ allowedNetworks: ['10.0.0.0/8'] });
    const byIpv6 = new TargetGuard({
      allowedNetworks: ['2002::/16', '64:ff9b:1::/48', '2001::/32', '::/96'],
    });
    for (const address of ['2002:a00:1::', '64:ff9b:1::a00:1', '2001:0:a00:1::', '::10.0.0.1']) {
      assert.equal(byIpv4.allowsAddress(address), false, address);
      assert.equal(byIpv6.allowsAddress(address), true, address);
    }
  });

  it('treats an IPv4 address and its mapped form alike, whatever the address', () => {
    fc.assert(
      fc.property(fc.ipV4(), (ip) => strict.allowsAddress(ip) === strict.allowsAddress(`::ffff:${ip}`)),
    );
  });

  it('allows no IPv6 address outside of global unicast except those that contain an IPv4 address', () => {
    fc.assert(
      fc.property(fc.ipV6(), (ip) => {
        const global = /^[23][0-9a-f]{3}:/i.test(ip);
        const embedding = /^(::ffff:|64:ff9b::|0*:0*:0*:0*:0*:ffff:)/i.test(ip);
        return !strict.allowsAddress(ip) || global || embedding;
      }),
    );
  });
});

describe('allowed networks', () => {
  it('are read as CIDR notation or single addresses, bits beyond the prefix ignored', () => {
    const networks = parseAllowedNetworks([
      ' 127.0.0.1/8 ',
      '::1',
      'fd00::/8',
      '::ffff:10.0.0.0/104',
      '::10.0.0.0/104',
    ]);
    assert.deepEqual(
      networks.map(([address, bits]) => `${address}/${bits}`),
      ['127.0.0.1/8', '::1/128', 'fd00::/8', '10.0.0.0/8', '::a00:0/104'],
    );
  });

  for (const wrong of [
    '',
    '10/8',
    '10.0.0.0/',
    '10.0.0.0/33',
    '::/129',
    '10.0.0.0/8/8',
    '10.0.0.0/-1',
    '10.0.0.0/1e1',
    'example.com',
    '0x7f.0.0.1/8',
    'fe80::1%eth0/64',
  ])
    it(`do not take '${wrong}', and name it`, () => {
      assert.throws(() => parseAllowedNetworks(['10.0.0.0/8', wrong]), {
        name: 'RangeError',
        message: `'${wrong}' is not a network in CIDR notation, such as 10.0.0.0/8 or fd00::/8`,
      });
      assert.throws(() => new TargetGuard({ allowedNetworks: [wrong] }), RangeError);
    });
});

describe('URLs', () => {
  it('may be http and https, with a port, a path, a query and any host name, which is checked later', () => {
    for (const url of [
      'http://example.com',
      'https://example.com:8443/a/b?c=d#e',
      'HTTPS://EXAMPLE.COM/',
      'http://localhost/',
      'http://1.1.1.1/',
      'https://[2606:4700::1]/',
    ])
      assert.equal(strict.checkUrl(url), null, url);
  });

  const reasons: Record<string, readonly string[]> = {
    'target URL is not a valid absolute URL': [
      '',
      'example.com',
      '/hook',
      'http://',
      'http://[::1',
      'http://[fe80::1%25eth0]/',
      'http://a b/',
    ],
    'target URL is not http or https': [
      'ftp://example.com/',
      'file:///etc/passwd',
      'javascript:alert(1)',
      'ws://example.com',
      'unix:/run/x',
    ],
    'target URL contains credentials': [
      'http://user@example.com/',
      'http://user:pass@example.com/',
      'http://:pass@example.com/',
    ],
    'target URL contains a control character': [
      'http://example.com/\r\nHost: x',
      'http://exa\tmple.com/',
      'http://example.com/\0',
      '\nhttp://example.com/',
    ],
  };
  for (const [reason, urls] of Object.entries(reasons))
    it(`are refused: ${reason}`, () => {
      for (const url of urls) assert.equal(strict.checkUrl(url), reason, JSON.stringify(url));
    });

  it('have at most 2,048 characters', () => {
    const url = (length: number) => 'http://example.com/'.padEnd(length, 'x');
    assert.equal(strict.checkUrl(url(2_048)), null);
    assert.equal(strict.checkUrl(url(2_049)), 'target URL is longer than 2,048 characters');
  });

  it('are refused for a literal address that is not allowed, however it is written', () => {
    const loopback = [
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f.0.0.1',
      '0x7f000001',
      '0177.0.0.1',
      '127.0.0.1.',
      '①②⑦.⓪.⓪.①',
      '%31%32%37.0.0.1',
    ];
    for (const host of loopback)
      assert.equal(strict.checkUrl(`http://${host}:8080/`), 'target address 127.0.0.1 is not allowed', host);
    assert.equal(strict.checkUrl('http://0/'), 'target address 0.0.0.0 is not allowed');
    assert.equal(strict.checkUrl('http://[::1]/'), 'target address ::1 is not allowed');
    assert.equal(
      strict.checkUrl('http://[::FFFF:127.0.0.1]/'),
      'target address ::ffff:7f00:1 is not allowed',
    );
  });

  it('may have a literal address in an allowed network', () => {
    const guard = new TargetGuard({ allowedNetworks: ['127.0.0.0/8', '::1'] });
    for (const url of [
      'http://127.0.0.1/',
      'http://2130706433/',
      'http://[::1]:99/',
      'http://[::ffff:127.0.0.1]/',
    ])
      assert.equal(guard.checkUrl(url), null, url);
    assert.equal(guard.checkUrl('http://10.0.0.1/'), 'target address 10.0.0.1 is not allowed');
  });
});

describe('the lookup of host names', () => {
  const guardOver = (addresses: readonly string[], allowedNetworks: readonly string[] = []) =>
    new TargetGuard({ allowedNetworks, lookup: resolvingTo(addresses) });

  it('omits addresses that are not allowed, and keeps the order of the others', async () => {
    const guard = guardOver(['10.0.0.1', '2606:4700::1', '::1', '1.1.1.1', '127.0.0.1']);
    assert.deepEqual(await lookupAll(guard), ['2606:4700::1', '1.1.1.1']);
  });

  it('fails if no address is allowed, with a separate error that names only the first address', async () => {
    await assert.rejects(lookupAll(guardOver(['10.0.0.1', '127.0.0.1'])), (error) => {
      assert.ok(error instanceof TargetRefusedError);
      assert.equal(error.message, 'the host name resolves to an address that is not allowed');
      assert.equal(error.code, 'TARGET_REFUSED');
      return true;
    });
  });

  it('returns a single address unless all are requested', async () => {
    const guard = guardOver(['10.0.0.1', '1.1.1.1', '1.0.0.1']);
    const result = await new Promise((resolve) =>
      guard.lookup('host.test', { all: false }, (...args) => resolve(args)),
    );
    assert.deepEqual(result, [null, '1.1.1.1', 4]);
  });

  it('returns addresses in the allowed networks', async () => {
    assert.deepEqual(await lookupAll(guardOver(['10.0.0.1', '10.9.0.1'], ['10.9.0.0/16'])), ['10.9.0.1']);
  });

  it('passes on that a host is not found', async () => {
    const guard = new TargetGuard({
      allowedNetworks: [],
      lookup: (_host, _options, callback) =>
        callback(Object.assign(new Error('x'), { code: 'EAI_AGAIN' }), []),
    });
    await assert.rejects(lookupAll(guard), { code: 'EAI_AGAIN' });
    await assert.rejects(lookupAll(guardOver([])), { code: 'ENOTFOUND' });
  });
});

function resolvingTo(addresses: readonly string[]): LookupFunction {
  return (_hostname, _options, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
}

function lookupAll(guard: TargetGuard): Promise<string[]> {
  return new Promise((resolve, reject) =>
    guard.lookup('host.test', { all: true }, (error, found) => {
      if (error !== null) reject(error);
      else resolve((found as LookupAddress[]).map(({ address }) => address));
    }),
  );
}
