import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Database, DatabaseUnavailableError } from '../../../src/database/database.ts';
import { Sessions } from '../../../src/identity/administrators/sessions.ts';
import {
  INVITATION_LIFETIME_MS,
  LINK_LIFETIME_MS,
  SetupLinks,
} from '../../../src/identity/administrators/setup-links.ts';
import { DAY_MS, MINUTE_MS } from '../../../src/time/units.ts';
import { createAdministrator, signedInBrowser } from '../../support/administration.ts';
import { ManualClock } from '../../support/clock.ts';
import { openDatabaseOf, openTestDatabase } from '../../support/database.ts';
import { recordedLogs, SILENT_LOGS } from '../../support/logs.ts';
import { startTestService, temporaryFolder, until } from '../../support/service.ts';

const MAX_SESSIONS_EACH = 50;

const IDLE_MS = 60 * MINUTE_MS;
const LIFETIME_MS = 10 * IDLE_MS;
const ADDRESS = '192.0.2.1';

function sessionsOf(database: Database, clock: ManualClock, logs = SILENT_LOGS): Sessions {
  const log = logs.for('AdministratorService');
  return new Sessions({ database, log, idleMs: IDLE_MS, lifetimeMs: LIFETIME_MS, now: clock.now });
}

async function open() {
  await using stack = new AsyncDisposableStack();
  const owned = stack.use(await openTestDatabase());
  const { database } = owned;
  const clock = new ManualClock();
  await database.transaction(async (tx) => {
    await tx.run(
      `insert into administrators (id, email, email_key, name, role, enabled, password_hash, created_at)
       values (1, 'a@b.c', 'a@b.c', 'A', 'admin', 1, 'x', 0)`,
    );
  });
  const sessions = sessionsOf(database, clock);
  const begin = (userAgent?: string, address = ADDRESS) =>
    database.transaction((tx) => sessions.begin(tx, 1, { userAgent, address }));
  const kept = stack.move();
  return { owned, database, clock, sessions, begin, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

describe('sessions', () => {
  test('end after the idle time without use, and last while they are used', async () => {
    await using world = await open();
    const token = await world.begin();
    for (let at = 0; at < 5; at++) {
      world.clock.pass(IDLE_MS - 1);
      assert.notEqual(await world.sessions.verify(token, ADDRESS), null);
    }
    world.clock.pass(IDLE_MS);
    assert.equal(await world.sessions.verify(token, ADDRESS), null);
    assert.deepEqual(await world.sessions.list(1), []);
  });

  test('end after their lifetime, however much they are used', async () => {
    await using world = await open();
    const token = await world.begin();
    for (let passed = 0; passed + IDLE_MS / 2 < LIFETIME_MS; passed += IDLE_MS / 2) {
      assert.notEqual(await world.sessions.verify(token, ADDRESS), null);
      world.clock.pass(IDLE_MS / 2);
    }
    assert.notEqual(await world.sessions.verify(token, ADDRESS), null);
    world.clock.pass(IDLE_MS / 2);
    assert.equal(await world.sessions.verify(token, ADDRESS), null);
  });

  test('end if the clock is set back to more than a minute before their start or last use', async () => {
    await using world = await open();
    const { clock, sessions } = world;
    const began = await world.begin();
    clock.pass(-MINUTE_MS);
    assert.notEqual(await sessions.verify(began, ADDRESS), null, 'clocks of instances may differ');
    clock.pass(-1);
    assert.equal(await sessions.verify(began, ADDRESS), null);
    assert.deepEqual(await sessions.list(1), []);
    const used = await world.begin();
    clock.pass(IDLE_MS / 2);
    assert.notEqual(await sessions.verify(used, ADDRESS), null);
    clock.pass(-MINUTE_MS - 1);
    assert.equal(await sessions.verify(used, ADDRESS), null);
  });

  test('of a clock that was ahead are removed, so that they do not begin again', async () => {
    await using world = await open();
    const token = await world.begin();
    world.clock.pass(-MINUTE_MS);
    assert.equal(await world.sessions.forgetExpired(10), 0);
    world.clock.pass(-1);
    assert.equal(await world.sessions.forgetExpired(10), 1);
    world.clock.pass(2 * MINUTE_MS);
    assert.equal(await world.sessions.verify(token, ADDRESS), null);
  });

  test('of a clock that was ahead do not count towards the maximum', async () => {
    await using world = await open();
    const inUse = await world.begin();
    world.clock.pass(DAY_MS);
    for (let at = 1; at < MAX_SESSIONS_EACH; at++) await world.begin();
    world.clock.pass(-DAY_MS);
    await world.begin();
    assert.notEqual(await world.sessions.verify(inUse, ADDRESS), null);
  });

  test('are known for another day to requests that began before', async () => {
    await using world = await open();
    const token = await world.begin();
    const began = { mayHaveExpired: true };
    world.clock.pass(IDLE_MS + DAY_MS - 1);
    assert.equal(await world.sessions.forgetExpired(10), 0);
    assert.notEqual(await world.sessions.verify(token, ADDRESS, began), null);
    world.clock.pass(1);
    assert.equal(await world.sessions.forgetExpired(10), 1);
    assert.equal(await world.sessions.verify(token, ADDRESS, began), null);
  });

  test('that have expired stay so after a request that began before', async () => {
    await using world = await open();
    const token = await world.begin();
    world.clock.pass(IDLE_MS);
    assert.notEqual(await world.sessions.verify(token, ADDRESS, { mayHaveExpired: true }), null);
    assert.equal(await world.sessions.verify(token, ADDRESS), null);
  });

  test('that have expired are not among those that the audit log says were ended', async () => {
    await using world = await open();
    await world.begin();
    world.clock.pass(IDLE_MS);
    await world.begin();
    const by = { type: 'ADMINISTRATOR', id: '1', user: 'a@b.c', name: 'A', address: ADDRESS } as const;
    await world.sessions.endEverywhere(1, by);
    assert.deepEqual(await world.database.reader.all('select action, details from audit_entries'), [
      { action: 'SESSIONS_ENDED', details: '{"sessions":1}' },
    ]);
  });

  test('end after the idle time if pages only repeat their requests', async () => {
    await using world = await open();
    const token = await world.begin();
    const unattended = { unattended: true };
    world.clock.pass(IDLE_MS / 2);
    assert.notEqual(await world.sessions.verify(token, ADDRESS, unattended), null);
    world.clock.pass(IDLE_MS / 2);
    assert.equal(await world.sessions.verify(token, ADDRESS, unattended), null);
  });

  test('record their use at most once a minute', async () => {
    await using world = await open();
    const token = await world.begin();
    const seen = async () => (await world.sessions.list(1))[0]!.lastSeenAt;
    const begun = await seen();
    world.clock.pass(MINUTE_MS - 1);
    await world.sessions.verify(token, ADDRESS);
    assert.equal(await seen(), begun);
    world.clock.pass(1);
    await Promise.all([world.sessions.verify(token, ADDRESS), world.sessions.verify(token, ADDRESS)]);
    assert.equal(await seen(), begun + MINUTE_MS);
  });

  test('stay valid while their use cannot be recorded', async () => {
    await using world = await open();
    const token = await world.begin();
    world.clock.pass(2 * MINUTE_MS);
    const { database } = world;
    const refusing = (error: Error): Database => ({
      dialect: database.dialect,
      clock: database.clock,
      onOutcome: (listener) => database.onOutcome(listener),
      reader: database.reader,
      transaction: () => Promise.reject(error),
      runAlone: () => Promise.reject(error),
      ping: () => database.ping(),
      onSignal: (...args) => database.onSignal(...args),
      onReceivingSignals: (...args) => database.onReceivingSignals(...args),
      [Symbol.asyncDispose]: async () => {},
    });
    for (const { error, logged } of [
      { error: new Error('a fault'), logged: 1 },
      // The database watch logs this once.
      { error: new DatabaseUnavailableError('read only'), logged: 0 },
    ]) {
      const { logs, lines } = recordedLogs('warn');
      const sessions = sessionsOf(refusing(error), world.clock, logs);
      assert.notEqual(await sessions.verify(token, ADDRESS), null);
      assert.equal(lines.length, logged, JSON.stringify(lines));
    }
  });

  test('are known to every instance, and end on all at once', async () => {
    await using world = await open();
    const other = sessionsOf(world.owned.open(), world.clock);
    const token = await world.begin();
    assert.equal((await other.verify(token, ADDRESS))?.administratorId, 1);
    await other.end(token);
    assert.equal(await world.sessions.verify(token, ADDRESS), null);
  });

  test('are stored only as hashes', async () => {
    await using world = await open();
    const token = await world.begin();
    const rows = await world.database.reader.all('select * from administrator_sessions');
    assert.equal(rows.length, 1);
    assert.ok(!JSON.stringify(rows).includes(token));
    const [row] = rows as { token_hash: string }[];
    assert.equal(
      await world.sessions.verify(row!.token_hash, ADDRESS),
      null,
      'whoever reads the database cannot use one',
    );
  });

  test('store only the needed part of a User-Agent, whatever it contains', async () => {
    await using world = await open();
    await world.begin('\ud800'.repeat(10_000));
    const [session] = await world.sessions.list(1);
    assert.ok(session!.userAgent.length <= 400);
    assert.ok(session!.userAgent.isWellFormed());
  });

  test('show the address of their last use, and nothing that is not an address', async () => {
    await using world = await open();
    const address = async () => (await world.sessions.list(1))[0]!.address;
    const token = await world.begin('', '::ffff:192.0.2.7');
    assert.equal(await address(), '192.0.2.7');
    for (const [used, expected] of [
      ['2001:db8::1', '2001:db8::1'],
      ['203.0.113.9', '203.0.113.9'],
      ['<b>unknown</b>', null],
    ] as const) {
      world.clock.pass(MINUTE_MS);
      await world.sessions.verify(token, used);
      assert.equal(await address(), expected);
    }
  });

  test('are limited for each administrator: the oldest ends first', async () => {
    await using world = await open();
    const first = await world.begin();
    const second = await world.begin();
    for (let at = 2; at <= MAX_SESSIONS_EACH; at++) await world.begin();
    assert.equal((await world.sessions.list(1)).length, MAX_SESSIONS_EACH);
    assert.equal(await world.sessions.verify(first, ADDRESS), null);
    assert.notEqual(await world.sessions.verify(second, ADDRESS), null);
  });

  test('that have expired do not count towards the maximum', async () => {
    await using world = await open();
    const inUse = await world.begin();
    for (let at = 0; at < MAX_SESSIONS_EACH / 2; at++) await world.begin();
    for (let passed = 0; passed < IDLE_MS; passed += IDLE_MS / 2) {
      world.clock.pass(IDLE_MS / 2);
      assert.notEqual(await world.sessions.verify(inUse, ADDRESS), null);
    }
    for (let at = 1; at < MAX_SESSIONS_EACH; at++) await world.begin();
    assert.equal((await world.sessions.list(1)).length, MAX_SESSIONS_EACH);
    assert.notEqual(await world.sessions.verify(inUse, ADDRESS), null);
  });

  test('are removed in steps a day after they expire, and no others are', async () => {
    await using world = await open();
    for (let at = 0; at < 3; at++) await world.begin();
    world.clock.pass(IDLE_MS + DAY_MS);
    const token = await world.begin();
    assert.equal(await world.sessions.forgetExpired(2), 2);
    assert.equal(await world.sessions.forgetExpired(2), 1);
    assert.equal(await world.sessions.forgetExpired(2), 0);
    assert.notEqual(await world.sessions.verify(token, ADDRESS), null);
  });

  test('that are old but in use survive housekeeping until their lifetime ends', async () => {
    await using world = await open();
    const token = await world.begin();
    for (let passed = 0; passed + IDLE_MS / 2 < LIFETIME_MS; passed += IDLE_MS / 2) {
      assert.equal(await world.sessions.forgetExpired(10), 0, `${passed} ms old`);
      assert.notEqual(await world.sessions.verify(token, ADDRESS), null);
      world.clock.pass(IDLE_MS / 2);
    }
    world.clock.pass(DAY_MS);
    assert.equal(await world.sessions.forgetExpired(10), 0);
    world.clock.pass(IDLE_MS / 2);
    assert.equal(await world.sessions.forgetExpired(10), 1);
  });

  test('are removed by housekeeping, as are expired links and full budgets', async () => {
    using folder = temporaryFolder();
    const { path: dataDir } = folder;
    {
      await using service = await startTestService({ dataDir });
      await createAdministrator(dataDir);
      await signedInBrowser(service.url);
    }
    await using database = await openDatabaseOf(dataDir);
    const left = async () => {
      const counts = await database.reader.all<{ n: number }>(
        `select (select count(*) from administrator_sessions) + (select count(*) from setup_links)
              + (select count(*) from guess_budgets) as n`,
      );
      return Number(counts[0]?.n);
    };
    await database.transaction(async (tx) => {
      await tx.run('update administrator_sessions set last_seen_at = 1');
      await tx.run('delete from guess_budgets');
      await tx.run("insert into guess_budgets (budget, full_at) values ('x', 1)");
      await tx.run("insert into setup_links (subject, token_hash, expires_at) values ('first', 'x', 1)");
      // The former service has just finished a round. This makes it look a minute old.
      await tx.run('update task_leases set leased_until = ?', Date.now() - 60_000);
    });
    assert.equal(await left(), 3);
    await using _service = await startTestService({ dataDir });
    await until(async () => (await left()) === 0, 'all three are removed');
  });
});

describe('one-time links', () => {
  test('end if the clock is set back so that they would last longer than their lifetime', async () => {
    await using world = await open();
    const { clock, database } = world;
    await database.transaction((tx) =>
      tx.run(
        `insert into administrators (id, email, email_key, name, role, enabled, password_hash, created_at)
         values (2, 'invited@b.c', 'invited@b.c', null, 'admin', 1, null, 0)`,
      ),
    );
    const links = new SetupLinks({ database, now: clock.now });
    for (const [administrator, lifetimeMs] of [
      [null, LINK_LIFETIME_MS],
      [1, LINK_LIFETIME_MS],
      [2, INVITATION_LIFETIME_MS],
    ] as const) {
      const { token } = await database.transaction((tx) => links.issue(tx, administrator, lifetimeMs));
      clock.pass(-MINUTE_MS);
      assert.equal((await links.read(token))?.administrator_id, administrator);
      clock.pass(-1);
      assert.equal(await links.read(token), null);
      assert.equal(await database.transaction((tx) => links.take(tx, token)), null);
      clock.pass(lifetimeMs + MINUTE_MS);
      const taken = await database.transaction((tx) => links.take(tx, token));
      assert.equal(taken?.administrator_id, administrator);
    }
  });
});
