import assert from 'node:assert/strict';
import { it } from 'node:test';
import { addressKey, plainAddress, siteKey } from './address-key.ts';

it('an IPv4 address has its own key, even if it is mapped into IPv6', () => {
  assert.equal(addressKey('192.0.2.7'), '192.0.2.7');
  assert.equal(addressKey('::ffff:192.0.2.7'), '192.0.2.7');
  assert.notEqual(addressKey('192.0.2.8'), addressKey('192.0.2.7'));
});

it('IPv6 addresses count by their /64', () => {
  assert.equal(addressKey('2001:db8:1:2::1'), addressKey('2001:db8:1:2:ffff:ffff:ffff:ffff'));
  assert.notEqual(addressKey('2001:db8:1:2::1'), addressKey('2001:db8:1:3::1'));
  assert.equal(addressKey('fe80::1%eth0'), addressKey('fe80::2%eth0'));
});

it('a text that is not an address is its own key', () => {
  assert.equal(addressKey('unknown'), 'unknown');
  assert.equal(addressKey(''), '');
});

it('the port that some proxies write behind an address does not count', () => {
  assert.equal(addressKey('192.0.2.7:51034'), '192.0.2.7');
  assert.equal(addressKey('[2001:db8:1:2::1]:51034'), addressKey('2001:db8:1:2::1'));
  assert.equal(addressKey('[2001:db8:1:2::1]'), addressKey('2001:db8:1:2::1'));
});

it('an address is returned without its port, and an invalid one is null', () => {
  assert.equal(plainAddress('192.0.2.7:51034'), '192.0.2.7');
  assert.equal(plainAddress('::ffff:192.0.2.7'), '192.0.2.7');
  assert.equal(plainAddress('[2001:db8::1]:51034'), '2001:db8::1');
  assert.equal(plainAddress('2001:db8::1'), '2001:db8::1');
  for (const none of ['unknown', '', ':80', '[]:80', '192.0.2.7:port', '192.0.2.7:80:80']) {
    assert.equal(plainAddress(none), null);
  }
});

it('the addresses of an IPv6 site count together as its /48', () => {
  assert.equal(siteKey('2001:db8:1:2::3'), '2001:db8:1::/48');
  assert.equal(siteKey('[2001:db8:1:ff::3]:51034'), '2001:db8:1::/48');
  assert.equal(siteKey('192.0.2.7'), null);
  assert.equal(siteKey('::ffff:192.0.2.7'), null);
  assert.equal(siteKey('unknown'), null);
});
