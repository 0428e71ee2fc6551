import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it } from 'node:test';
import { MIB } from '../../src/bytes.ts';
import { CopyTargetError, copyDatabase } from '../../src/database/copying/copy-database.ts';
import { readSqliteTables } from '../../src/database/copying/sqlite-tables.ts';
import { type Database, DatabaseUnavailableError } from '../../src/database/database.ts';
import { migrate } from '../../src/database/migrate.ts';
import { LONG_LOCK_MS } from '../../src/database/postgres/postgres-connections.ts';
import { PostgresDatabase } from '../../src/database/postgres/postgres-database.ts';
import { SqliteDatabase } from '../../src/database/sqlite/sqlite-database.ts';
import { deleteDoneMessages } from '../../src/queue/lines/done-messages.ts';
import { HOUR_MS, SECOND_MS } from '../../src/time/units.ts';
import { countRows } from '../support/database.ts';
import { createPostgresDatabase, ON_POSTGRES } from '../support/postgres.ts';
import { temporaryFolder } from '../support/service.ts';
import { watchedDatabase } from '../support/watched-database.ts';

/** More than one batch takes. */
const ACCOUNTS = 450;

interface Pair extends AsyncDisposable {
  source: Database;
  target: Database;
  url: string;
}

/** A source whose rows have every kind of difficulty, and an empty target. */
async function openPair(): Promise<Pair> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(temporaryFolder());
  const source = stack.use(new SqliteDatabase(path.join(folder.path, 'coursewire.db')));
  await migrate(source, Date.now);
  await source.transaction(async (tx) => {
    for (let id = 1; id <= ACCOUNTS; id++) {
      await tx.run(
        'insert into accounts (name, enabled, revision, created_at, updated_at) values (?, 1, 1, 0, 0)',
        `Account ${id} – "Ä" 🎓 \\`,
      );
    }
    await tx.run('delete from accounts where id > ?', ACCOUNTS - 10);
    for (const [id, parent] of [
      [1, null],
      [2, 3],
      [3, 1],
    ] as const) {
      await tx.run(
        'insert into folders (id, name, revision, created_at, updated_at) values (?, ?, 1, 0, 0)',
        id,
        'F',
      );
      if (parent === 3) continue;
      await tx.run('update folders set parent_id = ? where id = ?', parent, id);
    }
    await tx.run('update folders set parent_id = 3 where id = 2');
    await tx.run(
      `insert into registrations (registration_id, account_id, course_id, version_id, learner_id, completion, success,
         score, duration, revision, created_at, updated_at)
       values ('r', 1, 1, 0, 'learner', 'Completed', 'PASS', 33.3, 7, 1, 9007199254740991, 0)`,
    );
    await tx.run("insert into service_secrets (name, value) values ('nul', ?)", 'a\0b');
  });
  const { url } = stack.use(await createPostgresDatabase());
  const target = stack.use(new PostgresDatabase(url));
  const opened = stack.move();
  return { source, target, url, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** A database that records its statements, and the most bytes of values that one of them returned or received. */
interface MeasuredDatabase {
  readonly database: Database;
  readonly statements: readonly string[];
  /** The statements that returned no row. */
  readonly emptyReads: readonly string[];
  largest(): number;
}

function measured(inner: Database): MeasuredDatabase {
  const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
  const statements: string[] = [];
  const emptyReads: string[] = [];
  let largest = 0;
  const database = watchedDatabase(inner, ({ given, result }) => {
    if (given.length === 0) return;
    statements.push(String(given[0]));
    if (Array.isArray(result) && result.length === 0) emptyReads.push(String(given[0]));
    largest = Math.max(largest, bytesOf(given), bytesOf(result ?? null));
  });
  return { database, statements, emptyReads, largest: () => largest };
}

async function jsonOf({ reader }: Database, select: string): Promise<string> {
  return JSON.stringify(await reader.all(select));
}

async function assertEmpty({ source, target }: Pair): Promise<void> {
  for (const { name } of await readSqliteTables(source.reader)) {
    assert.equal(await countRows(target, name), 0, name);
  }
}

describe('copying the embedded database to PostgreSQL', { skip: !ON_POSTGRES }, () => {
  it('copies every row of every table unchanged, ids included, and reports counts and checksums', async () => {
    await using pair = await openPair();
    const { source, target } = pair;
    const copied = await copyDatabase(source, target);
    const [names] = await target.reader.all<{ tables: number }>(
      "select count(*) as tables from information_schema.tables where table_schema = 'public'",
    );
    assert.equal(copied.length + 1, names?.tables, 'all but the record of migrations');
    for (const { name, rows, checksum, altered } of copied) {
      assert.equal(rows, await countRows(source, name), name);
      assert.equal(rows, await countRows(target, name), name);
      assert.match(checksum, /^[0-9a-f]{32}$/);
      assert.equal(altered, name === 'service_secrets' ? 1 : 0, name);
    }
    for (const table of ['accounts', 'folders', 'registrations']) {
      const select = `select * from ${table} order by 1`;
      assert.equal(await jsonOf(target, select), await jsonOf(source, select), table);
    }
    const [secret] = await target.reader.all<{ value: string }>('select value from service_secrets');
    assert.equal(secret?.value, 'a\uFFFDb');
  });

  it('holds a few MiB at a time, however large the rows are, and reads small rows in batches', async () => {
    await using pair = await openPair();
    const { source, target } = pair;
    const documents = 12;
    await source.transaction(async (tx) => {
      for (let number = 1; number <= documents; number++) {
        await tx.run(
          `insert into lrs_documents (document_key, collection_key, registration, document_id, content_type, content, etag,
             updated_at) values (?, 'c', '', 'd', 'text/plain', ?, 'e', 0)`,
          `key ${number}`,
          number % 3 === 0 ? 'small' : 'ä'.repeat(2 * MIB),
        );
      }
    });
    const read = measured(source);
    const written = measured(target);
    const copied = await copyDatabase(read.database, written.database);
    assert.equal(copied.find(({ name }) => name === 'lrs_documents')?.rows, documents);
    const select = 'select document_key, octet_length(content) as bytes from lrs_documents order by 1';
    assert.equal(await jsonOf(target, select), await jsonOf(source, select));
    for (const { largest } of [read, written])
      assert.ok(largest() <= 9 * MIB, `${largest()} bytes at a time`);
    const reads = read.statements.filter((sql) => /\bfrom accounts\b/.test(sql));
    assert.ok(
      reads.length > 0 && reads.length <= 7,
      `the accounts were read with ${reads.length} statements`,
    );
  });

  it('never searches a whole table of the source for rows that do not exist, which would take minutes in a large one', async () => {
    await using pair = await openPair();
    const read = measured(pair.source);
    await copyDatabase(read.database, pair.target);
    assert.deepEqual(
      read.emptyReads.filter((sql) => /\bfrom accounts\b/.test(sql)),
      [],
    );
  });

  it('gives the source an hour for a statement, such as the count of a large table, in which the target waits', async () => {
    await using pair = await openPair();
    let limitMs = 0;
    await copyDatabase(pair.source, pair.target, {
      finish: async (to) => {
        const [row] = await to.all<{ given: string }>(
          `select setting as given from pg_settings where name = 'idle_in_transaction_session_timeout'`,
        );
        limitMs = Number(row?.given);
      },
    });
    assert.equal(limitMs, HOUR_MS);
  });

  it('loses its locks, if its machine is lost, before the next run stops waiting for them', async () => {
    await using pair = await openPair();
    const given = new Map<string, number>();
    await copyDatabase(pair.source, pair.target, {
      finish: async (to) => {
        const rows = await to.all<{ name: string; setting: string }>(
          "select name, setting from pg_settings where name like 'tcp!_%' escape '!'",
        );
        for (const { name, setting } of rows) given.set(name, Number(setting));
      },
    });
    const [idle, interval, count, unanswered] = [
      'keepalives_idle',
      'keepalives_interval',
      'keepalives_count',
      'user_timeout',
    ].map((name) => given.get(`tcp_${name}`) ?? Number.NaN);
    const probedMs = (idle! + interval! * count!) * SECOND_MS;
    assert.ok(idle! > 0 && probedMs < LONG_LOCK_MS, `probed for ${probedMs} ms`);
    // On Linux, this limit replaces the number of probes.
    assert.ok(unanswered! > 0 && unanswered! < LONG_LOCK_MS, `unanswered for ${unanswered} ms`);
  });

  it('names who uses the tables of the target if it cannot lock them in time', async () => {
    await using pair = await openPair();
    await using other = new PostgresDatabase(pair.url, { connections: 3 });
    const impatient: Pick<Database, 'transaction' | 'reader'> = {
      reader: pair.target.reader,
      transaction: (work, options) =>
        pair.target.transaction(async (tx) => {
          await tx.run(`set local lock_timeout = ${2 * SECOND_MS}`);
          return await work(tx);
        }, options),
    };
    await other.transaction(
      async (tx) => {
        const [session] = await tx.all<{ pid: number }>('select pg_backend_pid() as pid');
        await tx.run('lock table accounts in exclusive mode');
        await assert.rejects(copyDatabase(pair.source, impatient), {
          name: 'DatabaseUnavailableError',
          message: new RegExp(
            `^the target of the copy cannot be locked while its tables are used by coursewire \\(process ${session!.pid}, in a ` +
              'transaction since .*; an earlier copy .* run the command again when that has ended$',
          ),
        });
      },
      { isLong: true },
    );
    await assertEmpty(pair);
  });

  it('deletes finished messages on the target that were not yet deleted in the source', async () => {
    await using pair = await openPair();
    await pair.source.transaction(async (tx) => {
      await tx.run('delete from queue_messages');
      await tx.run('delete from queue_lines');
      for (const id of [1, 2, 3])
        await tx.run(
          "insert into queue_messages (id, line_id, message_id, label, stored_body, enqueued_at) values (?, 7, ?, 'L', '', 0)",
          id,
          `m${id}`,
        );
      await tx.run(
        'insert into queue_lines (line_id, pending, available_at, receive_count, done_to) values (7, 1, 0, 0, 2)',
      );
    });
    await copyDatabase(pair.source, pair.target, { finish: deleteDoneMessages });
    assert.deepEqual(await pair.target.reader.all('select id from queue_messages'), [{ id: 3 }]);
    assert.deepEqual(await pair.target.reader.all('select done_to from queue_lines'), [{ done_to: 0 }]);
  });

  it('continues with new ids, and reuses none, not even those of deleted rows', async () => {
    await using pair = await openPair();
    await copyDatabase(pair.source, pair.target);
    const insert =
      "insert into accounts (name, enabled, revision, created_at, updated_at) values ('n', 1, 1, 0, 0)";
    const [row] = await pair.target.transaction((tx) => tx.all<{ id: number }>(`${insert} returning id`));
    assert.equal(row?.id, ACCOUNTS + 1);
  });

  it('leaves the target empty if it is interrupted anywhere, and can be run again', async () => {
    await using pair = await openPair();
    for (const table of ['accounts', 'folders', 'registrations']) {
      const brokenOff = copyDatabase(pair.source, pair.target, {
        onProgress: (name) => {
          if (name === table) throw new Error('broken off');
        },
      });
      await assert.rejects(brokenOff, { message: 'broken off' });
      await assertEmpty(pair);
    }
    await copyDatabase(pair.source, pair.target);
    assert.equal(await countRows(pair.target, 'accounts'), ACCOUNTS - 10);
  });

  it('leaves the target empty if the connection is lost at the last moment, and can be run again', async () => {
    await using pair = await openPair();
    await using other = new PostgresDatabase(pair.url, { connections: 3 });
    const cut: Pick<Database, 'transaction' | 'reader'> = {
      reader: pair.target.reader,
      transaction: (work, options) =>
        pair.target.transaction(async (tx) => {
          const value = await work(tx);
          await other.reader.all(
            `select pg_terminate_backend(pid) from pg_stat_activity
             where datname = current_database() and pid <> pg_backend_pid()`,
          );
          return value;
        }, options),
    };
    await assert.rejects(copyDatabase(pair.source, cut), DatabaseUnavailableError);
    await assertEmpty(pair);
    await copyDatabase(pair.source, pair.target);
    assert.equal(await countRows(pair.target, 'accounts'), ACCOUNTS - 10);
  });

  it('rejects a target that is not empty, names the table, and does not change it', async () => {
    await using pair = await openPair();
    await pair.target.transaction((tx) =>
      tx.run("insert into service_secrets (name, value) values ('x', 'y')"),
    );
    await assert.rejects(
      copyDatabase(pair.source, pair.target),
      (error) =>
        error instanceof CopyTargetError &&
        /not empty: it has rows in service_secrets \(1\)/.test(error.message),
    );
    assert.equal(await countRows(pair.target, 'accounts'), 0);
  });

  it('names the migrations that only one of the databases has, and what to do', async () => {
    await using pair = await openPair();
    const apply = (database: Database, number: number, name: string) =>
      database.transaction((tx) => tx.run('insert into migrations values (?, ?, 0, 0)', number, name));
    await apply(pair.source, 9_998, 'of a later release');
    await assert.rejects(
      copyDatabase(pair.source, pair.target),
      /^CopyTargetError: the embedded database has migration 9998 \(of a later release\), .* Copy it with that release/,
    );
    await apply(pair.target, 9_998, 'of a later release');
    await apply(pair.target, 9_999, 'still later');
    await assert.rejects(
      copyDatabase(pair.source, pair.target),
      /^CopyTargetError: the target has migration 9999 \(still later\), .* Give a new database/,
    );
    await assertEmpty(pair);
  });

  it('copies nothing if a row arrives differently from how it was sent', async () => {
    await using pair = await openPair();
    await pair.target.transaction(async (tx) => {
      await tx.run(
        `create function spoil() returns trigger language plpgsql as $$ begin new.name := 'spoilt'; return new; end $$`,
      );
      await tx.run(
        'create trigger spoil before insert on accounts for each row when (new.id = 7) execute function spoil()',
      );
    });
    await assert.rejects(
      copyDatabase(pair.source, pair.target),
      /^CopyMismatchError: accounts: 440 rows in the source/,
    );
    await assertEmpty(pair);
  });
});
