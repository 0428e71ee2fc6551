import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DatabaseUnavailableError } from '../../src/database/database.ts';
import { DEFAULT_TIMEOUTS } from '../../src/database/postgres/postgres-connections.ts';
import type { PostgresDatabase } from '../../src/database/postgres/postgres-database.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { openPostgresParts, SHORT_TIMEOUTS } from '../support/postgres-helpers.ts';
import { until } from '../support/until.ts';

const INSERT = 'insert into service_secrets (name, value) values (?, ?)';
/** Delays a result until the test releases the lock. */
const RESULT_LOCK = 'select pg_advisory_xact_lock(1)';
const UPDATE = 'update service_secrets set value = ? where name = ?';

async function valuesOf({ reader }: PostgresDatabase): Promise<Record<string, string>> {
  const rows = await reader.all<{ name: string; value: string }>('select name, value from service_secrets');
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}

describe('a transaction on PostgreSQL', { skip: !ON_POSTGRES }, () => {
  it('is rolled back if its work fails, and the next transaction can use the connection', async () => {
    await using parts = await openPostgresParts({ connections: 3 });
    for (let turn = 0; turn < 3; turn++) {
      const undone = parts.database.transaction(async (tx) => {
        await tx.run(INSERT, 'a', 'x');
        throw new Error('changed my mind');
      });
      await assert.rejects(undone, /changed my mind/);
    }
    await parts.database.transaction((tx) => tx.run(INSERT, 'b', 'x'));
    assert.deepEqual(await valuesOf(parts.database), { b: 'x' });
  });

  it('is rolled back if one of its statements failed, even though its work continued', async () => {
    await using parts = await openPostgresParts();
    let ranHook = false;
    const undone = parts.database.transaction(async (tx) => {
      tx.onCommit(() => {
        ranHook = true;
      });
      await tx.run(INSERT, 'a', 'x');
      await tx.run(INSERT, 'a', 'again').catch(() => {});
    });
    await assert.rejects(undone, { name: 'StatementError', code: '23505' });
    assert.deepEqual(await valuesOf(parts.database), {});
    assert.equal(ranHook, false);
  });

  it('is rolled back if its last statement fails, which is sent together with the commit', async () => {
    await using parts = await openPostgresParts();
    let ranHook = false;
    const undone = parts.database.transaction(async (tx) => {
      tx.onCommit(() => {
        ranHook = true;
      });
      await tx.run(INSERT, 'a', 'x');
      tx.run(INSERT, 'a', 'again').catch(() => {});
    });
    await assert.rejects(undone, { name: 'StatementError', code: '23505' });
    assert.deepEqual(await valuesOf(parts.database), {});
    assert.equal(ranHook, false);
  });

  it('is rolled back with the changes for which its work did not wait', async () => {
    await using parts = await openPostgresParts();
    for (let turn = 0; turn < 10; turn++) {
      const undone = parts.database.transaction(async (tx) => {
        tx.run(INSERT, 'a', 'x').catch(() => {});
        throw new Error('changed my mind');
      });
      await assert.rejects(undone, /changed my mind/);
      assert.deepEqual(await valuesOf(parts.database), {});
    }
  });

  it('runs its statements in the order in which they were made, from the first one on', async () => {
    await using parts = await openPostgresParts();
    await parts.database.transaction(async (tx) => {
      const [, rows] = await Promise.all([
        tx.run(INSERT, 'a', 'x'),
        tx.all<{ name: string }>('select name from service_secrets'),
      ]);
      assert.deepEqual(rows, [{ name: 'a' }]);
    });
    await parts.database.transaction(async (tx) => {
      tx.run(INSERT, 'b', 'x').catch(() => {});
    });
    assert.deepEqual(await valuesOf(parts.database), { a: 'x', b: 'x' });
  });

  it('fails with the error of its first failed statement, not with those that followed from it', async () => {
    await using parts = await openPostgresParts();
    const undone = parts.database.transaction(async (tx) => {
      await tx.run(INSERT, 'a', 'x');
      await tx.run(INSERT, 'a', 'again').catch(() => {});
      await tx.run(INSERT, 'b', 'x');
    });
    await assert.rejects(undone, { name: 'StatementError', code: '23505' });
  });

  it('runs in parallel with others, up to the number of connections', async () => {
    // Of six, one is for signals and two are for reads.
    await using parts = await openPostgresParts({ connections: 6 });
    const room = 3;
    const full = Promise.withResolvers<void>();
    let running = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 40 }, (_, number) =>
        parts.database.transaction(async (tx) => {
          running += 1;
          most = Math.max(most, running);
          if (running === room) full.resolve();
          await full.promise;
          await tx.run(INSERT, `n${number}`, 'x');
          running -= 1;
        }),
      ),
    );
    assert.equal(most, room);
    assert.equal(Object.keys(await valuesOf(parts.database)).length, 40);
  });

  it('loses no update of a row that many instances increment', async () => {
    await using parts = await openPostgresParts();
    const other = parts.open();
    await parts.database.transaction((tx) => tx.run(INSERT, 'count', '0'));
    const countUp = (database: PostgresDatabase) =>
      database.transaction(async (tx) => {
        const [row] = await tx.all<{ value: string }>(
          "select value from service_secrets where name = 'count' for update",
        );
        await tx.run(UPDATE, String(Number(row!.value) + 1), 'count');
      });
    await Promise.all(Array.from({ length: 50 }, (_, n) => countUp(n % 2 === 0 ? parts.database : other)));
    assert.deepEqual(await valuesOf(parts.database), { count: '50' });
  });

  it('is run again after a deadlock with another, so that both succeed', async () => {
    await using parts = await openPostgresParts();
    const { database } = parts;
    await database.transaction(async (tx) => {
      await tx.insertMany(
        'service_secrets',
        ['name', 'value'],
        [
          ['a', ''],
          ['b', ''],
        ],
      );
    });
    const bothHold = Promise.withResolvers<void>();
    let holding = 0;
    let runs = 0;
    const hooks: string[] = [];
    const append = (mark: string, first: string, second: string) =>
      database.transaction(async (tx) => {
        runs += 1;
        tx.onCommit(() => hooks.push(mark));
        await tx.run('update service_secrets set value = value || ? where name = ?', mark, first);
        holding += 1;
        if (holding === 2) bothHold.resolve();
        await bothHold.promise;
        await tx.run('update service_secrets set value = value || ? where name = ?', mark, second);
      });
    await Promise.all([append('1', 'a', 'b'), append('2', 'b', 'a')]);
    const values = await valuesOf(database);
    assert.equal(values.a, values.b);
    assert.deepEqual([...values.a!].sort(), ['1', '2']);
    assert.ok(runs > 2, `${runs} runs`);
    assert.deepEqual(hooks.sort(), ['1', '2']);
  });

  it('that the server rolls back again and again fails as unavailable', async () => {
    await using parts = await openPostgresParts();
    let runs = 0;
    const refused = parts.database.transaction(async (tx) => {
      runs += 1;
      await tx.run(`do $$ begin raise exception 'no luck' using errcode = 'serialization_failure'; end $$`);
    });
    await assert.rejects(refused, DatabaseUnavailableError);
    assert.ok(runs > 1 && runs < 10, `${runs} runs`);
  });

  it('sees what another transaction committed since it began', async () => {
    await using parts = await openPostgresParts();
    await parts.database.transaction(async (tx) => {
      assert.deepEqual(await tx.all('select name from service_secrets'), []);
      await parts.open().transaction((other) => other.run(INSERT, 'a', 'x'));
      assert.deepEqual(await tx.all('select name from service_secrets'), [{ name: 'a' }]);
    });
  });

  it('may wait for reads outside of it, whatever the number of connections', async () => {
    await using parts = await openPostgresParts({ connections: 3 });
    await Promise.all(
      Array.from({ length: 10 }, (_, number) =>
        parts.database.transaction(async (tx) => {
          await tx.run(INSERT, `n${number}`, 'x');
          await parts.database.reader.all('select 1');
        }),
      ),
    );
  });

  it('commits asynchronously if its caller allows it, and by the server’s default otherwise', async () => {
    await using parts = await openPostgresParts();
    const mode = async (durability: 'durable' | 'deferred') =>
      await parts.database.transaction(
        async (tx) => (await tx.all<{ synchronous_commit: string }>('show synchronous_commit'))[0],
        { durability },
      );
    assert.deepEqual(await mode('deferred'), { synchronous_commit: 'off' });
    assert.deepEqual(await mode('durable'), { synchronous_commit: 'on' });
  });
});

