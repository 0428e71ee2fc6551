import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readLockedAccount } from '../../src/content/accounts/account-store.ts';
import { lockExistingAccount } from '../../src/content/registrations/registration-parties.ts';
import type { Database } from '../../src/database/database.ts';
import { openTestDatabase } from '../support/database.ts';
import { beginTransaction, countWaiting, untilOneWaits } from '../support/open-transaction.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { until } from '../support/until.ts';

const ACCOUNT = 1;

async function insertAccount(database: Database): Promise<void> {
  await database.transaction((tx) =>
    tx.run(
      `insert into accounts (id, name, enabled, revision, created_at, updated_at) values (?, 'Northwind', 1, 1, 0, 0)`,
      ACCOUNT,
    ),
  );
}

describe('an account on PostgreSQL', {
  skip: !ON_POSTGRES && 'on SQLite, transactions run one after another',
}, () => {
  it('is changed after the saves that have begun, however many follow', async () => {
    await using test = await openTestDatabase();
    const { database } = test;
    await insertAccount(database);
    const begun = await beginTransaction(database);
    await lockExistingAccount(begun.tx, ACCOUNT);
    const order: string[] = [];
    const change = database.transaction(async (tx) => {
      await readLockedAccount(tx, ACCOUNT, 'account');
      await tx.run(`update accounts set name = 'Southwind' where id = ?`, ACCOUNT);
      order.push('change');
    });
    await untilOneWaits(database);
    const later = await beginTransaction(database);
    const saved = lockExistingAccount(later.tx, ACCOUNT).then((account) => {
      order.push(`save in ${account?.name}`);
    });
    await until(async () => order.length > 0 || (await countWaiting(database)) === 2, 'the save waits');
    await begun.commit();
    await until(() => order.length > 0, 'one of them continues');
    await saved;
    await later.commit();
    await change;
    assert.deepEqual(order, ['change', 'save in Southwind']);
  });

  it('lets learners save while a change of it waits for one of its content', async () => {
    await using test = await openTestDatabase();
    const { database } = test;
    await insertAccount(database);
    const content = await beginTransaction(database);
    await readLockedAccount(content.tx, ACCOUNT, 'content');
    const change = database.transaction((tx) => readLockedAccount(tx, ACCOUNT, 'account'));
    await untilOneWaits(database);
    const account = await database.transaction((tx) => lockExistingAccount(tx, ACCOUNT));
    assert.equal(account?.name, 'Northwind');
    await content.commit();
    await change;
  });
});
