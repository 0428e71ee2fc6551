import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import {
  PostgresDatabase,
  type PostgresOptions,
  UnsuitableServerError,
} from '../../src/database/postgres/postgres-database.ts';
import { SETTINGS_TABLE } from '../../src/settings/settings-table.ts';
import { ON_POSTGRES, SERVICE_TIMEOUTS } from '../support/postgres.ts';
import { openPostgresParts, SHORT_TIMEOUTS } from '../support/postgres-helpers.ts';
import { type PoolMode, startPostgresPooler } from '../support/postgres-pooler.ts';
import { throughPort } from '../support/tcp-proxy.ts';

/** Of an instance, by default. */
const CONNECTIONS = SETTINGS_TABLE.database_connections.default;

const LONG_MS = 20_000;

describe('a pooler between the service and PostgreSQL', { skip: !ON_POSTGRES }, () => {
  async function openBehind(mode: PoolMode, pool: Parameters<typeof startPostgresPooler>[2] = {}) {
    await using stack = new AsyncDisposableStack();
    const { url } = stack.use(await openPostgresParts());
    const { hostname, port } = new URL(url);
    const pooler = stack.use(await startPostgresPooler({ host: hostname, port: Number(port) }, mode, pool));
    const behind = throughPort(url, pooler.port);
    const database = stack.use(new PostgresDatabase(behind));
    const opened = stack.move();
    const openOther = (options?: PostgresOptions) => opened.use(new PostgresDatabase(behind, options));
    return { database, openOther, [Symbol.asyncDispose]: () => opened.disposeAsync() };
  }

  it('that pools sessions works, and the time limits apply', async () => {
    await using behind = await openBehind('session');
    const database = behind.openOther({ timeouts: SERVICE_TIMEOUTS });
    await database.assertSuitable();
    const limits = async (reader: Pick<typeof database.reader, 'all'>) =>
      await reader.all(
        `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
           current_setting('idle_in_transaction_session_timeout') as idle`,
      );
    const expected = [{ statement: '20s', lock: '10s', idle: '4s' }];
    assert.deepEqual(await limits(database.reader), expected);
    assert.deepEqual(await database.transaction(limits), expected);
  });

  /** Starts like an instance, and opens all of its connections, which then stay open for a while. */
  async function startInstance(database: PostgresDatabase): Promise<void> {
    await database.assertSuitable();
    await new Promise<void>((resolve) => database.onSignal('test', resolve));
    const work = 'select pg_sleep(0.2)';
    await Promise.all(
      Array.from({ length: CONNECTIONS }, () => [
        database.reader.all(work),
        database.transaction((tx) => tx.all(work)),
      ]).flat(),
    );
  }

  it('that has no server connection left is named as the possible cause', async () => {
    await using behind = await openBehind('session', { poolSize: CONNECTIONS });
    await startInstance(behind.database);
    const other = behind.openOther({ timeouts: SHORT_TIMEOUTS });
    for (const use of [() => other.assertSuitable(), () => other.transaction((tx) => tx.all('select 1'))])
      await assert.rejects(use, {
        name: 'DatabaseUnavailableError',
        message:
          /^the database could not be reached at \S+ \(database \w+\): .* no free connection .*default_pool_size/,
      });
  });

  it('that has no server connection left does not make anyone wait longer than for a connection', async () => {
    await using behind = await openBehind('session', { poolSize: CONNECTIONS });
    await startInstance(behind.database);
    const other = behind.openOther({ timeouts: { ...SHORT_TIMEOUTS, statementMs: LONG_MS } });
    const began = performance.now();
    await assert.rejects(
      other.transaction((tx) => tx.all('select 1')),
      /default_pool_size/,
    );
    assert.ok(performance.now() - began < LONG_MS / 2);
  });

  it('that ends the wait for a server connection is not mistaken for a pooler of transactions', async () => {
    await using behind = await openBehind('session', { poolSize: CONNECTIONS + 1, endsWaits: true });
    await startInstance(behind.database);
    await assert.rejects(behind.openOther().assertSuitable(), {
      name: 'DatabaseUnavailableError',
      message: /no free connection .*default_pool_size/,
    });
  });

  it('with the pool size that docs/operating.md requires lets two instances and a command work', async () => {
    const page = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8');
    const [, reserve] =
      /`database_connections` of all instances, and (\d+) for starts and commands/.exec(page) ?? [];
    assert.ok(reserve !== undefined);
    await using behind = await openBehind('session', { poolSize: 2 * CONNECTIONS + Number(reserve) });
    await startInstance(behind.database);
    await startInstance(behind.openOther());
    await behind.openOther().assertSuitable();
  });

  for (const mode of ['transaction', 'statement'] as const)
    it(`that pools ${mode}s is rejected with advice on what to do`, async () => {
      await using behind = await openBehind(mode);
      await assert.rejects(
        () => behind.database.assertSuitable(),
        (error) => {
          assert.ok(error instanceof UnsuitableServerError);
          assert.match(error.message, /pool_mode=session/);
          return true;
        },
      );
    });
});
