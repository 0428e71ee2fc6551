import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { openTestDatabase } from '../../test/support/database.ts';
import { nameHolds, nameKey, type Position } from './name-search.ts';

/** Letters of both cases and of several scripts, and everything that means something in a pattern. */
const letter = fc.constantFrom(...'aAzZ09 äÄéÉжЖσΣς日😀', ...'%_*?[]^\\\'"-.+$(){}|/');
const text = fc.string({ unit: letter, minLength: 1, maxLength: 4 });
const name = fc.string({ unit: letter, minLength: 0, maxLength: 8 }).map((rest) => `x${rest}`);

const TURNS = 8;
/**
 * PostgreSQL takes up to eleven times as long for the worst patterns. A pattern that starts over at each letter takes
 * ninety times as long.
 */
const MOST_TIMES_SLOWER = 35;

function holds(whole: string, part: string, position: Position): boolean {
  // Letter by letter: a whole word in lower case ends with another form of its sigma (ΟΣ, ος).
  const lower = (given: string) =>
    Array.from(given, (each) => (each === 'ς' ? 'σ' : each.toLowerCase())).join('');
  const [inside, sought] = [lower(whole), lower(part)];
  if (position === 'anywhere') return inside.includes(sought);
  return position === 'start' ? inside.startsWith(sought) : inside === sought;
}

describe('finding names', () => {
  it('matches letters of every script in either case, and nothing in a text is a wildcard', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const { reader } = database;
    const found = async (given: string, sought: string, position: Position) => {
      const result = await sql<{ found: number }>`
        select case when ${nameHolds(reader.dialect, 'folders.name', sought, position)} then 1 else 0 end as found
        from (select cast(${given} as text) as name) as folders`.execute(reader.query);
      return result.rows[0]?.found === 1;
    };
    await fc.assert(
      fc.asyncProperty(
        name,
        text,
        fc.constantFrom<Position>('anywhere', 'start', 'whole'),
        fc.boolean(),
        async (given, other, position, isOther) => {
          const sought = isOther ? other : Array.from(given).slice(0, 3).join('').toUpperCase();
          assert.equal(await found(given, sought, position), holds(given, sought, position));
        },
      ),
      { numRuns: 500 },
    );
    assert.equal(await found('Größe', 'GRÖSSE', 'anywhere'), false, 'ß is not SS');
    assert.equal(
      await found('A\u0308rzte', 'ärz', 'anywhere'),
      true,
      'an accent of its own is part of its letter',
    );
  });

  it('searches for a long text that nearly matches every name about as fast as for any other', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const { reader } = database;
    const rows = Array.from({ length: 2_000 }, (_, at) => [
      `${(at % 2 === 0 ? 'a' : 'ä').repeat(190)}${at}`,
      ...[1, 1, 0, 0],
    ]);
    await database.transaction((tx) =>
      tx.insertMany(
        'folders',
        ['name', 'parent_id', 'revision', 'created_at', 'updated_at'],
        [['Home', null, 1, 0, 0], ...rows],
      ),
    );
    const timeOf = async (sought: string) => {
      const began = performance.now();
      await sql`select id from folders where ${nameHolds(reader.dialect, 'folders.name', sought)}`.execute(
        reader.query,
      );
      return performance.now() - began;
    };
    for (const [hostile, usual] of [
      [`${'a'.repeat(95)}b`, 'zz'],
      [`${'a'.repeat(95)}ä`, 'zä'],
      [`${'ä'.repeat(95)}b`, 'zä'],
      [`b${'ä'.repeat(95)}`, 'zä'],
    ] as const) {
      // They run in turn, and the fastest run of each counts, so that other work on the machine does not distort the
      // comparison.
      let [spent, otherwise] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
      for (let turn = 0; turn < TURNS; turn++) {
        spent = Math.min(spent, await timeOf(hostile));
        otherwise = Math.min(otherwise, await timeOf(usual));
      }
      assert.ok(
        spent < otherwise * MOST_TIMES_SLOWER,
        `${hostile}: ${spent} ms, where another text takes ${otherwise} ms`,
      );
    }
  });

  it('orders names in the same way on both engines', async () => {
    await using opened = await openTestDatabase();
    const { reader } = opened.database;
    const names = ['b', 'A', 'a', 'B', 'ä', 'Z', '_'];
    const rows = sql.join(
      names.map((each) => sql`select cast(${each} as text) as name`),
      sql` union all `,
    );
    const key = nameKey(reader.dialect, 'folders.name');
    const result = await sql<{ name: string }>`
      select name from (${rows}) as folders order by ${key}, case when name = lower(name) then 0 else 1 end`.execute(
      reader.query,
    );
    assert.deepEqual(
      result.rows.map((row) => row.name),
      ['_', 'a', 'A', 'b', 'B', 'Z', 'ä'],
    );
  });
});
