import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { Client } from 'pg';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { PostgresAddress } from './postgres-address.ts';
import { urlForClient } from './postgres-url.ts';

describe('the URL of a database, for the client', () => {
  const folder = temporaryFolder();
  const authority = path.join(folder.path, 'db-ca.pem');
  writeFileSync(authority, 'the certificate');
  after(() => folder[Symbol.dispose]());

  for (const mode of ['allow', 'prefer', 'require', 'verify-ca', 'verify-full'])
    for (const [password, meant] of Object.entries({
      'a%zb': 'a%zb',
      '50%': '50%',
      'a b': 'a b',
      'a%20b': 'a b',
    }))
      it(`keeps the password ${password} and the file of the authority with sslmode=${mode}`, () => {
        const url = `postgres://u:${password}@h/d?options=-c%20jit=off&sslmode=${mode}&sslrootcert=${authority}`;
        const client = new Client(urlForClient(url));
        assert.equal(client.password, meant);
        assert.equal((client.ssl as unknown as { ca: string }).ca, 'the certificate');
        const { options } = (client as unknown as { connectionParameters: { options: string } })
          .connectionParameters;
        assert.equal(options, '-c jit=off');
      });

  for (const [given, expected] of Object.entries({
    'postgres://h/d?sslrootcert=system': 'postgres://h/d?sslmode=verify-full',
    'postgres://h/d?sslmode=require&sslrootcert=system&a=1': 'postgres://h/d?a=1&sslmode=verify-full',
    'postgres://h/d?sslmode=require&sslmode=allow#part': 'postgres://h/d?sslmode=verify-full',
    'postgres://h/d?sslmode=verify-ca': 'postgres://h/d?sslmode=verify-full',
    'postgres://h/d?sslmode=verify-ca&sslrootcert=a.pem':
      'postgres://h/d?sslrootcert=a.pem&sslmode=verify-ca&uselibpqcompat=true',
    'postgres://h/d?sslmode=disable': 'postgres://h/d?sslmode=disable',
    'postgres://h/d?uselibpqcompat=true&sslmode=require':
      'postgres://h/d?uselibpqcompat=true&sslmode=require',
    'postgres://h/d': 'postgres://h/d',
  }))
    it(`of ${given} is ${expected}`, () => assert.equal(urlForClient(given), expected));

  for (const name of ['sslmod', 'SSLMODE', 'ssl_mode', 'sslrootcerts'])
    it(`is refused with ${name}, because a typo must not turn encryption off`, () =>
      assert.throws(() => urlForClient(`postgres://h/d?a=1&${name}=verify-full`), {
        message:
          `database_url has the unknown parameter "${name}". For TLS, it can have ssl, sslmode, sslrootcert, sslcert, ` +
          'sslkey, sslnegotiation',
      }));

  it('may have parameters that only other programs know', () => {
    const url = 'postgres://h/d?channel_binding=require&sslsni=1&ssl_min_protocol_version=TLSv1.3&pool=2';
    assert.equal(urlForClient(url), url);
  });
});

describe('the address of a database', () => {
  it('trusts no public authorities if the file of the authority is empty', () => {
    using folder = temporaryFolder();
    const empty = path.join(folder.path, 'empty.pem');
    writeFileSync(empty, '');
    assert.throws(
      () =>
        new PostgresAddress(`postgres://u:p@h/d?sslmode=verify-full&sslrootcert=${empty}`, {
          connectMs: 1,
          statementMs: 1,
          graceMs: 1,
        }),
      { message: 'database_url cannot be used: the file of sslrootcert is empty' },
    );
  });
});
