import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { type Database, DatabaseUnavailableError, type Transaction } from '../../src/database/database.ts';
import { openSqliteFile } from '../support/sqlite-file.ts';

const put = (tx: Transaction, name: string) =>
  tx.run('insert into service_secrets (name, value) values (?, ?)', name, 'x');

async function names({ reader }: Pick<Database, 'reader'>): Promise<string[]> {
  const rows = await reader.all<{ name: string }>('select name from service_secrets order by rowid');
  return rows.map((row) => row.name);
}

/** Runs these works in one batch and returns how each ended: `committed`, or the name of its error. */
async function inOneBatch(
  database: Database,
  works: readonly ((tx: Transaction) => Promise<unknown>)[],
): Promise<string[]> {
  const results = await Promise.allSettled(works.map((work) => database.transaction(work)));
  return results.map((result) => (result.status === 'fulfilled' ? 'committed' : result.reason.name));
}

/** Makes the commit itself fail, as a disk may, by a constraint that SQLite checks only then. */
async function spoilCommit(tx: Transaction): Promise<void> {
  await tx.run('pragma defer_foreign_keys = on');
  await tx.run("insert into webhook_subtopics (webhook_id, subtopic) values (404, 'ACCOUNT_CREATED')");
}

describe('transactions of one turn of the event loop', () => {
  it('commit together: no change is visible before all have run', async () => {
    await using test = await openSqliteFile();
    const other = test.connect();
    const seenInside: unknown[] = [];
    const works = ['a', 'b', 'c'].map((name) => async (tx: Transaction) => {
      await put(tx, name);
      await setImmediate();
      seenInside.push(other.prepare('select count(*) as count from service_secrets').get());
    });
    assert.deepEqual(await inOneBatch(test.database, works), ['committed', 'committed', 'committed']);
    assert.deepEqual(
      seenInside.map((row) => (row as { count: number }).count),
      [0, 0, 0],
    );
    assert.deepEqual(await names(test.database), ['a', 'b', 'c']);
  });

  it('run one after another, in the order of the calls, and see earlier changes', async () => {
    await using test = await openSqliteFile();
    const seen: number[] = [];
    const works = ['a', 'b', 'c', 'd'].map((name) => async (tx: Transaction) => {
      await setImmediate();
      seen.push((await tx.all('select name from service_secrets')).length);
      await put(tx, name);
    });
    await inOneBatch(test.database, works);
    assert.deepEqual(seen, [0, 1, 2, 3]);
  });

  it('are not affected by one that fails, whatever it changed before', async () => {
    await using test = await openSqliteFile();
    const works = [
      (tx: Transaction) => put(tx, 'first'),
      async (tx: Transaction) => {
        await put(tx, 'undone');
        throw new RangeError('changed my mind');
      },
      async (tx: Transaction) => {
        await put(tx, 'undone too');
        await put(tx, 'first');
      },
      (tx: Transaction) => put(tx, 'last'),
    ];
    assert.deepEqual(await inOneBatch(test.database, works), [
      'committed',
      'RangeError',
      'Error',
      'committed',
    ]);
    assert.deepEqual(await names(test.database), ['first', 'last']);
  });

  it('all fail if the commit fails, and change nothing', async () => {
    await using test = await openSqliteFile();
    const failing = [
      (tx: Transaction) => put(tx, 'a'),
      spoilCommit,
      async (tx: Transaction) => {
        // The error is caused by another transaction's change, which is rolled back.
        const seen = await tx.all("select name from service_secrets where name = 'a'");
        throw new RangeError(`there are ${seen.length} already`);
      },
      (tx: Transaction) => put(tx, 'b'),
    ];
    assert.deepEqual(await inOneBatch(test.database, failing), [
      'DatabaseUnavailableError',
      'DatabaseUnavailableError',
      'DatabaseUnavailableError',
      'DatabaseUnavailableError',
    ]);
    assert.deepEqual(await names(test.database), []);
    await test.database.transaction((tx) => put(tx, 'after'));
    assert.deepEqual(await names(test.database), ['after']);
  });

  it('all fail if the engine rolls back the whole transaction, as on a full disk', async () => {
    await using test = await openSqliteFile();
    test
      .connect()
      .exec(
        `create trigger full before insert on accounts begin select raise(rollback, 'disk is full'); end`,
      );
    const works = [
      (tx: Transaction) => put(tx, 'a'),
      (tx: Transaction) =>
        tx.run(
          "insert into accounts (name, enabled, revision, created_at, updated_at) values ('x', 1, 1, 0, 0)",
        ),
      (tx: Transaction) => put(tx, 'b'),
    ];
    const unavailable = 'DatabaseUnavailableError';
    assert.deepEqual(await inOneBatch(test.database, works), [unavailable, unavailable, unavailable]);
    assert.deepEqual(await names(test.database), []);
    await test.database.transaction((tx) => put(tx, 'after'));
    assert.deepEqual(await names(test.database), ['after']);
  });

  it('wait for another process that writes, without blocking the event loop', async () => {
    await using test = await openSqliteFile();
    const other = test.connect();
    other.exec('begin immediate');
    const waiting = test.database.transaction((tx) => put(tx, 'a'));
    // Runs only if the wait does not block this thread.
    setTimeout(() => other.exec('rollback'), 50);
    await waiting;
    assert.deepEqual(await names(test.database), ['a']);
  });

  it('fail if they cannot begin because another process writes for too long', async () => {
    await using test = await openSqliteFile();
    const other = test.connect();
    other.exec('begin immediate');
    await assert.rejects(
      test.database.transaction((tx) => put(tx, 'a')),
      DatabaseUnavailableError,
    );
    other.exec('rollback');
    await test.database.transaction((tx) => put(tx, 'b'));
    assert.deepEqual(await names(test.database), ['b']);
  });

  it('are answered after the commit, when everyone can see the change', async () => {
    await using test = await openSqliteFile();
    const other = test.connect();
    const count = other.prepare('select count(*) as count from service_secrets');
    await Promise.all(
      Array.from({ length: 50 }, async (_, number) => {
        await test.database.transaction((tx) => put(tx, `n${number}`));
        assert.ok((count.get() as { count: number }).count > number);
      }),
    );
  });

  it('are all committed in order even if they exceed one commit', async () => {
    await using test = await openSqliteFile();
    const all = Array.from({ length: 1_000 }, (_, number) => `n${number}`);
    await Promise.all(all.map((name) => test.database.transaction((tx) => put(tx, name))));
    assert.deepEqual(await names(test.database), all);
  });
});

