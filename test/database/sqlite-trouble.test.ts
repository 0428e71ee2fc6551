import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { BatchStatement } from '../../src/database/batch-statement.ts';
import { type Database, DatabaseUnavailableError } from '../../src/database/database.ts';
import { SqliteDatabase } from '../../src/database/sqlite/sqlite-database.ts';
import { openSqliteFile } from '../support/sqlite-file.ts';

const SECRETS = new BatchStatement(
  'wanted',
  { name: 'text' },
  (wanted, { joined }) =>
    `select service_secrets.value from ${joined} service_secrets where service_secrets.name = ${wanted.name}`,
);

describe('a failure of the engine', () => {
  const reads: Record<string, (database: Database) => Promise<unknown>> = {
    'a query': ({ reader }) => reader.query.selectFrom('service_secrets').selectAll().execute(),
    'a statement for many rows': ({ reader }) => SECRETS.all(reader, [{ name: 'a' }, { name: 'b' }]),
    'a statement': ({ reader }) => reader.all('select * from service_secrets'),
    'a transaction': (database) => database.transaction((tx) => tx.all('select * from service_secrets')),
    'a query in a transaction': (database) =>
      database.transaction((tx) => tx.query.selectFrom('service_secrets').selectAll().execute()),
  };
  for (const [name, read] of Object.entries(reads)) {
    it(`is distinguished from an invalid query (${name})`, async () => {
      await using test = await openSqliteFile();
      await test.database[Symbol.asyncDispose]();
      await using reopened = new SqliteDatabase(test.file);
      writeFileSync(test.file, Buffer.alloc(readFileSync(test.file).length, 7));
      await assert.rejects(read(reopened), DatabaseUnavailableError);
    });
  }

  it('prevents opening a file that is not a database', async () => {
    await using test = await openSqliteFile();
    await test.database[Symbol.asyncDispose]();
    writeFileSync(test.file, 'this is no database, but long enough to be looked at as if it were one');
    assert.throws(() => new SqliteDatabase(test.file), {
      name: 'DatabaseUnavailableError',
      message: /cannot be opened/,
    });
  });
});

describe('a statement that fails within a transaction', () => {
  it('does not undo the other changes if its error is caught', async () => {
    await using test = await openSqliteFile();
    const insert = 'insert into service_secrets (name, value) values (?, ?)';
    await test.database.transaction(async (tx) => {
      await tx.run(insert, 'a', 'x');
      await assert.rejects(tx.run(insert, 'a', 'again'));
      await tx.run(insert, 'b', 'x');
    });
    assert.equal((await test.database.reader.all('select 1 from service_secrets')).length, 2);
  });
});

describe('a transaction that the engine rolled back, as on a full disk', () => {
  const insert = 'insert into service_secrets (name, value) values (?, ?)';
  /** A database whose engine rolls back when a row named `full` is inserted. */
  const openFull = async () => {
    const test = await openSqliteFile();
    await test.database.transaction((tx) =>
      tx.run(
        `create trigger undo before insert on service_secrets when new.name = 'full'
         begin select raise(rollback, 'as if the disk were full'); end`,
      ),
    );
    return test;
  };

  it('runs no further statement, not even one that was not awaited', async () => {
    await using test = await openFull();
    const undone = test.database.transaction(async (tx) => {
      await tx.run(insert, 'before', 'x');
      await Promise.all([tx.run(insert, 'full', 'x'), tx.run(insert, 'behind', 'x')]);
    });
    await assert.rejects(undone, DatabaseUnavailableError);
    assert.deepEqual(await test.database.reader.all('select name from service_secrets'), []);
  });

  it('runs no statement that waits behind a long one that failed', async () => {
    await using test = await openFull();
    const rows = ['full', ...Array.from({ length: 99 }, (_, at) => `row ${at}`)].map((name) => [name, 'x']);
    const undone = test.database.transaction(async (tx) => {
      await Promise.all([
        tx.insertMany('service_secrets', ['name', 'value'], rows),
        tx.run(insert, 'behind', 'x'),
        tx.insertMany('service_secrets', ['name', 'value'], rows.slice(1)),
      ]);
    });
    await assert.rejects(undone, DatabaseUnavailableError);
    assert.deepEqual(await test.database.reader.all('select name from service_secrets'), []);
  });
});
