import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { runCommand } from '../support/command-line-in-process.ts';
import { createPostgresDatabase, ON_POSTGRES } from '../support/postgres.ts';
import { connectTo } from '../support/postgres-client.ts';
import { temporaryFolder } from '../support/service.ts';

const FIRST = ['client', 'create', '--name', 'First', '--email', 'me@example.com'];

describe('a PostgreSQL database that no service has used', {
  skip: ON_POSTGRES ? false : 'PostgreSQL only',
}, () => {
  it('is refused by commands that create nothing, which leave it and the data folder as they were', async () => {
    using folder = temporaryFolder();
    await using postgres = await createPostgresDatabase({ empty: true });
    const settings = { data_dir: path.join(folder.path, 'data'), database_url: postgres.url };
    for (const args of [['client', 'list'], ['user', 'list'], ['installation'], ['secrets', 're-encrypt']]) {
      const { code, err } = await runCommand(args, settings);
      assert.equal(
        err,
        'coursewire: the database of database_url has no tables of this service; is database_url right?\n',
      );
      assert.equal(code, 1, args.join(' '));
    }
    assert.ok(!existsSync(settings.data_dir));
    await using client = await connectTo(postgres.url);
    const { rows } = await client.query("select 1 from pg_tables where schemaname = 'public'");
    assert.deepEqual(rows, []);
    const created = await runCommand(FIRST, settings);
    assert.equal(created.code, 0, created.err);
    assert.equal((await runCommand(['client', 'list'], settings)).code, 0);
  });

  it('is refused with what to do if another program has created a table with a name of this service', async () => {
    using folder = temporaryFolder();
    await using postgres = await createPostgresDatabase({ empty: true });
    await using client = await connectTo(postgres.url);
    await client.query('create table accounts (owner text)');
    const { code, err } = await runCommand(FIRST, { data_dir: folder.path, database_url: postgres.url });
    assert.equal(
      err,
      'coursewire: the database cannot be migrated: relation "accounts" already exists. It belongs to another program, or its ' +
        'restore was not completed. Create an empty database for this service (see "PostgreSQL" in docs/operating.md)\n',
    );
    assert.equal(code, 1);
    const { rows } = await client.query(
      "select tablename from pg_tables where schemaname = 'public' order by tablename",
    );
    assert.deepEqual(rows, [{ tablename: 'accounts' }]);
  });

  it('is refused with what is missing if its user may not create tables', async () => {
    using folder = temporaryFolder();
    await using postgres = await createPostgresDatabase({ empty: true });
    await using client = await connectTo(postgres.url);
    await client.query("create user reader_only password 'x'; revoke create on schema public from public");
    try {
      const url = new URL(postgres.url);
      url.username = 'reader_only';
      url.password = 'x';
      const { code, err } = await runCommand(FIRST, { data_dir: folder.path, database_url: url.href });
      assert.equal(
        err,
        'coursewire: the database cannot be migrated: permission denied for schema public. Its user must own the tables of this ' +
          'service and be allowed to create more (see "PostgreSQL" in docs/operating.md)\n',
      );
      assert.equal(code, 1);
    } finally {
      await client.query('drop user reader_only');
    }
  });
});

describe('a PostgreSQL database whose tables belong to another user', {
  skip: ON_POSTGRES ? false : 'PostgreSQL only',
}, () => {
  for (const [what, revoked, problem] of [
    ['tables', '', 'the database cannot be read: permission denied for table service_secrets'],
    [
      'schema',
      'revoke usage on schema public from public',
      'the database cannot be migrated: no schema has been selected to create in',
    ],
  ] as const)
    it(`is refused with what is missing if its user has no rights on the ${what}`, async () => {
      using folder = temporaryFolder();
      await using postgres = await createPostgresDatabase({ empty: true });
      await using client = await connectTo(postgres.url);
      const created = await runCommand(FIRST, { data_dir: folder.path, database_url: postgres.url });
      assert.equal(created.code, 0, created.err);
      const name = `no_rights_on_${what}`;
      await client.query(`create user ${name} password 'x'; ${revoked}`);
      try {
        const url = new URL(postgres.url);
        url.username = name;
        url.password = 'x';
        const { code, err } = await runCommand(FIRST, { data_dir: folder.path, database_url: url.href });
        assert.equal(
          err,
          `coursewire: ${problem}. Its user must own the tables of this service and be allowed to create more ` +
            '(see "PostgreSQL" in docs/operating.md)\n',
        );
        assert.equal(code, 1);
      } finally {
        await client.query(`drop user ${name}`);
      }
    });
});
