import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import type { Database } from '../../src/database/database.ts';
import { openSqliteFile } from '../support/sqlite-file.ts';

const MIB = 1_024 * 1_024;
/** Two pages each, and as much again for the index. */
const VALUE = 'x'.repeat(7_000);

async function write(database: Database, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    await database.transaction((tx) =>
      tx.run('insert into service_secrets (name, value) values (?, ?)', crypto.randomUUID(), VALUE),
    );
  }
}

async function writeInTurns(database: Database, writers: number, each: number): Promise<void> {
  await Promise.all(Array.from({ length: writers }, () => write(database, each)));
}

describe('the write-ahead log', () => {
  it('is copied into the database while transactions go on, and begins anew: it does not grow with what is written', async () => {
    await using test = await openSqliteFile();
    // About 100 MiB in all, many times what the log may hold.
    await writeInTurns(test.database, 40, 300);
    const [row] = await test.database.reader.all<{ count: number }>(
      'select count(*) as count from service_secrets',
    );
    assert.equal(row?.count, 12_000);
    const log = statSync(`${test.file}-wal`).size;
    assert.ok(log < 60 * MIB, `the log has ${log} bytes`);
    assert.ok(statSync(test.file).size > 50 * MIB, 'the database holds most of it');
  });

  it('leaves a whole database behind when everything is closed', async () => {
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

  it('does not keep writers waiting for someone who reads for long', async () => {
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
});
