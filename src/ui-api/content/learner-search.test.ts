import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { openTestDatabase } from '../../../test/support/database.ts';
import { learnerStartsWith } from './learner-search.ts';
import { listRegistrations } from './registration-list.ts';

const MAX_COUNTED = 10_000;

const COLUMNS = [
  'registration_id',
  'account_id',
  'course_id',
  'version_id',
  'learner_id',
  'completion',
  'success',
  'duration',
  'revision',
  'created_at',
  'updated_at',
];
const NO_FILTER = { accountId: null, courseId: null, equivalentId: null, learnerId: null, status: null };

async function withLearners(learners: readonly string[]) {
  const opened = await openTestDatabase();
  const rows = learners.map((learner, at) => [
    `registration-${at}`,
    1,
    1,
    1,
    learner,
    'Unknown',
    'UNKNOWN',
    0,
    1,
    at,
    // The other way round.
    learners.length - at,
  ]);
  await opened.database.transaction((tx) => tx.insertMany('registrations', COLUMNS, rows));
  return opened;
}

describe('finding registrations by how the learner’s id begins', () => {
  it('ignores case, and treats no character as a wildcard', async () => {
    // The last ones are at the end of the code points, and around the gap of the surrogates.
    const letter = fc.constantFrom(...'aAzZ09 äÄéЖж日😀%_*?[]^\\\'"@.-~', '\ud7ff', '\ue000', '\u{10ffff}');
    const learners = fc.sample(fc.string({ unit: letter, minLength: 1, maxLength: 4 }), {
      numRuns: 400,
      seed: 7,
    });
    await using opened = await withLearners(learners);
    const { reader } = opened.database;
    const lower = (text: string) => text.replace(/[A-Z]/g, (each) => each.toLowerCase());
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: letter, minLength: 1, maxLength: 3 }), async (typed) => {
        const { fromIndex, byRow } = learnerStartsWith(reader.dialect, typed);
        const found = async (test: typeof fromIndex) => {
          const rows = await reader.query
            .selectFrom('registrations')
            .select('registrations.learner_id')
            .where(test)
            .execute();
          return rows.map((row) => row.learner_id).sort();
        };
        const spellings = [
          typed,
          typed.toLowerCase(),
          typed.toUpperCase(),
          Array.from(typed, (each, at) => (at === 0 ? each.toUpperCase() : each.toLowerCase())).join(''),
        ].map(lower);
        const expected = learners
          .filter((learner) => spellings.some((spelling) => lower(learner).startsWith(spelling)))
          .sort();
        assert.deepEqual(await found(fromIndex), expected);
        assert.deepEqual(await found(byRow), expected);
      }),
      { numRuns: 200 },
    );
  });

  it('finds a name that begins with one of several capitals outside ASCII', async () => {
    await using opened = await withLearners(['Ärö', 'ärö', 'ÄRÖ', 'Äröx', 'ärÖ']);
    const { reader } = opened.database;
    const { fromIndex } = learnerStartsWith(reader.dialect, 'äRÖ');
    const found = reader.query
      .selectFrom('registrations')
      .select('registrations.learner_id')
      .where(fromIndex);
    const learners = (await found.execute()).map(({ learner_id }) => learner_id);
    assert.deepEqual(learners.sort(), ['ÄRÖ', 'Ärö', 'Äröx', 'ärÖ', 'ärö'].sort());
  });

  it('returns the same page whether or not all matches are counted', async () => {
    const few = Array.from({ length: 30 }, (_, at) => `few-${at}`);
    const many = Array.from({ length: MAX_COUNTED + 1 }, (_, at) => `many-${at}`);
    await using opened = await withLearners([...few, ...many]);
    const { reader } = opened.database;
    const page = async (search: string, sort: 'created' | 'updated') => {
      const part = { sort, direction: 'desc', limit: 2, offset: 1 } as const;
      const { items, ...counted } = await listRegistrations(reader, { ...NO_FILTER, search }, part);
      return { ...counted, learners: items.map(({ learner_id }) => learner_id) };
    };
    const counted = { total: 30, totalIsLowerBound: false };
    assert.deepEqual(await page('FEW', 'created'), { ...counted, learners: ['few-28', 'few-27'] });
    assert.deepEqual(await page('few', 'updated'), { ...counted, learners: ['few-1', 'few-2'] });
    const bounded = { total: MAX_COUNTED, totalIsLowerBound: true };
    assert.deepEqual(await page('Many', 'created'), { ...bounded, learners: ['many-9999', 'many-9998'] });
    assert.deepEqual(await page('many', 'updated'), { ...bounded, learners: ['many-1', 'many-2'] });
  });
});
