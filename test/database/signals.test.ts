import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { PostgresDatabase } from '../../src/database/postgres/postgres-database.ts';
import { openTestDatabase } from '../support/database.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { openPostgresParts, SHORT_TIMEOUTS } from '../support/postgres-helpers.ts';
import { until } from '../support/service.ts';

/** Counts calls; on PostgreSQL the first comes when listening has begun. */
function counter() {
  let count = 0;
  return {
    listener: () => {
      count += 1;
    },
    get count() {
      return count;
    },
    reset() {
      count = 0;
    },
  };
}

/** Longer than a signal alone may take. */
const SLOW_COMMIT_SECONDS = 3.5;
/** Half of the time that a connection without any response takes to be noticed otherwise. */
const NOTICED_MS = 20_000;

const firstCalls = ON_POSTGRES ? 1 : 0;

describe('a signal', () => {
  it('reaches listeners of its channel once per commit, however often the transaction sent it', async () => {
    await using test = await openTestDatabase();
    const { database } = test;
    const received = counter();
    const otherReceived = counter();
    using _one = database.onSignal('one', received.listener);
    using _other = database.onSignal('other', otherReceived.listener);
    await until(() => received.count === firstCalls && otherReceived.count === firstCalls, 'listening');
    received.reset();
    otherReceived.reset();
    await database.transaction(async (tx) => {
      tx.signal('one');
      tx.signal('one');
      await database.reader.all('select 1');
      assert.equal(received.count, 0);
    });
    await until(() => received.count > 0, 'the signal');
    await database.transaction(async (tx) => tx.signal('other'));
    await until(() => otherReceived.count > 0, 'the other signal');
    assert.equal(received.count, 1);
    assert.equal(otherReceived.count, 1);
  });

  it('reaches nobody if its transaction was rolled back, nor anyone who no longer listens', async () => {
    await using test = await openTestDatabase();
    const { database } = test;
    const received = counter();
    const ended = counter();
    using _one = database.onSignal('one', received.listener);
    const listening = database.onSignal('one', ended.listener);
    await until(() => received.count >= firstCalls, 'listening');
    listening[Symbol.dispose]();
    received.reset();
    ended.reset();
    const undone = database.transaction(async (tx) => {
      tx.signal('one');
      throw new Error('changed my mind');
    });
    await assert.rejects(undone);
    await database.transaction(async (tx) => tx.signal('one'));
    await until(() => received.count > 0, 'the signal');
    assert.equal(received.count, 1);
    assert.equal(ended.count, 0);
  });
});