describe('a callback after a commit', () => {
  it('runs once, in order, when the change is visible', async () => {
    await using test = await openSqliteFile();
    const followed: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const other = test.connect();
    await test.database.transaction(async (tx) => {
      tx.onCommit(() => followed.push('first'));
      tx.onCommit(() => followed.push(`${other.prepare('select name from service_secrets').all().length}`));
      tx.onCommit(resolve);
      await put(tx, 'a');
    });
    await promise;
    assert.deepEqual(followed, ['first', '1']);
  });

  it('does not run if its transaction or the commit fails', async () => {
    await using test = await openSqliteFile();
    const followed: string[] = [];
    const follow = (name: string) => async (tx: Transaction) => {
      tx.onCommit(() => followed.push(name));
      await put(tx, name);
    };
    await inOneBatch(test.database, [
      async (tx) => {
        await follow('failed')(tx);
        throw new Error('changed my mind');
      },
      follow('fine'),
    ]);
    await inOneBatch(test.database, [follow('lost'), spoilCommit]);
    await test.database.transaction(async () => {});
    assert.deepEqual(followed, ['fine']);
  });
});

describe('disposing of a database', () => {
  it('waits for the requested transactions, and rejects later ones', async () => {
    const test = await openSqliteFile();
    const results: string[] = [];
    const asked = Promise.all(
      ['a', 'b'].map((name) =>
        test.database.transaction(async (tx) => {
          await setImmediate();
          await put(tx, name);
          results.push(name);
        }),
      ),
    );
    await test.database[Symbol.asyncDispose]();
    assert.deepEqual(results, ['a', 'b']);
    await asked;
    await assert.rejects(
      test.database.transaction(async () => {}),
      DatabaseUnavailableError,
    );
    const reopened = test.connect();
    assert.equal(reopened.prepare('select * from service_secrets').all().length, 2);
    reopened.close();
    await assert.doesNotReject(async () => test[Symbol.asyncDispose]());
  });
});
