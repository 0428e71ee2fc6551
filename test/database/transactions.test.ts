import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Database, DatabaseUnavailableError, type Transaction } from '../../src/database/database.ts';
import { sent } from '../../src/database/sent.ts';
import { openTestDatabase } from '../support/database.ts';

const INSERT = 'insert into service_secrets (name, value) values (?, ?)';

/** Rows whose insertion takes longer than a time slice of the embedded database. */
const LONG_INSERTION = 20_000;

async function count({ reader }: Pick<Database, 'reader'>): Promise<number> {
  return (await reader.all('select name from service_secrets')).length;
}

describe('the handle of a transaction', () => {
  const uses: Record<string, (tx: Transaction) => unknown> = {
    run: (tx) => tx.run(INSERT, 'late', 'x'),
    all: (tx) => tx.all('select 1'),
    insertMany: (tx) => tx.insertMany('service_secrets', ['name', 'value'], [['late', 'x']]),
    'a query': (tx) => tx.query.insertInto('service_secrets').values({ name: 'late', value: 'x' }).execute(),
    onCommit: (tx) => tx.onCommit(() => {}),
  };
  for (const [name, use] of Object.entries(uses)) {
    it(`is rejected after its end (${name})`, async () => {
      await using test = await openTestDatabase();
      let kept: Transaction | undefined;
      await test.database.transaction(async (tx) => {
        kept = tx;
      });
      await assert.rejects(async () => use(kept!), { message: 'this transaction has ended' });
      let failed: Transaction | undefined;
      const undone = test.database.transaction(async (tx) => {
        failed = tx;
        throw new Error('changed my mind');
      });
      await assert.rejects(undone);
      await assert.rejects(async () => use(failed!), { message: 'this transaction has ended' });
      assert.equal(await count(test.database), 0);
    });
  }

  it('keeps a query that was not awaited out of another transaction', async () => {
    await using test = await openTestDatabase();
    let stray: Promise<unknown> | undefined;
    const first = test.database.transaction(async (tx) => {
      const query = tx.query.insertInto('service_secrets').values({ name: 'stray', value: 'x' });
      stray = Promise.resolve().then(() => query.execute());
      stray.catch(() => {});
    });
    const second = test.database.transaction(async (tx) => {
      await stray?.catch(() => {});
      await tx.run(INSERT, 'own', 'x');
    });
    await Promise.all([first, second]);
    await assert.rejects(stray!, { message: 'this transaction has ended' });
    assert.equal(await count(test.database), 1);
  });

  it('sees its own changes, by either kind of query, and nobody else does', async () => {
    await using test = await openTestDatabase();
    await test.database.transaction(async (tx) => {
      await tx.query.insertInto('service_secrets').values({ name: 'a', value: 'x' }).execute();
      assert.equal((await tx.all('select name from service_secrets')).length, 1);
      assert.equal(await count(test.database), 0);
    });
    assert.equal(await count(test.database), 1);
  });

  it('commits all rows of a long insertion for which its work did not wait', async () => {
    await using test = await openTestDatabase();
    const rows = Array.from({ length: LONG_INSERTION }, (_, at) => [`row ${at}`, 'x']);
    await test.database.transaction(async (tx) => {
      void tx.insertMany('service_secrets', ['name', 'value'], rows).catch(() => undefined);
    });
    assert.equal(await count(test.database), LONG_INSERTION);
  });

  it('runs its statements in the order of the calls, also behind a long one', async () => {
    await using test = await openTestDatabase();
    const rows = Array.from({ length: LONG_INSERTION }, (_, at) => [`row ${at}`, 'x']);
    await test.database.transaction(async (tx) => {
      await Promise.all([
        tx.insertMany('service_secrets', ['name', 'value'], rows),
        tx.run('delete from service_secrets'),
      ]);
    });
    assert.equal(await count(test.database), 0);
  });

  it('returns how many rows a statement changed', async () => {
    await using test = await openTestDatabase();
    await test.database.transaction(async (tx) => {
      await tx.insertMany(
        'service_secrets',
        ['name', 'value'],
        [
          ['a', 'x'],
          ['b', 'x'],
        ],
      );
      assert.equal(await tx.run("update service_secrets set value = 'y'"), 2);
      assert.equal(await tx.run("delete from service_secrets where name = 'z'"), 0);
    });
  });
});

