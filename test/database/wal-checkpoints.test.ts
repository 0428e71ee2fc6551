import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { MIB } from '../../src/bytes.ts';
import type { Database } from '../../src/database/database.ts';
import { SqliteDatabase } from '../../src/database/sqlite/sqlite-database.ts';
import { WalCheckpoints } from '../../src/database/sqlite/wal-checkpoints.ts';
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

/** A log that the test writes itself, without turns of the event loop between the commits. */
interface OpenLog extends AsyncDisposable {
  checkpoints: WalCheckpoints;
  /** Commits that many times. */
  write(commits: number, bytes?: number): void;
  uncopiedBytes(): number;
  logBytes(): number;
  /** Begins a read, which ends when the result is disposed of. */
  read(): Disposable;
}

function openLog(): OpenLog {
  const stack = new AsyncDisposableStack();
  const file = path.join(stack.use(temporaryFolder()).path, 'test.db');
  const writer = stack.adopt(new DatabaseSync(file), (opened) => opened.close());
  writer.exec(
    'pragma page_size = 8192; pragma journal_mode = wal; pragma synchronous = normal; create table filled (value blob)',
  );
  const checkpoints = stack.use(new WalCheckpoints(file, writer));
  const insertion = writer.prepare('insert into filled (value) values (zeroblob(?))');
  const state = writer.prepare('pragma wal_checkpoint(noop)');
  return {
    checkpoints,
    write: (commits, bytes = MIB) => {
      for (let n = 0; n < commits; n++) {
        insertion.run(bytes);
        checkpoints.committed();
      }
    },
    uncopiedBytes: () => {
      const { log, checkpointed } = state.get() as { log: number; checkpointed: number };
      return (log - checkpointed) * 8_192;
    },
    logBytes: () => statSync(`${file}-wal`).size,
    read: () => {
      const reader = new DatabaseSync(file, { readOnly: true });
      reader.exec('begin');
      reader.prepare('select count(*) from filled').get();
      return { [Symbol.dispose]: () => reader.close() };
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Counts the requests for a copy. For those that hold writers, notes how much they had to copy. */
function watchCopies(t: TestContext, log: OpenLog): { count(): number; heldBytes: number[] } {
  const heldBytes: number[] = [];
  const ask = Worker.prototype.postMessage;
  const asked = t.mock.method(
    Worker.prototype,
    'postMessage',
    function (this: Worker, ...given: Parameters<typeof ask>) {
      // If writers are held for this copy, they are from now on.
      queueMicrotask(() => {
        if (log.checkpoints.held !== null) heldBytes.push(log.uncopiedBytes());
      });
      ask.apply(this, given);
    },
  );
  return { count: () => asked.mock.callCount(), heldBytes };
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

  it('holds writers only for the last part, even if much was written during a copy', async (t) => {
    await using log = openLog();
    const copies = watchCopies(t, log);
    // Afterwards, the thread is certainly running.
    for (const mebibytes of [48, 144, 144, 144]) {
      const { length } = copies.heldBytes;
      // The copy begins after the first 32 MiB, and the rest is written in the meantime.
      log.write(mebibytes);
      await until(
        () => copies.heldBytes.length > length && log.checkpoints.held === null,
        'the log is copied',
      );
    }
    const most = Math.max(...copies.heldBytes) / MIB;
    assert.ok(most <= 33, `writers were held for a copy of ${most.toFixed()} MiB`);
  });

  it('never holds writers while a long read keeps it from being copied', async (t) => {
    await using log = openLog();
    const copies = watchCopies(t, log);
    using _reading = log.read();
    log.write(72);
    while (copies.count() < 6) {
      await nextTurn();
      log.write(1, 1);
    }
    assert.deepEqual(copies.heldBytes, []);
    assert.ok(log.uncopiedBytes() > 72 * MIB);
  });

  it('becomes small again after a long read', async () => {
    await using log = openLog();
    {
      using _reading = log.read();
      log.write(160);
    }
    assert.ok(log.logBytes() > 160 * MIB);
    await until(() => {
      if (log.checkpoints.held === null) log.write(16, 1);
      return log.logBytes() <= 128 * MIB;
    }, 'the file of the log is cut');
  });
});
