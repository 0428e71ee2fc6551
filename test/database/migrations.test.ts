import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import type { Database } from '../../src/database/database.ts';
import { type BlockedAttempt, MIGRATIONS, migrate, NewerDatabaseError } from '../../src/database/migrate.ts';
import type { Migration } from '../../src/database/migrations/migration.ts';
import { PostgresDatabase } from '../../src/database/postgres/postgres-database.ts';
import { ManualClock } from '../support/clock.ts';
import { runCommand } from '../support/command-line-in-process.ts';
import { openDatabaseOf, openTestDatabase } from '../support/database.ts';
import { untilOneWaits } from '../support/open-transaction.ts';
import { createPostgresDatabase, ON_POSTGRES } from '../support/postgres.ts';
import { connectTo } from '../support/postgres-client.ts';
import { startTestService, temporaryFolder, until } from '../support/service.ts';
import { environment, runProgram } from '../support/service-process.ts';
import { writeMigratedDatabase } from '../support/sqlite-template.ts';
import { startCommand } from '../support/started-command.ts';

const books: Migration = {
  number: 1,
  name: 'books',
  statements: ({ id }) => [`create table books (id ${id}, title text not null)`],
};
const authors: Migration = {
  number: 2,
  name: 'authors',
  statements: () => [
    'alter table books add column author text',
    "insert into books (title, author) values ('A', 'B')",
  ],
};
const broken: Migration = {
  number: 3,
  name: 'broken',
  statements: () => [
    'create table shelves (id integer)',
    "insert into books (title) values ('half')",
    'create table books (id integer)',
  ],
};

const later: Migration = { number: 3, name: 'later', statements: () => [] };

async function recorded({
  reader,
}: Database): Promise<{ number: number; name: string; applied_at: number }[]> {
  const rows = await reader.all<{ number: number; name: string; applied_at: number }>(
    'select number, name, applied_at from migrations order by number',
  );
  return rows.map((row) => ({ ...row }));
}

/** Every table's columns. */
async function schemaOf(database: Database): Promise<string[]> {
  const rows = await database.reader.all<{ name: string }>(
    database.dialect === 'postgres'
      ? `select table_name || '.' || column_name as name from information_schema.columns where table_schema = 'public'`
      : `select tables.name || '.' || columns.name as name from sqlite_schema as tables
         join pragma_table_info(tables.name) as columns
         where tables.type = 'table' and tables.name not like 'sqlite_%'`,
  );
  return rows.map(({ name }) => name).sort();
}

/** Makes the database lack a migration that adds a column to a table, which waits until nobody uses the table. */
async function undoLaunchLanguages(database: Database): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.run('alter table player_launches drop column language');
    assert.equal(await tx.run("delete from migrations where number = 38 and name = 'launch-languages'"), 1);
  });
}