describe('rows of insertMany on PostgreSQL', { skip: !ON_POSTGRES }, () => {
  it('are inserted in their order, however many, with any characters', async () => {
    await using parts = await openPostgresParts();
    const { database } = parts;
    const bodies = ['', '"', '\\', '\\u0000', '{"a":"\\u0000"}', 'Zoë \u{1f600}', "it's", '\n\t', '$1 ?'];
    const rows = Array.from({ length: 5_000 }, (_, n) => [1, `m${n}`, 'L', bodies[n % bodies.length]!, n]);
    await database.transaction((tx) =>
      tx.insertMany('queue_messages', ['line_id', 'message_id', 'label', 'stored_body', 'enqueued_at'], rows),
    );
    const stored = await database.reader.all<{ body: string; enqueued_at: number }>(
      'select stored_body as body, enqueued_at from queue_messages order by id',
    );
    assert.deepEqual(
      stored.map((row) => [row.body, row.enqueued_at]),
      rows.map((row) => [row[3], row[4]]),
    );
  });

  it('have the replacement character for text that PostgreSQL cannot store', async () => {
    await using parts = await openPostgresParts();
    const { database } = parts;
    await database.transaction(async (tx) => {
      await tx.insertMany('service_secrets', ['name', 'value'], [['many', 'nul\0, half \ud83d']]);
      await tx.run(INSERT, 'one', 'nul\0, half \ud83d');
      await tx.query
        .insertInto('service_secrets')
        .values({ name: 'query', value: 'nul\0, half \ud83d' })
        .execute();
    });
    const held = 'nul\ufffd, half \ufffd';
    assert.deepEqual(await valuesOf(database), { many: held, one: held, query: held });
  });

  it('respect `on conflict`', async () => {
    await using parts = await openPostgresParts();
    const put = (value: string) =>
      parts.database.transaction((tx) =>
        tx.insertMany(
          'service_secrets',
          ['name', 'value'],
          [['a', value]],
          'on conflict (name) do update set value = service_secrets.value || excluded.value',
        ),
      );
    await put('x');
    await put('y');
    assert.deepEqual(await valuesOf(parts.database), { a: 'xy' });
  });
});

