import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { MIB } from '../../src/bytes.ts';
import type { Database } from '../../src/database/database.ts';
import { SqliteDatabase } from '../../src/database/sqlite/sqlite-database.ts';
import { openSqliteFile } from '../support/sqlite-file.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const MAX_ROUNDS = 10;
/** Two pages each, and as much again for the index. */
const VALUE = 'x'.repeat(7_000);

async function write(database: Database, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    await database.transaction((tx) =>
      tx.run('insert into service_secrets (name, value) values (?, ?)', crypto.randomUUID(), VALUE),
    );
  }
}

/**
 * Writes until the log no longer grows, because it has started over. Returns the number of rows. The log may still grow
 * while the writers get more processor time than the thread that copies. A log that never starts over grows each time.
 */
async function writeUntilStartedOver(database: Database, file: string): Promise<number> {
  for (let rounds = 1; rounds <= MAX_ROUNDS; rounds++) {
    const before = statSync(`${file}-wal`).size;
    await writeInTurns(database, 40, 100);
    if (statSync(`${file}-wal`).size === before) return rounds * 4_000;
  }
  return assert.fail(`the log has ${statSync(`${file}-wal`).size} bytes, and grows with the writes`);
}

async function writeInTurns(database: Database, writers: number, each: number): Promise<void> {
  await Promise.all(Array.from({ length: writers }, () => write(database, each)));
}

/** Writes a little more than the log may hold; done when most of it is in the database. */
async function writeUntilCopied(database: Database, file: string): Promise<void> {
  await writeInTurns(database, 40, 100);
  await until(() => statSync(file).size > 15 * MIB, 'the log is copied');
}

/** A file with pages of 4 KiB, as SQLite makes them by itself. */
function openFormerFile(): { database: SqliteDatabase; file: string } & AsyncDisposable {
  const folder = temporaryFolder();
  const file = path.join(folder.path, 'former.db');
  {
    using former = new DatabaseSync(file);
    former.exec(
      'pragma page_size = 4096; create table service_secrets (name text primary key, value text not null)',
    );
  }
  const database = new SqliteDatabase(file);
  return {
    database,
    file,
    [Symbol.asyncDispose]: async () => {
      await database[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

async function pageBytes({ reader }: Database): Promise<number | undefined> {
  const [row] = await reader.all<{ page_size: number }>('pragma page_size');
  return row?.page_size;
}

describe('the pages of an embedded database', () => {
  it('have 8 KiB each in a new file', async () => {
    await using test = await openSqliteFile();
    assert.equal(await pageBytes(test.database), 8_192);
  });

  it('are unchanged in an older file, whose log is limited as well', async () => {
    await using test = openFormerFile();
    // Afterwards, the thread that copies is certainly running. On a busy machine, it takes a while to start.
    await writeUntilCopied(test.database, test.file);
    await writeUntilStartedOver(test.database, test.file);
    assert.equal(await pageBytes(test.database), 4_096);
  });
});

describe('the write-ahead log', () => {
  it('is copied into the database while transactions continue, so that it does not grow with the writes', async () => {
    await using test = await openSqliteFile();
    await writeUntilCopied(test.database, test.file);
    const more = await writeUntilStartedOver(test.database, test.file);
    const [row] = await test.database.reader.all<{ count: number }>(
      'select count(*) as count from service_secrets',
    );
    assert.equal(row?.count, 4_000 + more);
  });

  it('leaves a complete database behind when everything is closed', async () => {
    await using test = await openSqliteFile();
    await writeInTurns(test.database, 40, 100);
    await test.database[Symbol.asyncDispose]();
    assert.throws(() => statSync(`${test.file}-wal`), { code: 'ENOENT' });
    using file = new DatabaseSync(test.file, { readOnly: true });
    assert.equal(file.prepare('select count(*) as count from service_secrets').get()?.count, 4_000);
    assert.deepEqual(
      file
        .prepare('pragma integrity_check')
        .all()
        .map((row) => row.integrity_check),
      ['ok'],
    );
  });

  it('does not keep writers waiting for a long read', async () => {
    await using test = await openSqliteFile();
    await writeInTurns(test.database, 10, 10);
    using other = new DatabaseSync(test.file, { readOnly: true });
    other.exec('begin');
    other.prepare('select count(*) from service_secrets').get();
    await writeInTurns(test.database, 40, 100);
    assert.equal(other.prepare('select count(*) as count from service_secrets').get()?.count, 100);
    other.exec('commit');
    assert.equal(other.prepare('select count(*) as count from service_secrets').get()?.count, 4_100);
  });

  it('does not fail transactions if the size of the log cannot be read', async (t) => {
    await using opened = await openSqliteFile();
    const looks = t.mock.method(StatementSync.prototype, 'get', () => {
      throw new Error('disk I/O error');
    });
    await write(opened.database, 40);
    assert.ok(looks.mock.callCount() > 0, 'the log was looked at');
    looks.mock.restore();
    const [row] = await opened.database.reader.all<{ count: number }>(
      'select count(*) as count from service_secrets where value = ?',
      VALUE,
    );
    assert.equal(row?.count, 40);
  });
});