describe('signals between instances', { skip: !ON_POSTGRES }, () => {
  it('reach every instance', async () => {
    await using parts = await openPostgresParts();
    const received = [counter(), counter(), counter()];
    for (const each of received) parts.open().onSignal('one', each.listener);
    await until(() => received.every((each) => each.count === 1), 'listening');
    await parts.database.transaction(async (tx) => tx.signal('one'));
    await until(() => received.every((each) => each.count === 2), 'the signal');
  });

  it('are received again after a lost connection, and listeners are called because some may be missing', async () => {
    await using parts = await openPostgresParts();
    const { database, proxy } = await parts.openBehindProxy({ timeouts: SHORT_TIMEOUTS });
    const received = counter();
    using _ = database.onSignal('one', received.listener);
    await until(() => received.count === 1, 'listening');
    proxy.cut();
    await parts.database.transaction(async (tx) => tx.signal('one'));
    proxy.restore();
    await until(() => received.count === 2, 'listening again');
    await parts.database.transaction(async (tx) => tx.signal('one'));
    await until(() => received.count === 3, 'the signal');
  });

  it('are received again within seconds after a network has silently dropped the connection', async () => {
    await using parts = await openPostgresParts();
    const { database, proxy } = await parts.openBehindProxy();
    const received = counter();
    using _ = database.onSignal('one', received.listener);
    await until(() => received.count === 1, 'listening');
    proxy.freeze();
    proxy.restore();
    await parts.database.transaction(async (tx) => tx.signal('one'));
    await until(() => received.count === 2, 'listening again', NOTICED_MS);
  });

  it('wait for a slow commit, which succeeds', async () => {
    await using parts = await openPostgresParts();
    await parts.database.transaction(async (tx) => {
      await tx.run(
        `create function sleep() returns trigger language plpgsql as 'begin perform pg_sleep(${SLOW_COMMIT_SECONDS}); return null; end'`,
      );
      await tx.run(
        `create constraint trigger slow after insert on service_secrets deferrable initially deferred
           for each row execute function sleep()`,
      );
    });
    const received = counter();
    using _ = parts.open().onSignal('one', received.listener);
    await until(() => received.count === 1, 'listening');
    let isCommitted = false;
    await parts.database.transaction(async (tx) => {
      await tx.run('insert into service_secrets (name, value) values (?, ?)', 'slow', 'x');
      tx.signal('one');
      tx.onCommit(() => {
        isCommitted = true;
      });
    });
    assert.ok(isCommitted);
    await until(() => received.count === 2, 'the signal');
  });

  it('are received once the server is available, and a stop does not wait for that', async () => {
    await using parts = await openPostgresParts();
    const { database, proxy } = await parts.openBehindProxy({ timeouts: SHORT_TIMEOUTS });
    proxy.cut();
    const received = counter();
    using _ = database.onSignal('one', received.listener);
    await assert.rejects(database.ping());
    assert.equal(received.count, 0);
    proxy.restore();
    await until(() => received.count === 1, 'listening');
    proxy.cut();
    await database[Symbol.asyncDispose]();
  });

  it('are replaced by calls if others use all connections to a server that works, and this is reported', async () => {
    await using parts = await openPostgresParts();
    const role = `limited_${randomUUID().replaceAll('-', '')}`;
    const administer = (sql: string) => parts.database.reader.all<{ pid: number }>(sql);
    await administer(`create role ${role} login password 'x'`);
    try {
      const url = Object.assign(new URL(parts.url), { username: role, password: 'x' });
      await using database = new PostgresDatabase(url.href, { connections: 3 });
      const reports: unknown[] = [];
      database.onReceivingSignals((failure) => reports.push(failure));
      const received = counter();
      using _ = database.onSignal('one', received.listener);
      await until(() => received.count === 1, 'listening');
      await Promise.all([database.ping(), database.transaction((tx) => tx.all('select 1'))]);
      await administer(`alter role ${role} connection limit 2`);
      await administer(
        `select pid, pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}' and query like 'listen%'`,
      );
      await until(() => reports.at(-1) instanceof Error, 'it is reported');
      assert.match(String(reports.at(-1)), /too many connections/);
      received.reset();
      const isReceived = database.transaction(async (tx) => tx.signal('one')).then(() => received.count > 0);
      assert.ok(await isReceived, 'its own signal, at once');
      received.reset();
      await parts.database.transaction(async (tx) => tx.signal('one'));
      await until(() => received.count > 0, 'the listener is still called');
      await administer(`alter role ${role} connection limit -1`);
      await until(() => reports.at(-1) === null, 'signals are received again');
    } finally {
      await administer(`drop role ${role}`);
    }
  });

  it('of many concurrent transactions all arrive, although many are sent together', async () => {
    await using parts = await openPostgresParts();
    const { database } = parts;
    const listening = parts.open();
    const channels = Array.from({ length: 100 }, (_, n) => ({ name: `channel_${n}`, received: counter() }));
    for (const { name, received } of channels) listening.onSignal(name, received.listener);
    await until(() => channels.every(({ received }) => received.count >= 1), 'listening');
    for (const { received } of channels) received.reset();
    await Promise.all(
      channels.map(({ name }) =>
        database.transaction(async (tx) => {
          await tx.run('insert into service_secrets (name, value) values (?, ?)', name, 'x');
          tx.signal(name);
        }),
      ),
    );
    await until(() => channels.every(({ received }) => received.count === 1), 'all signals');
  });

  it('arrive on channels that are added later', async () => {
    await using parts = await openPostgresParts();
    const received = counter();
    const later = counter();
    using _one = parts.database.onSignal('one', received.listener);
    await until(() => received.count === 1, 'listening');
    using _later = parts.database.onSignal('Later "quoted"', later.listener);
    await until(() => later.count === 1, 'listening');
    await parts.open().transaction(async (tx) => tx.signal('Later "quoted"'));
    await until(() => later.count === 2, 'the signal');
  });
});