describe('numbers of PostgreSQL', { skip: !ON_POSTGRES }, () => {
  it('become JavaScript numbers, including counts, sums and averages', async () => {
    await using parts = await openPostgresParts();
    const [row] = await parts.database.reader.all(
      `select 9007199254740991::bigint as big, count(*) as count, sum(n) as sum, avg(n) as avg,
         max(n::double precision) / 4 as part from (values (1::bigint), (2), (6)) as t(n)`,
    );
    assert.deepEqual(row, { big: Number.MAX_SAFE_INTEGER, count: 3, sum: 9, avg: 3, part: 1.5 });
  });

  it('are rejected if a JavaScript number cannot represent them exactly', async () => {
    await using parts = await openPostgresParts();
    for (const number of ['9007199254740992::bigint', '(-9007199254740992)::bigint', '1e30::numeric']) {
      await assert.rejects(parts.database.reader.all(`select ${number} as n`), { name: 'UnsafeNumberError' });
    }
  });

  it('have the type of their value if the statement does not specify one', async () => {
    await using parts = await openPostgresParts();
    const [row] = await parts.database.reader.all(
      `select case when true then ? else null end as whole, ? as part, ? as text, ? as nothing, '?' as quoted`,
      7,
      1.5,
      'a',
      null,
    );
    assert.deepEqual(row, { whole: 7, part: 1.5, text: 'a', nothing: null, quoted: '?' });
  });
});

