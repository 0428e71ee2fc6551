import assert from 'node:assert/strict';
import fs, { copyFileSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { describe, it, mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { DatabaseLostError, DatabaseUnavailableError, type Durability } from '../../src/database/database.ts';
import { SqliteDatabase } from '../../src/database/sqlite/sqlite-database.ts';
import { WalSync } from '../../src/database/sqlite/wal-sync.ts';
import { Api, createClient, requestToken, temporaryFolder } from '../support/service.ts';
import { startProcess } from '../support/service-process.ts';
import { openSqliteFile } from '../support/sqlite-file.ts';
import { until } from '../support/until.ts';

// Runs on SQLite alone: it is about the log of SQLite.

const INSERT = 'insert into service_secrets (name, value) values (?, ?)';

/** A database whose log cannot be synced: it was removed before the first sync opened it. */
async function openWithoutLog() {
  const test = await openSqliteFile();
  await test.database[Symbol.asyncDispose]();
  const database = new SqliteDatabase(test.file);
  return {
    test,
    database,
    writeWithoutLog: () =>
      database.transaction(async (tx) => {
        await tx.run(INSERT, 'unsynced', 'x');
        unlinkSync(`${test.file}-wal`);
      }),
  };
}

describe('a commit whose log cannot be synced to disk', () => {
  it('is not confirmed, nor is any later one: the state on disk is uncertain until a restart', async () => {
    const { test, database, writeWithoutLog } = await openWithoutLog();
    await using _folder = test;
    await using _database = database;
    const followed: string[] = [];
    const unsynced = writeWithoutLog();
    const shared = database.transaction(async (tx) => {
      tx.onCommit(() => followed.push('shared'));
      await tx.run(INSERT, 'shared', 'x');
    });
    await assert.rejects(unsynced, DatabaseUnavailableError);
    await assert.rejects(shared, DatabaseUnavailableError);
    assert.deepEqual(followed, []);
    await assert.rejects(
      database.transaction((tx) => tx.run(INSERT, 'later', 'x')),
      {
        name: 'DatabaseUnavailableError',
        message: /restart the service/,
      },
    );
    await assert.rejects(database.ping(), DatabaseUnavailableError);
  });

  it('leaves none confirmed that wait for the next sync, since they follow it in the log', async () => {
    await using test = await openSqliteFile();
    const { database } = test;
    const outcomes: unknown[] = [];
    database.onOutcome((refusal) => outcomes.push(refusal?.constructor));
    using syncs = holdSyncs({ failures: 1 });
    const followed: string[] = [];
    const written: Promise<unknown>[] = [];
    for (const name of ['first', 'second']) {
      const isWritten = Promise.withResolvers<void>();
      const write = database.transaction(async (tx) => {
        tx.onCommit(() => followed.push(name));
        await tx.run(INSERT, name, 'x');
        isWritten.resolve();
      });
      written.push(assert.rejects(write, DatabaseLostError));
      await isWritten.promise;
      // It is committed, and its sync has begun.
      for (let turn = 0; turn < 5; turn++) await setImmediate();
    }
    syncs.release();
    await Promise.all(written);
    assert.deepEqual(followed, []);
    assert.deepEqual(outcomes, [DatabaseLostError, DatabaseLostError]);
  });

  it('is reported even if nobody waits for that sync', async () => {
    await using test = await openSqliteFile();
    const outcomes: unknown[] = [];
    test.database.onOutcome((refusal) => outcomes.push(refusal?.constructor));
    using syncs = holdSyncs({ failures: 1 });
    syncs.release();
    await test.database.transaction((tx) => tx.run(INSERT, 'deferred', 'x'), { durability: 'deferred' });
    await until(() => outcomes.length === 2, 'the failed sync is reported');
    assert.deepEqual(outcomes, [undefined, DatabaseLostError]);
  });

  it('ends the process with exit code 1, and confirmed changes are there at the next start', async () => {
    await using folder = temporaryFolder();
    const dataDir = folder.path;
    const failing = path.join(dataDir, 'failing');
    const preload = `import fs from 'node:fs';
      import { syncBuiltinESMExports } from 'node:module';
      const { fdatasync } = fs;
      fs.fdatasync = (descriptor, done) =>
        fs.existsSync(${JSON.stringify(failing)}) ? done(new Error('EIO: i/o error')) : fdatasync(descriptor, done);
      syncBuiltinESMExports();`;
    await using service = await startProcess({ data_dir: dataDir }, { preload });
    const { clientId, clientSecret } = await createClient(dataDir);
    const token = await requestToken(service.url, clientId, clientSecret);
    const api = new Api(service.url, token);
    const { id } = await api.create('/accounts', { name: 'confirmed' });
    writeFileSync(failing, '');
    await api.post('/accounts', { name: 'unconfirmed' }).catch(() => {});
    assert.deepEqual(await service.ended, { code: 1, signal: null });
    const [fatal] = service.logLines.filter(({ level }) => level === 'fatal');
    assert.match(JSON.stringify(fatal), /could not sync its log; restart the service: EIO/);
    await using again = await startProcess({ data_dir: dataDir });
    assert.equal((await new Api(again.url, token).get(`/accounts/${id}`)).status, 200);
  });

  it('does not prevent the database from closing', async () => {
    const { test, database, writeWithoutLog } = await openWithoutLog();
    await using _folder = test;
    const unsynced = assert.rejects(writeWithoutLog(), DatabaseUnavailableError);
    await database[Symbol.asyncDispose]();
    await unsynced;
  });
});

/**
 * Lets no sync to disk begin until it is released or disposed of, as if the disk were slow.
 * @param failures how many of them then fail before the others succeed, as Linux reports an error once
 */
function holdSyncs({ failures = 0 } = {}): Disposable & { release: () => void; asked: () => number } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { fdatasync } = fs;
  let failed = 0;
  const held = mock.method(fs, 'fdatasync', (descriptor: number, done: fs.NoParamCallback) => {
    void promise.then(() => {
      if (failed++ < failures) done(new Error('EIO: i/o error, fdatasync'));
      else fdatasync(descriptor, done);
    });
  });
  syncBuiltinESMExports();
  return {
    release: resolve,
    asked: () => held.mock.callCount(),
    [Symbol.dispose]: () => {
      resolve();
      held.mock.restore();
      syncBuiltinESMExports();
    },
  };
}

describe('a deferred transaction', () => {
  it('that may have read unsynced data is answered once that is on disk', async () => {
    await using test = await openSqliteFile();
    const { database } = test;
    using syncs = holdSyncs();
    const answered: string[] = [];
    const isWritten = Promise.withResolvers<void>();
    const isRead = Promise.withResolvers<void>();
    const write = database.transaction(async (tx) => {
      await tx.run(INSERT, 'durable', 'x');
      isWritten.resolve();
    });
    const written = write.then(() => answered.push('write'));
    await isWritten.promise;
    const read = database.transaction(
      async (tx) => {
        const rows = await tx.all('select name from service_secrets');
        isRead.resolve();
        return rows;
      },
      { durability: 'deferred' },
    );
    const readBack = read.then((rows) => answered.push(`read ${rows.length}`));
    await isRead.promise;
    // Its commit follows at once. Without the wait for the sync, it would resolve one turn of the event loop later.
    for (let turn = 0; turn < 5; turn++) await setImmediate();
    assert.deepEqual(answered, []);
    syncs.release();
    await Promise.all([written, readBack]);
    assert.deepEqual(answered, ['write', 'read 1']);
  });

  it('is answered without a sync when everything durable is on disk', async () => {
    await using test = await openSqliteFile();
    await test.database.transaction((tx) => tx.run(INSERT, 'durable', 'x'));
    using _held = holdSyncs();
    let isAnswered = false;
    void test.database
      .transaction((tx) => tx.run(INSERT, 'deferred', 'x'), { durability: 'deferred' })
      .then(() => {
        isAnswered = true;
      });
    await until(() => isAnswered, 'the deferred change is answered while no sync can happen');
    assert.equal((await test.database.reader.all('select name from service_secrets')).length, 2);
  });

  it('is synced a moment later, and so is the next one', async () => {
    await using test = await openSqliteFile();
    using syncs = holdSyncs();
    syncs.release();
    for (const syncsAsked of [1, 2]) {
      await test.database.transaction((tx) => tx.run(INSERT, `deferred ${syncsAsked}`, 'x'), {
        durability: 'deferred',
      });
      await until(() => syncs.asked() === syncsAsked, `the deferred change ${syncsAsked} is synced`);
    }
  });
});

describe('the log that a killed process left', () => {
  it('is written to disk once more before the next process confirms anything', async () => {
    await using test = await openSqliteFile();
    await test.database.transaction((tx) => tx.run(INSERT, 'kept', 'x'));
    const copy = path.join(path.dirname(test.file), 'killed.db');
    for (const end of ['', '-wal']) copyFileSync(`${test.file}${end}`, `${copy}${end}`);
    const bytes = readFileSync(`${copy}-wal`);
    const done: string[] = [];
    const { writeSync, fdatasyncSync } = fs;
    let fails = true;
    mock.method(fs, 'writeSync', (...of: Parameters<typeof writeSync>) => {
      const written = writeSync(...of);
      done.push(`wrote ${written}`);
      return written;
    });
    mock.method(fs, 'fdatasyncSync', (descriptor: number) => {
      if (fails) throw new Error('EIO: i/o error, fdatasync');
      fdatasyncSync(descriptor);
      done.push('synced');
    });
    syncBuiltinESMExports();
    try {
      assert.throws(() => new SqliteDatabase(copy, { rewritesLog: true }), {
        name: 'DatabaseUnavailableError',
        message: /cannot be opened: EIO/,
      });
      fails = false;
      done.length = 0;
      await using database = new SqliteDatabase(copy, { rewritesLog: true });
      assert.deepEqual(done, [`wrote ${bytes.length}`, 'synced']);
      assert.deepEqual(readFileSync(`${copy}-wal`), bytes);
      const rows = await database.reader.all("select 1 from service_secrets where name = 'kept'");
      assert.equal(rows.length, 1);
    } finally {
      mock.restoreAll();
      syncBuiltinESMExports();
    }
  });
});

describe('syncing the log', () => {
  it('answers every caller, including those who call while a sync is running', async () => {
    await using test = await openSqliteFile();
    await using sync = new WalSync(`${test.file}-wal`);
    const answered: string[] = [];
    const ask = (name: string) => sync.synced().then(() => answered.push(name));
    const first = [ask('a'), ask('b')];
    const second = sync.synced().then(() => Promise.all([ask('c'), ask('d')]));
    await Promise.all([...first, second]);
    assert.deepEqual(answered.sort(), ['a', 'b', 'c', 'd']);
  });

  it('fails for every caller who shares a failed sync', async () => {
    await using test = await openSqliteFile();
    await using sync = new WalSync(`${test.file}-missing`);
    const results = await Promise.allSettled([sync.synced(), sync.synced()]);
    assert.deepEqual(
      results.map((result) => result.status),
      ['rejected', 'rejected'],
    );
  });

  it('ends after the requested syncs when it is disposed of', async () => {
    await using test = await openSqliteFile();
    const sync = new WalSync(`${test.file}-wal`);
    let isSynced = false;
    void sync.synced().then(() => {
      isSynced = true;
    });
    await sync[Symbol.asyncDispose]();
    assert.equal(isSynced, true);
  });
});

describe('a committed change', () => {
  it('is there when the file is opened again, and only in the main file once the database was closed', async () => {
    await using test = await openSqliteFile();
    await test.database.transaction((tx) => tx.run(INSERT, 'kept', 'x'));
    await test.database[Symbol.asyncDispose]();
    assert.throws(() => unlinkSync(`${test.file}-wal`), { code: 'ENOENT' });
    await using reopened = new SqliteDatabase(test.file);
    assert.equal((await reopened.reader.all('select 1 from service_secrets')).length, 1);
  });

  it('that shares its commit with a deferred one is answered once it is on disk', async () => {
    await using test = await openSqliteFile();
    const { database } = test;
    using syncs = holdSyncs();
    const answered: string[] = [];
    const write = async (durability: Durability) => {
      await database.transaction((tx) => tx.run(INSERT, durability, 'x'), { durability });
      answered.push(durability);
    };
    const writes = [write('durable'), write('deferred')];
    const stored = () => database.reader.all('select 1 from service_secrets');
    await until(async () => (await stored()).length === 2, 'both are committed');
    // Without the wait for the sync, they would be answered one turn of the event loop later.
    for (let turn = 0; turn < 5; turn++) await setImmediate();
    assert.deepEqual(answered, []);
    syncs.release();
    await Promise.all(writes);
    assert.deepEqual(answered, ['durable', 'deferred']);
  });

  it('is answered in the order of the commits', async () => {
    await using test = await openSqliteFile();
    const answered: number[] = [];
    await Promise.all(
      Array.from({ length: 600 }, async (_, number) => {
        await test.database.transaction((tx) => tx.run(INSERT, `n${number}`, 'x'));
        answered.push(number);
      }),
    );
    assert.deepEqual(
      answered,
      answered.toSorted((a, b) => a - b),
    );
  });
});