describe('values bound to statements', () => {
  // The driver would take a `Date` in the first place for named parameters, and silently store NULL.
  const refused: [string, unknown][] = [
    ['a Date', new Date(0)],
    ['an object', { name: 'x' }],
    ['an array', ['x']],
    ['undefined', undefined],
    ['true', true],
    ['not a number', Number.NaN],
    ['infinity', Number.POSITIVE_INFINITY],
  ];
  for (const [name, value] of refused) {
    it(`are rejected if one is ${name}`, async () => {
      await using test = await openTestDatabase();
      const hostile = value as string;
      const isRefused = { name: 'TypeError', message: /cannot be bound to SQL/ };
      const { database } = test;
      await assert.rejects(database.reader.all('select ? as value', hostile), isRefused);
      const uses: ((tx: Transaction) => Promise<unknown>)[] = [
        (tx) => tx.all('select ? as value', hostile),
        (tx) => tx.run(INSERT, hostile, 'x'),
        (tx) => tx.run(INSERT, 'x', hostile),
        (tx) =>
          tx.insertMany(
            'service_secrets',
            ['name', 'value'],
            [
              ['fine', 'x'],
              [hostile, 'x'],
            ],
          ),
      ];
      for (const use of uses) {
        const withoutItsResult = (tx: Transaction) => sent(tx, [use(tx).then(() => {})]);
        await assert.rejects(database.transaction(withoutItsResult), isRefused);
      }
      // Kysely treats an undefined member as omitted.
      if (value !== undefined)
        uses.push((tx) =>
          tx.query.insertInto('service_secrets').values({ name: 'x', value: hostile }).execute(),
        );
      for (const use of uses) await assert.rejects(database.transaction(use), isRefused);
      assert.equal(await count(database), 0);
    });
  }

  it('are read as they were written', async () => {
    await using test = await openTestDatabase();
    const values = ['', 'Zoë \u{1f600} \n " \' \\', 'a question? $1', 0, -1, 2 ** 53 - 1, 1.5, null];
    for (const value of values) {
      const [row] = await test.database.reader.all<{ value: unknown }>('select ? as value', value);
      assert.equal(row?.value, value);
    }
    const bytes = Uint8Array.of(0, 1, 255);
    const [row] = await test.database.reader.all<{ value: Uint8Array }>('select ? as value', bytes);
    assert.deepEqual([...row!.value], [...bytes]);
  });
});

describe('errors', () => {
  it('of the work reach its caller unchanged, however deep they were thrown', async () => {
    await using test = await openTestDatabase();
    const cause = new TypeError('deep down');
    const error = new RangeError('further up', { cause });
    const undone = test.database.transaction(async (tx) => {
      try {
        await tx.run(INSERT, 'a', 'x');
        await Promise.reject(cause);
      } catch {
        throw error;
      }
    });
    await assert.rejects(undone, (thrown) => thrown === error);
    assert.equal(await count(test.database), 0);
  });

  it('of a query are not mistaken for errors of the engine', async () => {
    await using test = await openTestDatabase();
    const isOwn = (error: unknown) => !(error instanceof DatabaseUnavailableError);
    await assert.rejects(test.database.reader.all('select * from no_such_table'), isOwn);
    await assert.rejects(
      test.database.transaction((tx) => tx.run('insert into service_secrets (name) values (?)', 'x')),
      isOwn,
    );
  });

  it('that mean a refusal of the database are reported, unless the caller expects them', async () => {
    await using test = await openTestDatabase();
    const { database } = test;
    const reported: unknown[] = [];
    database.onOutcome((refusal, use) => reported.push([refusal?.message, use]));
    for (const expectsRefusal of [true, false]) {
      const refused = database.transaction(
        async () => {
          throw new DatabaseUnavailableError(`expected: ${expectsRefusal}`);
        },
        { expectsRefusal },
      );
      await assert.rejects(refused, { message: `expected: ${expectsRefusal}` });
    }
    assert.deepEqual(reported, [['expected: false', 'change']]);
  });
});

describe('a change that has no effect', () => {
  it('does not count as a sign that the disk accepts changes', async () => {
    await using test = await openTestDatabase();
    const outcomes: unknown[] = [];
    test.database.onOutcome((refusal) => outcomes.push(refusal));
    await test.database.transaction((tx) => tx.run("delete from service_secrets where name = 'none'"));
    await test.database.transaction((tx) => tx.all('select name from service_secrets'));
    assert.deepEqual(outcomes, []);
    await test.database.transaction((tx) =>
      tx.run("insert into service_secrets (name, value) values ('a', 'x')"),
    );
    assert.deepEqual(outcomes, [null]);
  });
});