describe('waiting on PostgreSQL', { skip: !ON_POSTGRES }, () => {
  /** The server ends what waits too long. The client does so much later, because its process may be paused. */
  const BY_SERVER = { ...SHORT_TIMEOUTS, graceMs: 30_000 };

  it('ends when a statement takes too long', async () => {
    await using parts = await openPostgresParts({ timeouts: BY_SERVER });
    await assert.rejects(parts.database.reader.all('select pg_sleep(30)'), {
      name: 'DatabaseUnavailableError',
      message: /statement timeout/,
    });
    await parts.database.ping();
  });

  it('ends when a lock cannot be acquired', async () => {
    await using parts = await openPostgresParts({ timeouts: BY_SERVER });
    const patient = parts.open();
    await patient.transaction(async (tx) => {
      await tx.run(INSERT, 'a', 'x');
      await assert.rejects(
        parts.database.transaction((other) => other.run(INSERT, 'a', 'y')),
        {
          name: 'DatabaseUnavailableError',
          message:
            /lock timeout\. Another session holds the lock, .*"Old transactions" in docs\/troubleshooting\.md$/,
        },
      );
    });
    assert.deepEqual(await valuesOf(parts.database), { a: 'x' });
  });

  it('ends when no connection becomes available', async () => {
    await using parts = await openPostgresParts({
      connections: 3,
      timeouts: { ...SHORT_TIMEOUTS, idleInTransactionMs: 5_000 },
    });
    const { database } = parts;
    await database.transaction(async () => {
      await assert.rejects(
        database.transaction(async () => {}),
        DatabaseUnavailableError,
      );
    });
    await database.transaction((tx) => tx.run(INSERT, 'a', 'x'));
  });

  it('of a frozen instance ends: its locks are released and its change is rolled back', async () => {
    await using parts = await openPostgresParts({ timeouts: SHORT_TIMEOUTS });
    const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const stalled = parts.database.transaction(async (tx) => {
      await tx.run(INSERT, 'a', 'stalled');
      begun.resolve();
      await released.promise;
      await tx.run(INSERT, 'b', 'stalled');
    });
    await begun.promise;
    await parts.open().transaction((tx) => tx.run(INSERT, 'a', 'other'));
    released.resolve();
    await assert.rejects(stalled, DatabaseUnavailableError);
    assert.deepEqual(await valuesOf(parts.database), { a: 'other' });
  });

  it('of an instance that froze while it received a result ends, too', async () => {
    await using parts = await openPostgresParts();
    const timeouts = { ...DEFAULT_TIMEOUTS, unreadMs: SHORT_TIMEOUTS.unreadMs };
    const { database, proxy } = await parts.openBehindProxy({ timeouts });
    const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holding = parts.database.transaction(async (tx) => {
      await tx.all(RESULT_LOCK);
      asked.resolve();
      await released.promise;
    });
    await asked.promise;
    const stalled = assert.rejects(
      database.transaction(async (tx) => {
        await tx.run(INSERT, 'a', 'stalled');
        await tx.all(`select repeat('x', 1000000) from (${RESULT_LOCK}) as locked, generate_series(1, 40)`);
      }),
      DatabaseUnavailableError,
    );
    const other = parts.open();
    await until(async () => {
      const [row] = await other.reader.all<{ waiting: number }>(
        "select count(*) as waiting from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())",
      );
      return row!.waiting > 0;
    }, 'the result is next');
    proxy.freeze();
    released.resolve();
    await holding;
    await other.transaction((tx) => tx.run(INSERT, 'a', 'other'));
    proxy.cut();
    await stalled;
    assert.deepEqual(await valuesOf(parts.database), { a: 'other' });
  });

  it('is not reduced for a long transaction', async () => {
    await using parts = await openPostgresParts({ timeouts: SHORT_TIMEOUTS });
    await parts.database.transaction((tx) => tx.run('select pg_sleep(1.5)'), { isLong: true });
  });
});
