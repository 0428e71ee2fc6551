import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lockFor } from '../../src/database/advisory-locks.ts';
import { type Database, DatabaseUnavailableError } from '../../src/database/database.ts';
import { migrate } from '../../src/database/migrate.ts';
import type { Migration } from '../../src/database/migrations/migration.ts';
import { PostgresDatabase } from '../../src/database/postgres/postgres-database.ts';
import { beginTransaction } from '../support/open-transaction.ts';
import { createPostgresDatabase, ON_POSTGRES } from '../support/postgres.ts';
import { connectTo } from '../support/postgres-client.ts';
import { startProxyTo } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';
import { withMembers } from '../support/watched-database.ts';

const books: Migration = {
  number: 1,
  name: 'books',
  statements: ({ id }) => [`create table books (id ${id}, title text not null)`],
};
const slow: Migration = {
  number: 2,
  name: 'slow',
  statements: () => ['alter table books add column author text', 'select pg_sleep(60)'],
};

describe('a migration of PostgreSQL whose process is gone', { skip: !ON_POSTGRES }, () => {
  it('releases its tables some seconds later, although its statement would run for long', async () => {
    await using postgres = await createPostgresDatabase({ empty: true });
    await using old = new PostgresDatabase(postgres.url);
    await migrate(old, Date.now, [books]);
    const { proxy, behind } = await startProxyTo(postgres.url);
    await using _proxy = proxy;
    await using database = new PostgresDatabase(behind);
    const migrating = assert.rejects(migrate(database, Date.now, [books, slow]), DatabaseUnavailableError);
    await until(async () => {
      const sleeping =
        "select 1 from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()";
      return (await old.reader.all(sleeping)).length > 0;
    }, 'the statement runs');
    proxy.cut();
    await migrating;
    await using client = await connectTo(postgres.url);
    await client.query("set lock_timeout = '20s'");
    assert.deepEqual((await client.query('select * from books')).rows, []);
  });

  it('is named by another one that has waited too long for its turn', async () => {
    await using postgres = await createPostgresDatabase({ empty: true });
    await using other = new PostgresDatabase(postgres.url);
    await using database = new PostgresDatabase(postgres.url);
    const { tx, commit } = await beginTransaction(other);
    await lockFor(tx, 'migrating');
    const impatient = withMembers<Database>(database, {
      transaction: (work, options) =>
        database.transaction(async (own) => {
          await own.run("set local lock_timeout = '100ms'");
          return await work(own);
        }, options),
    });
    const failure = await migrate(impatient, Date.now, [books]).catch((error: unknown) => error);
    await commit();
    assert.ok(failure instanceof DatabaseUnavailableError);
    assert.match(
      failure.message,
      /^the database is still being migrated by another instance.*; start again when that has ended$/,
    );
    assert.deepEqual(await migrate(impatient, Date.now, [books]), ['books']);
  });
});
