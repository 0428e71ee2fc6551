import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { BatchStatement } from '../../src/database/batch-statement.ts';
import type { Database } from '../../src/database/database.ts';
import { openTestDatabase } from '../support/database.ts';
import { ON_POSTGRES } from '../support/postgres.ts';

const ADD = new BatchStatement(
  'given',
  { id: 'bigint', amount: 'bigint', note: 'text' },
  (given, { from }) =>
    `update stock set amount = stock.amount + ${given.amount}, note = coalesce(${given.note}, stock.note)
     ${from} where stock.id = ${given.id}`,
);
const REMOVE = new BatchStatement(
  'gone',
  { id: 'bigint' },
  (gone, { using }) => `delete from stock ${using} where stock.id = ${gone.id}`,
);
const READ = new BatchStatement(
  'wanted',
  { id: 'bigint', note: 'text' },
  (wanted, { joined, dialect }) =>
    `select stock.id, stock.amount from ${joined} stock
     where stock.id = ${wanted.id} and stock.note = ${wanted.note} ${dialect === 'postgres' ? 'for update of stock' : ''}`,
);

async function withStock(database: Database): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.run('create table stock (id bigint primary key, amount bigint not null, note text not null)');
    await tx.insertMany(
      'stock',
      ['id', 'amount', 'note'],
      [
        [1, 10, 'a'],
        [2, 20, 'b'],
        [3, 30, 'c'],
      ],
    );
  });
}

describe('a statement that is run for each of many rows', () => {
  test('changes the rows that the batch names, each to its own values', async () => {
    await using opened = await openTestDatabase({ empty: true });
    const { database } = opened;
    await withStock(database);
    await database.transaction((tx) =>
      ADD.run(tx, [
        { id: 3, amount: 3, note: null },
        { id: 1, amount: -1, note: "it's ?1, given.id" },
        { id: 9, amount: 9, note: 'nobody' },
      ]),
    );
    assert.deepEqual(await stock(database), [
      { id: 1, amount: 9, note: "it's ?1, given.id" },
      { id: 2, amount: 20, note: 'b' },
      { id: 3, amount: 33, note: 'c' },
    ]);
  });

  test('deletes and reads the rows that the batch names', async () => {
    await using opened = await openTestDatabase({ empty: true });
    const { database } = opened;
    await withStock(database);
    const read = await database.transaction(async (tx) => {
      await REMOVE.run(tx, [{ id: 2 }, { id: 9 }]);
      return await READ.all<{ id: number; amount: number }>(tx, [
        { id: 1, note: 'a' },
        { id: 2, note: 'b' },
        { id: 3, note: 'another' },
      ]);
    });
    assert.deepEqual(
      read.map((row) => ({ ...row })),
      [{ id: 1, amount: 10 }],
    );
    assert.deepEqual(
      (await stock(database)).map(({ id }) => id),
      [1, 3],
    );
  });

  test('accepts any text, and replaces characters that PostgreSQL cannot store', async () => {
    await using opened = await openTestDatabase({ empty: true });
    const { database } = opened;
    await withStock(database);
    const note = 'nul\0, "quoted" \\ \u{1f600}';
    const kept = ON_POSTGRES ? note.replace('\0', '\ufffd') : note;
    await database.transaction((tx) => ADD.run(tx, [{ id: 1, amount: 0, note }]));
    assert.equal((await stock(database))[0]?.note, kept);
    const wanted = [{ id: 1, note }];
    assert.equal((await READ.all(database.reader, wanted)).length, 1);
    assert.equal((await database.transaction((tx) => READ.all(tx, wanted))).length, 1);
    await database.transaction((tx) => ADD.run(tx, [{ id: 2, amount: 0, note: 'half \ud83d' }]));
    assert.equal((await stock(database))[1]?.note, 'half \ufffd');
  });

  test('rejects values that an engine would bind as another type', async () => {
    await using opened = await openTestDatabase({ empty: true });
    const { database } = opened;
    await withStock(database);
    for (const wrong of [new Date(0), {}, undefined, Number.NaN]) {
      const rows = [{ id: 1, note: wrong as never }];
      await assert.rejects(
        database.transaction((tx) => READ.all(tx, rows)),
        TypeError,
      );
      await assert.rejects(READ.all(database.reader, rows), TypeError);
    }
    assert.equal((await READ.all(database.reader, [{ id: 1, note: 'a' }])).length, 1);
  });

  test('sends no statement for no rows', async () => {
    await using opened = await openTestDatabase({ empty: true });
    const { database } = opened;
    await database.transaction((tx) => REMOVE.run(tx, []));
    assert.deepEqual(await READ.all(database.reader, []), []);
  });
});

async function stock(database: Database): Promise<{ id: number; amount: number; note: string }[]> {
  const rows = await database.reader.all<{ id: number; amount: number; note: string }>(
    'select id, amount, note from stock order by id',
  );
  return rows.map((row) => ({ ...row }));
}
