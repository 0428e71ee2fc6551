import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabaseOf } from '../support/database.ts';
import { eachPage } from '../support/each-page.ts';
import { startTestService } from '../support/service.ts';

const CONTENTS = 200;
const GROUPS = 25;
/** Together they have 2,000 contents. */
const PAGE = 10;

test('a page of bundles or equivalents ends early if they have many contents, and the next one continues', async () => {
  await using service = await startTestService();
  await using database = await openDatabaseOf(service.settings.data_dir);
  const ids = Array.from({ length: GROUPS }, (_, n) => n + 1);
  const courses = Array.from({ length: CONTENTS }, (_, n) => n + 1);
  await database.transaction(async (tx) => {
    await tx.insertMany(
      'courses',
      [
        'id',
        'name',
        'folder_id',
        'published_version_id',
        'latest_version_id',
        'revision',
        'created_at',
        'updated_at',
      ],
      courses.map((id) => [id, `Course ${id}`, 1, 0, 0, 1, 0, 0]),
    );
    for (const table of ['bundles', 'equivalents'] as const)
      await tx.insertMany(
        table,
        ['id', 'name', 'folder_id', 'revision', 'created_at', 'updated_at'],
        ids.map((id) => [id, `Group ${id}`, 1, 1, 0, 0]),
      );
    await tx.insertMany(
      'bundle_contents',
      ['bundle_id', 'position', 'content_type', 'content_id'],
      ids.flatMap((id) => courses.map((course) => [id, course, 'COURSE', course])),
    );
    await tx.insertMany(
      'equivalent_courses',
      ['equivalent_id', 'position', 'course_id', 'language'],
      ids.flatMap((id) => courses.map((course) => [id, course, course, `x-${course}`])),
    );
  });
  for (const [path, member] of [
    ['/bundles', 'contents'],
    ['/equivalents', 'courses'],
  ] as const) {
    const pages: number[][] = [];
    for await (const { data } of eachPage((page) => service.api.get(page), `${path}?limit=200`)) {
      pages.push(data.map(({ id }: { id: number }) => id));
      for (const group of data) assert.equal(group[member].length, CONTENTS);
    }
    assert.deepEqual(pages.flat(), ids, path);
    assert.deepEqual(
      pages.map((page) => page.length),
      [PAGE, PAGE, GROUPS - 2 * PAGE],
      path,
    );
  }
});
