import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openTestDatabase } from '../../test/support/database.ts';
import { seedMany } from '../../test/support/many-rows.ts';
import type { Database } from '../database/database.ts';
import { PlayerCourses } from './player-courses.ts';

const COURSES = 4;
/** What the units of each course have in the database. */
const UNITS = JSON.stringify([{ id: 'unit', title: 'Unit', path: 'index.html' }]);
const ROOM_FOR_THREE = { keptCharacters: 3 * UNITS.length };

async function addCourses(database: Database): Promise<void> {
  await database.transaction((tx) =>
    tx.run(`insert into folders (name, revision, created_at, updated_at) values ('Home', 1, 0, 0)`),
  );
  await seedMany(database, COURSES);
  await database.transaction((tx) => tx.run('update course_versions set units = ?', UNITS));
}

describe('the cache of courses that are played', () => {
  /** A cache, and a function that returns which of the courses it reads again, of those that are played in this order. */
  async function play(database: Database, options: { keptCharacters?: number } = {}) {
    await addCourses(database);
    const time = { now: 0 };
    const courses = new PlayerCourses(() => time.now, options);
    const seen = new Map<number, unknown>();
    const readAgain = async (...ids: number[]): Promise<number[]> => {
      const read: number[] = [];
      for (const id of ids) {
        const version = await courses.read(database.reader, id, 0);
        if (seen.get(id) !== version) read.push(id);
        seen.set(id, version);
      }
      return read;
    };
    return { readAgain, time };
  }

  it('keeps those that were played last, not those that were read last', async () => {
    await using opened = await openTestDatabase();
    const { readAgain } = await play(opened.database, ROOM_FOR_THREE);
    assert.deepEqual(await readAgain(1, 2, 3, 1), [1, 2, 3]);
    assert.deepEqual(await readAgain(4, 1, 3, 4), [4]);
    assert.deepEqual(await readAgain(2, 3, 4, 1), [2, 1]);
  });

  it('is limited by the size of the courses, but keeps one, however large it is', async () => {
    await using opened = await openTestDatabase();
    const { readAgain } = await play(opened.database, { keptCharacters: 1 });
    assert.deepEqual(await readAgain(1, 1, 2, 2, 1), [1, 2, 1]);
  });

  it('keeps each for a minute', async () => {
    await using opened = await openTestDatabase();
    const { readAgain, time } = await play(opened.database);
    assert.deepEqual(await readAgain(1, 2, 1, 2), [1, 2]);
    time.now = 59_999;
    assert.deepEqual(await readAgain(1, 3), [3]);
    time.now = 60_000;
    assert.deepEqual(await readAgain(1, 3), [1]);
  });

  it('rejects courses and versions that do not exist', async () => {
    await using opened = await openTestDatabase();
    const { reader } = opened.database;
    await addCourses(opened.database);
    const courses = new PlayerCourses(() => 0);
    await assert.rejects(courses.read(reader, 1, 7), /version/);
    await assert.rejects(courses.read(reader, 7, 0), /course/);
  });
});
