import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PostgresDatabase, UnsuitableServerError } from '../../src/database/postgres/postgres-database.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { openPostgresParts } from '../support/postgres-parts.ts';
import { type PoolMode, startPostgresPooler } from '../support/postgres-pooler.ts';

describe('a pooler between the service and PostgreSQL', { skip: !ON_POSTGRES }, () => {
  async function openBehind(mode: PoolMode) {
    await using stack = new AsyncDisposableStack();
    const { url } = stack.use(await openPostgresParts());
    const behind = new URL(url);
    const pooler = stack.use(
      await startPostgresPooler({ host: behind.hostname, port: Number(behind.port) }, mode),
    );
    behind.port = String(pooler.port);
    const database = stack.use(new PostgresDatabase(behind.href));
    const opened = stack.move();
    return { database, [Symbol.asyncDispose]: () => opened.disposeAsync() };
  }

  it('that pools sessions works, and the time limits apply', async () => {
    await using behind = await openBehind('session');
    await behind.database.assertSuitable();
    const limits = async (reader: Pick<typeof behind.database.reader, 'all'>) =>
      await reader.all(
        `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
           current_setting('idle_in_transaction_session_timeout') as idle`,
      );
    const expected = [{ statement: '20s', lock: '10s', idle: '4s' }];
    assert.deepEqual(await limits(behind.database.reader), expected);
    assert.deepEqual(await behind.database.transaction(limits), expected);
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
