import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import { DatabaseUnavailableError } from '../../src/database/database.ts';
import { PostgresDatabase } from '../../src/database/postgres/postgres-database.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { administer } from '../support/postgres-client.ts';
import { openPostgresParts, type PostgresParts, SHORT_TIMEOUTS } from '../support/postgres-helpers.ts';
import { startPostgresServer } from '../support/postgres-server.ts';
import { until } from '../support/service.ts';
import { succeeds } from '../support/until.ts';

const INSERT = 'insert into service_secrets (name, value) values (?, ?)';

/** Ends every connection to a database but the asking one, as a restart of the server does. */
const END_CONNECTIONS = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`;

const STALE_PLAN = 'cached plan must not change result type';
/** It has as many bytes, because the server sends the length first. */
const STALE_PLAN_IN_GERMAN = 'Plan darf den Ergebnistyp nicht ändern';

/** Opens the database as if `lc_messages` of its server were German. `hasTranslated` says whether there was an error about a stale plan. */
async function openInGerman(parts: PostgresParts) {
  let translated = false;
  const { database } = await parts.openBehindProxy(undefined, {
    replaceSent: (chunk) => {
      const at = chunk.indexOf(STALE_PLAN);
      if (at === -1) return chunk;
      translated = true;
      chunk.write(STALE_PLAN_IN_GERMAN, at);
      return chunk;
    },
  });
  return { database, hasTranslated: () => translated };
}

describe('a server that is lost', { skip: !ON_POSTGRES }, () => {
  it('is reported to callers as unavailable immediately, and works again when it is back', async () => {
    await using parts = await openPostgresParts();
    const { database, proxy } = await parts.openBehindProxy({ timeouts: SHORT_TIMEOUTS });
    await database.transaction((tx) => tx.run(INSERT, 'before', 'x'));
    proxy.cut();
    for (let turn = 0; turn < 3; turn++) {
      await assert.rejects(database.ping(), DatabaseUnavailableError);
      await assert.rejects(database.reader.all('select 1'), DatabaseUnavailableError);
      await assert.rejects(
        database.transaction((tx) => tx.run(INSERT, 'during', 'x')),
        DatabaseUnavailableError,
      );
      await assert.rejects(
        database.reader.query.selectFrom('accounts').selectAll().execute(),
        DatabaseUnavailableError,
      );
    }
    proxy.restore();
    await database.ping();
    await database.transaction((tx) => tx.run(INSERT, 'after', 'x'));
    const rows = await database.reader.all<{ name: string }>(
      'select name from service_secrets order by name',
    );
    assert.deepEqual(
      rows.map(({ name }) => name),
      ['after', 'before'],
    );
  });

  it('in the middle of a transaction undoes it', async () => {
    await using parts = await openPostgresParts();
    const { database, proxy } = await parts.openBehindProxy();
    const lost = database.transaction(async (tx) => {
      await tx.run(INSERT, 'a', 'x');
      proxy.cut();
      await tx.run(INSERT, 'b', 'x');
    });
    await assert.rejects(lost, DatabaseUnavailableError);
    await until(async () => {
      const [row] = await parts.database.reader.all<{ others: number }>(
        'select count(*) as others from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      );
      return row!.others === 0;
    }, 'the server noticed');
    assert.deepEqual(await parts.database.reader.all('select name from service_secrets'), []);
  });

  it('before the commit undoes it, and runs no hook', async () => {
    await using parts = await openPostgresParts();
    const { database, proxy } = await parts.openBehindProxy();
    const hooks: string[] = [];
    const lost = database.transaction(async (tx) => {
      tx.onCommit(() => hooks.push('ran'));
      await tx.run(INSERT, 'a', 'x');
      proxy.cut();
    });
    await assert.rejects(lost, DatabaseUnavailableError);
    assert.deepEqual(hooks, []);
    assert.deepEqual(await parts.database.reader.all('select name from service_secrets'), []);
  });

  it('without a response fails within the timeouts', async () => {
    await using parts = await openPostgresParts();
    const { database, proxy } = await parts.openBehindProxy({ timeouts: SHORT_TIMEOUTS });
    await database.ping();
    proxy.freeze();
    const began = performance.now();
    await Promise.all([
      assert.rejects(database.reader.all('select 1'), DatabaseUnavailableError),
      assert.rejects(
        database.transaction((tx) => tx.run(INSERT, 'a', 'x')),
        DatabaseUnavailableError,
      ),
    ]);
    // With the limits of a service, a statement without a response takes longer.
    assert.ok(performance.now() - began < 20_000);
    proxy.restore();
    await until(() => succeeds(database.ping()), 'the database answers');
  });

  it('that restarts ends connections in use and idle ones: nothing crashes, the next ones work', async () => {
    await using parts = await openPostgresParts();
    const other = parts.open();
    await Promise.all(
      Array.from({ length: 5 }, () => parts.database.transaction((tx) => tx.all('select 1'))),
    );
    const inUse = parts.database.transaction(async (tx) => {
      await tx.run(INSERT, 'a', 'x');
      await other.reader.all(END_CONNECTIONS);
      await tx.run(INSERT, 'b', 'x');
    });
    await assert.rejects(inUse, DatabaseUnavailableError);
    const insert = () => parts.database.transaction((tx) => tx.run(INSERT, 'c', 'x'));
    await until(() => succeeds(insert()), 'the next transaction works');
    assert.deepEqual(await parts.database.reader.all('select name from service_secrets'), [{ name: 'c' }]);
  });

  it('that accepts no changes is reported as unavailable', async () => {
    await using parts = await openPostgresParts();
    const url = new URL(parts.url);
    url.searchParams.set('options', '-c default_transaction_read_only=on');
    await using standby = new PostgresDatabase(url.href);
    await assert.rejects(standby.ping(), { name: 'DatabaseUnavailableError', message: /accepts no changes/ });
    await assert.rejects(
      standby.transaction((tx) => tx.run(INSERT, 'a', 'x')),
      DatabaseUnavailableError,
    );
  });

  it('that accepts changes again gets them on new connections', async () => {
    await using parts = await openPostgresParts();
    const name = new URL(parts.url).pathname.slice(1);
    const alter = (change: string) =>
      administer(parts.url, 'set default_transaction_read_only = off', `alter database ${name} ${change}`);
    await alter('set default_transaction_read_only = on');
    const { database } = parts;
    const insert = (value: string) => database.transaction((tx) => tx.run(INSERT, value, 'x'));
    await assert.rejects(insert('refused'), DatabaseUnavailableError);
    await assert.rejects(database.ping(), DatabaseUnavailableError);
    // The default of a session is that of its start.
    await alter('reset default_transaction_read_only');
    assert.equal(await insert('accepted'), 1);
    await database.ping();
  });

  it('and replaced by a standby is neither read nor changed until the standby is promoted', async () => {
    await using primary = await startPostgresServer();
    await primary.stop();
    await using standby = await startPostgresServer({ standbyOf: primary.dataFolder });
    await using database = new PostgresDatabase(standby.url);
    const create = () => database.transaction((tx) => tx.run('create table t (id integer)'));
    const refused = { name: 'DatabaseUnavailableError', message: /the server is a standby/ };
    await assert.rejects(database.reader.all('select 1'), refused);
    await assert.rejects(create(), refused);
    await assert.rejects(database.ping(), refused);
    await administer(standby.url, 'select pg_promote()');
    await create();
    assert.deepEqual(await database.reader.all('select id from t'), []);
    await database.ping();
  });

  it('keeps nobody waiting once the database is closed', async () => {
    await using parts = await openPostgresParts();
    const { database } = parts;
    const running = database.transaction((tx) => tx.run(INSERT, 'a', 'x'));
    await database[Symbol.asyncDispose]();
    assert.equal(await running, 1);
    await assert.rejects(
      database.transaction(async () => {}),
      { name: 'DatabaseUnavailableError', message: 'the database is closed' },
    );
    await assert.rejects(database.reader.all('select 1'), DatabaseUnavailableError);
  });
});

describe('error messages', { skip: !ON_POSTGRES }, () => {
  it('never contain the password or the values of a row', async () => {
    await using parts = await openPostgresParts();
    const password = 'pa55-word';
    const wrong = (change: (url: URL) => void) => {
      const url = new URL(parts.url);
      url.password = password;
      change(url);
      return url.href;
    };
    const urls = [
      wrong(() => {}),
      wrong((url) => {
        url.port = '1';
      }),
      wrong((url) => {
        url.hostname = 'no-such-host.invalid';
      }),
      wrong((url) => {
        url.pathname = '/no_such_database';
      }),
      `postgres://user:${password}@[broken`,
    ];
    for (const url of urls) {
      const use = async () => {
        await using database = new PostgresDatabase(url);
        await database.ping();
      };
      await assert.rejects(use(), (error: unknown) => {
        assert.ok(error instanceof DatabaseUnavailableError);
        assert.doesNotMatch(inspect(error, { depth: 10, showHidden: true }), new RegExp(password));
        return true;
      });
    }
    await parts.database.transaction((tx) => tx.run(INSERT, 'a', 'held dear'));
    await assert.rejects(
      parts.database.transaction((tx) => tx.run('update service_secrets set name = null')),
      (error: unknown) => {
        assert.doesNotMatch(inspect(error, { depth: 10, showHidden: true }), /held dear/);
        return true;
      },
    );
  });
});