describe('migrating a database', () => {
  it('applies each step once and records it', async () => {
    await using test = await openTestDatabase({ empty: true });
    const { database } = test;
    const clock = new ManualClock();
    assert.deepEqual(await migrate(database, clock.now, [books]), ['books']);
    const first = clock.now();
    clock.pass(1_000);
    assert.deepEqual(await migrate(database, clock.now, [books, authors]), ['authors']);
    assert.deepEqual(await migrate(database, clock.now, [books, authors]), []);
    assert.deepEqual(await recorded(database), [
      { number: 1, name: 'books', applied_at: first },
      { number: 2, name: 'authors', applied_at: clock.now() },
    ]);
    assert.equal((await database.reader.all('select * from books')).length, 1);
  });

  it('changes nothing if a step fails halfway', async () => {
    await using test = await openTestDatabase({ empty: true });
    const { database } = test;
    await migrate(database, Date.now, [books]);
    await assert.rejects(migrate(database, Date.now, [books, authors, broken]), /already exists/);
    assert.deepEqual(
      (await recorded(database)).map((migration) => migration.name),
      ['books'],
    );
    assert.deepEqual(await schemaOf(database), [
      'books.id',
      'books.title',
      'migrations.applied_at',
      'migrations.breaking',
      'migrations.name',
      'migrations.number',
    ]);
    assert.deepEqual(await migrate(database, Date.now, [books, authors]), ['authors']);
  });

  it('leaves non-breaking steps of a later release alone', async () => {
    await using test = await openTestDatabase({ empty: true });
    const { database } = test;
    await migrate(database, Date.now, [books, authors]);
    const before = await schemaOf(database);
    assert.deepEqual(await migrate(database, Date.now, [books]), []);
    assert.deepEqual(await schemaOf(database), before);
  });

  it('may add columns for a later release while this one is reading', { skip: ON_POSTGRES }, async () => {
    await using test = await openTestDatabase({ empty: true });
    const { database } = test;
    await migrate(database, Date.now, [books]);
    await database.transaction((tx) => tx.run("insert into books (title) values ('A')"));
    const read = () => database.reader.all('select books.*, 42 as answer from books');
    assert.deepEqual(await read(), [{ id: 1, title: 'A', answer: 42 }]);
    const other = test.open();
    await other.transaction((tx) => tx.run("alter table books add column shelf text default 'B'"));
    assert.deepEqual(await read(), [{ id: 1, title: 'A', shelf: 'B', answer: 42 }]);
  });

  it('is rejected, and changes nothing, once a newer release has applied a breaking step', async () => {
    await using test = await openTestDatabase({ empty: true });
    const { database } = test;
    await migrate(database, Date.now, [books, { ...authors, breaking: true }, later]);
    const before = await schemaOf(database);
    await assert.rejects(migrate(database, Date.now, [books]), (error: Error) => {
      assert.ok(error instanceof NewerDatabaseError);
      assert.match(error.message, /has migration 2 \(authors\), and this release knows migrations up to 1\./);
      return true;
    });
    assert.deepEqual(await schemaOf(database), before);
    assert.equal((await recorded(database)).length, 3);
  });

  it('is not rejected for a step that is breaking only on the other engine', async () => {
    await using test = await openTestDatabase({ empty: true });
    const { database } = test;
    const [here, there] =
      database.dialect === 'sqlite' ? (['sqlite', 'postgres'] as const) : (['postgres', 'sqlite'] as const);
    await migrate(database, Date.now, [books, { ...authors, breaking: there }]);
    assert.deepEqual(await migrate(database, Date.now, [books]), []);
    await migrate(database, Date.now, [books, { ...authors, breaking: there }, { ...later, breaking: here }]);
    await assert.rejects(migrate(database, Date.now, [books, authors]), NewerDatabaseError);
  });

  it('applies each step once when two processes start at once', async () => {
    await using test = await openTestDatabase({ empty: true });
    const other = test.open();
    const taken = await Promise.all([
      migrate(test.database, Date.now, [books, authors]),
      migrate(other, Date.now, [books, authors]),
    ]);
    assert.deepEqual(taken.flat().sort(), ['authors', 'books']);
  });

  it('works when many instances start at once on a new database', { skip: !ON_POSTGRES }, async () => {
    await using test = await openTestDatabase({ empty: true });
    const instances = Array.from({ length: 5 }, () => test.open());
    const taken = await Promise.all(instances.map((each) => migrate(each, Date.now)));
    assert.equal(taken.filter((names) => names.length > 0).length, 1);
    assert.deepEqual(await migrate(test.database, Date.now), []);
  });
});

