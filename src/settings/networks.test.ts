import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { allowedTargetNetworks, describeTargetNetworks, isLoopbackHost, networkList } from './networks.ts';

const NOT_PUBLISHED = { base_url: null, trusted_proxies: [] };

describe('a list of networks', () => {
  it('is read as networks, with single addresses and stray bits accepted', () => {
    for (const [given, read] of [
      ['10.1.2.3/8', '10.0.0.0/8'],
      ['10.1.2.3', '10.1.2.3/32'],
      ['0.0.0.0/0', '0.0.0.0/0'],
      ['FD00:0:0::1/8', 'fd00::/8'],
      ['::1', '::1/128'],
      ['::10.0.0.1', '::a00:1/128'],
      ['::ffff:10.1.2.3', '10.1.2.3/32'],
      ['::ffff:10.1.2.3/104', '10.0.0.0/8'],
    ] as const) {
      assert.deepEqual(networkList.fromText(given), { value: [read] });
    }
  });

  it('accepts no other spelling of an address', () => {
    for (const given of [
      '10.0.0.0/33',
      '::/129',
      '10.0.0.0/',
      '10.0.0.0/-1',
      '10.0.0.0/8/8',
      '10.0.0.0/255.0.0.0',
      '10.0.0',
      '010.0.0.1',
      '0x7f.1',
      '2130706433',
      'fe80::1%eth0',
      'localhost',
      '10.0.0.1,',
    ]) {
      assert.ok('refused' in networkList.fromText(given), given);
    }
  });
});

describe('the networks that postbacks may go to', () => {
  it('are those that are set, whatever the service listens on', () => {
    for (const host of ['127.0.0.1', '0.0.0.0']) {
      assert.deepEqual(allowedTargetNetworks({ ...NOT_PUBLISHED, host, target_allowed_networks: [] }), []);
      assert.deepEqual(
        allowedTargetNetworks({ ...NOT_PUBLISHED, host, target_allowed_networks: ['10.0.0.0/8'] }),
        ['10.0.0.0/8'],
      );
    }
  });

  it('are loopback when nothing is set and the service listens on loopback only', () => {
    for (const host of [
      '127.0.0.1',
      '127.1.2.3',
      '::1',
      '0:0:0:0:0:0:0:1',
      '::ffff:127.0.0.1',
      'LocalHost',
    ]) {
      assert.ok(isLoopbackHost(host), host);
      assert.deepEqual(allowedTargetNetworks({ ...NOT_PUBLISHED, host, target_allowed_networks: null }), [
        '127.0.0.0/8',
        '::1/128',
      ]);
    }
  });

  it('are none when nothing is set and the service listens on anything else', () => {
    for (const host of ['0.0.0.0', '::', '10.0.0.1', '128.0.0.1', 'wire.example.com', 'fe80::1%eth0']) {
      assert.ok(!isLoopbackHost(host), host);
      assert.deepEqual(allowedTargetNetworks({ ...NOT_PUBLISHED, host, target_allowed_networks: null }), []);
    }
  });

  it('are none when nothing is set and a proxy or a public address shows that others reach the service', () => {
    const host = '127.0.0.1';
    for (const published of [
      { base_url: null, trusted_proxies: ['127.0.0.1/32'] },
      { base_url: 'https://learn.example.com', trusted_proxies: [] },
      { base_url: 'http://192.168.0.10:8080/learning', trusted_proxies: [] },
    ]) {
      assert.deepEqual(allowedTargetNetworks({ ...published, host, target_allowed_networks: null }), []);
      const set = ['127.0.0.0/8'];
      assert.deepEqual(allowedTargetNetworks({ ...published, host, target_allowed_networks: set }), set);
    }
    for (const base_url of ['http://localhost:8080', 'http://127.0.0.1:8080/x', 'http://[::1]:8080'])
      assert.equal(
        allowedTargetNetworks({ ...NOT_PUBLISHED, base_url, host, target_allowed_networks: null }).length,
        2,
      );
  });

  it('are described in the startup log in each case', () => {
    const log = (settings: Partial<Parameters<typeof describeTargetNetworks>[0]>) =>
      describeTargetNetworks({
        ...NOT_PUBLISHED,
        host: '127.0.0.1',
        target_allowed_networks: null,
        ...settings,
      });
    assert.match(log({}), /and loopback addresses, because only this machine/);
    assert.match(log({ host: '0.0.0.0' }), /public addresses only, .* because host shows/);
    assert.match(log({ base_url: 'https://learn.example.com' }), /because trusted_proxies or base_url shows/);
    assert.match(log({ trusted_proxies: ['127.0.0.1/32'] }), /because trusted_proxies or base_url shows/);
    for (const host of ['127.0.0.1', '0.0.0.0'])
      assert.match(
        log({ host, target_allowed_networks: ['10.0.0.0/8'] }),
        /those in target_allowed_networks$/,
      );
  });
});