describe('tables that another release changes', { skip: !ON_POSTGRES }, () => {
  it('can still be read and written with statements that were prepared before', async () => {
    await using parts = await openPostgresParts();
    const { database } = parts;
    const read = () => database.reader.query.selectFrom('service_secrets').selectAll().execute();
    const readWithin = () =>
      database.transaction((tx) => tx.query.selectFrom('service_secrets').selectAll().execute());
    for (let turn = 0; turn < 4; turn++) await Promise.all([read(), readWithin(), read(), readWithin()]);
    await parts.open().transaction((tx) => tx.run('alter table service_secrets add column note text'));
    for (let turn = 0; turn < 4; turn++) await Promise.all([read(), readWithin(), read(), readWithin()]);
  });

  it('can also be read and written if the messages of the server are not English', async () => {
    await using parts = await openPostgresParts();
    const german = await openInGerman(parts);
    const { database } = german;
    const read = () => database.reader.query.selectFrom('service_secrets').selectAll().execute();
    const readWithin = () =>
      database.transaction((tx) => tx.query.selectFrom('service_secrets').selectAll().execute());
    for (let turn = 0; turn < 4; turn++) await Promise.all([read(), readWithin(), read(), readWithin()]);
    await parts.open().transaction((tx) => tx.run('alter table service_secrets add column note text'));
    for (let turn = 0; turn < 4; turn++) await Promise.all([read(), readWithin(), read(), readWithin()]);
    assert.ok(german.hasTranslated());
  });
});
