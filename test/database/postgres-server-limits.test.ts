import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DatabaseUnavailableError, type Reader } from '../../src/database/database.ts';
import { openTestDatabase } from '../support/database.ts';
import { ON_POSTGRES } from '../support/postgres.ts';

describe('limits that PostgreSQL sets for the service’s user or database', { skip: !ON_POSTGRES }, () => {
  /** Limits that are much shorter than migrations and pauses between statements. */
  const SERVER_LIMITS = {
    statement_timeout: '100ms',
    transaction_timeout: '100ms',
    idle_session_timeout: '100ms',
  };
  const LONG_WORK = 'select pg_sleep(0.3)';

  it('do not apply, so transactions and migrations may take longer', async () => {
    await using test = await openTestDatabase({ postgresSettings: SERVER_LIMITS });
    const { database } = test;
    await database.transaction((tx) => tx.all(LONG_WORK));
    await database.transaction((tx) => tx.all(LONG_WORK), { isLong: true });
    const limits = (reader: Pick<Reader, 'all'>) =>
      reader.all<{ name: string; setting: string }>(
        `select name, setting from pg_settings where name in ('idle_session_timeout', 'transaction_timeout') order by name`,
      );
    const none = [
      { name: 'idle_session_timeout', setting: '0' },
      { name: 'transaction_timeout', setting: '0' },
    ];
    assert.deepEqual(await limits(database.reader), none);
    assert.deepEqual(await database.transaction(limits), none);
  });

  it('are reported as an unavailable database if they end a transaction anyway', async () => {
    await using test = await openTestDatabase();
    const { database } = test;
    const ended = database.transaction(async (tx) => {
      await tx.run("set local transaction_timeout = '50ms'");
      await tx.all(LONG_WORK);
    });
    await assert.rejects(ended, DatabaseUnavailableError);
    await database.transaction((tx) => tx.all('select 1'));
  });
});

describe('settings of PostgreSQL for the plans of statements', { skip: !ON_POSTGRES }, () => {
  it('prefer an index to a scan of a table, except in long transactions, and never compile', async () => {
    await using test = await openTestDatabase({ postgresSettings: { jit: 'on', enable_seqscan: 'on' } });
    const { database } = test;
    const settings = (reader: Pick<Reader, 'all'>) =>
      reader.all<{ name: string; setting: string }>(
        `select name, setting from pg_settings where name in ('jit', 'enable_seqscan') order by name`,
      );
    const expected = (scans: string) => [
      { name: 'enable_seqscan', setting: scans },
      { name: 'jit', setting: 'off' },
    ];
    assert.deepEqual(await settings(database.reader), expected('off'));
    assert.deepEqual(await database.transaction(settings), expected('off'));
    assert.deepEqual(await database.transaction(settings, { isLong: true }), expected('on'));
    assert.deepEqual(await database.transaction(settings), expected('off'));
  });
});

describe('a change whose refusal is expected', { skip: !ON_POSTGRES }, () => {
  it('waits for a lock for a second only, unlike other changes', async () => {
    await using test = await openTestDatabase();
    const limit = (expectsRefusal: boolean) =>
      test.database.transaction(
        (tx) => tx.all<{ limit: string }>(`select current_setting('lock_timeout') as limit`),
        {
          expectsRefusal,
        },
      );
    assert.deepEqual(await limit(true), [{ limit: '1s' }]);
    assert.deepEqual(await limit(false), [{ limit: '10s' }]);
  });
});