describe('migrating PostgreSQL while others use its tables', { skip: !ON_POSTGRES }, () => {
  /** A session that uses the table until it is disposed of, as `pg_dump` does. */
  async function useTable(url: string, table: string) {
    const client = await connectTo(url, { name: 'pg_dump' });
    await client.query(`begin; lock table ${table} in access share mode`);
    return client;
  }

  it('lets the instances of the previous release read and write between its attempts, names who blocks it, and succeeds by itself', async () => {
    await using postgres = await createPostgresDatabase({ empty: true });
    await using old = new PostgresDatabase(postgres.url);
    await using database = new PostgresDatabase(postgres.url);
    await migrate(old, Date.now, [books]);
    await using stack = new AsyncDisposableStack();
    stack.use(await useTable(postgres.url, 'books'));
    const blocked: BlockedAttempt[] = [];
    const migrating = migrate(database, Date.now, [books, authors], {
      onBlocked: (attempt) => blocked.push(attempt),
    });
    await untilOneWaits(old);
    await old.transaction((tx) => tx.run("insert into books (title) values ('Written meanwhile')"));
    assert.equal((await old.reader.all('select title from books')).length, 1);
    await until(() => blocked.length > 0, 'the attempt has ended');
    await stack.disposeAsync();
    assert.deepEqual(await migrating, ['authors']);
    const [{ text, blockers }] = blocked as [BlockedAttempt];
    assert.deepEqual(
      blockers.map(({ application }) => application),
      ['pg_dump'],
    );
    assert.match(
      text,
      /used by pg_dump \(process \d+, in a transaction since [\d-]+T[\d:.]+Z\); the next attempt is in 2 s$/,
    );
  });

  it('fails and changes nothing if they do not end, and says who they are', async () => {
    await using postgres = await createPostgresDatabase({ empty: true });
    await using database = new PostgresDatabase(postgres.url);
    await migrate(database, Date.now, [books]);
    const before = await schemaOf(database);
    await using _dump = await useTable(postgres.url, 'books');
    await assert.rejects(migrate(database, Date.now, [books, authors], { patienceMs: 0 }), {
      name: 'DatabaseUnavailableError',
      message: /^the database cannot be migrated while its tables are used by pg_dump \(.*\); start again/,
    });
    assert.deepEqual(await schemaOf(database), before);
  });

  it('appears in the log of a service, which can be stopped in the meantime, and in the remarks of a command', async () => {
    using folder = temporaryFolder();
    await using postgres = await createPostgresDatabase();
    await using database = new PostgresDatabase(postgres.url);
    await undoLaunchLanguages(database);
    await using stack = new AsyncDisposableStack();
    await using dump = await useTable(postgres.url, 'player_launches');
    const settings = environment({ data_dir: folder.path, database_url: postgres.url, port: 0 });
    const run = (...args: string[]) =>
      stack.use(startCommand(process.execPath, ['bin/coursewire.js', ...args], settings));

    const service = run('serve');
    const lines = () =>
      // The last one may be incomplete.
      service.output.stdout
        .split('\n')
        .slice(0, -1)
        .filter((line) => line.includes('used by pg_dump'));
    await until(() => lines().length > 0, 'the service says what it waits for');
    const { level, blockers } = JSON.parse(lines()[0]!);
    assert.deepEqual([level, blockers[0].application], ['warn', 'pg_dump']);
    service.child.kill('SIGTERM');
    assert.equal(await service.ended(), 0, service.output.stderr);

    const command = run('client', 'list');
    await until(() => command.output.stderr.includes('\n'), 'the command says what it waits for');
    assert.match(
      command.output.stderr,
      /^Note: the database cannot be migrated while its tables are used by pg_dump \(process \d+/,
    );
    await dump[Symbol.asyncDispose]();
    assert.equal(await command.ended(), 0, command.output.stderr);
  });
});

describe('the service’s own migrations', () => {
  it('have unique ascending numbers, and are all applied to a new database', async () => {
    await using test = await openTestDatabase();
    const migrations = await recorded(test.database);
    assert.ok(migrations.length > 0);
    const numbers = MIGRATIONS.map(({ number }) => number);
    assert.deepEqual(
      numbers,
      [...new Set(numbers)].sort((one, other) => one - other),
    );
    assert.deepEqual(
      migrations.map(({ number }) => number),
      numbers,
    );
    assert.deepEqual(await migrate(test.database, Date.now), []);
  });

  it('keep foreign keys enforced', async () => {
    await using test = await openTestDatabase();
    await assert.rejects(
      test.database.transaction((tx) =>
        tx.run("insert into webhook_subtopics (webhook_id, subtopic) values (404, 'ACCOUNT_CREATED')"),
      ),
      /foreign key/i,
    );
  });

  it('prevent an older program from opening a database that it would deliver from twice or misread', async () => {
    using folder = temporaryFolder();
    await using service = await startTestService({ dataDir: folder.path });
    await using database = await openDatabaseOf(service.settings.data_dir);
    assert.deepEqual(
      (await database.reader.all<{ name: string }>('select name from migrations where breaking = 1')).map(
        ({ name }) => name,
      ),
      [...(ON_POSTGRES ? [] : ['done-messages', 'listed-deliveries']), 'sqs-copies', 'shared-bodies'],
    );
  });

  // On PostgreSQL tests begin with a migrated database.
  it('appear in the log only if a start applied some', { skip: ON_POSTGRES }, async () => {
    using folder = temporaryFolder();
    const said: number[] = [];
    for (let start = 0; start < 2; start++) {
      await using service = await startTestService({ dataDir: folder.path });
      said.push(service.logLines.filter((line) => line.migrations !== undefined).length);
    }
    assert.deepEqual(said, [1, 0]);
  });

  it('stop the start of an older program on a newer database with one line that says what to do', async () => {
    using folder = temporaryFolder();
    {
      await using service = await startTestService({ dataDir: folder.path });
      await using database = await openDatabaseOf(service.settings.data_dir);
      await database.transaction((tx) =>
        tx.run(
          "insert into migrations (number, name, breaking, applied_at) values (9999, 'from the future', 1, 0)",
        ),
      );
    }
    const { code, errors } = await runProgram(['serve'], { data_dir: folder.path, port: 0 });
    assert.equal(code, 1);
    assert.match(errors, /^coursewire: the database is newer than this release: .*from the future.*\n$/);
  });
});

describe('a command of a later release', () => {
  it('does not migrate the database of a running service, and says what to do; it does once the service has stopped', async () => {
    using folder = temporaryFolder();
    await using service = await startTestService({ dataDir: folder.path });
    await using database = await openDatabaseOf(folder.path);
    const sameRelease = await runCommand(['client', 'list'], { data_dir: folder.path });
    assert.equal(sameRelease.code, 0, sameRelease.err);

    await undoLaunchLanguages(database);
    const before = await recorded(database);
    for (const args of [
      ['client', 'list'],
      ['user', 'create', '--email', 'ann@example.com', '--role', 'admin'],
      ['secrets', 're-encrypt'],
      ['installation'],
    ]) {
      const { code, out, err } = await runCommand(args, { data_dir: folder.path });
      assert.deepEqual([code, out], [1, ''], args.join(' '));
      assert.ok(
        err.startsWith('coursewire: the database lacks migrations of this release (launch-languages), and '),
        err,
      );
      const holder = ON_POSTGRES
        ? `instances of an earlier release are running on ${hostname()}. Upgrade the service to this release, then run`
        : `another process (process ${process.pid}), probably a service of an earlier release, is using the data folder ${folder.path}. Restart`;
      assert.ok(err.includes(holder), err);
    }
    assert.deepEqual(await recorded(database), before);

    await service.stop();
    const { code, err } = await runCommand(['client', 'list'], { data_dir: folder.path });
    assert.equal(code, 0, err);
    assert.equal((await recorded(database)).length, before.length + 1);
  });

  it('does not migrate the target of a copy while instances run on it', { skip: !ON_POSTGRES }, async () => {
    using folder = temporaryFolder();
    await using service = await startTestService();
    await using target = await openDatabaseOf(service.settings.data_dir);
    await undoLaunchLanguages(target);
    const before = await recorded(target);
    await writeMigratedDatabase(path.join(folder.path, 'coursewire.db'));
    const { code, err } = await runCommand(
      ['database', 'copy', '--to', service.settings.database_url ?? ''],
      {
        data_dir: folder.path,
      },
    );
    assert.equal(code, 1);
    assert.match(err, /instances of an earlier release are running on/);
    assert.deepEqual(await recorded(target), before);
  });
});
