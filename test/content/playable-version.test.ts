import assert from 'node:assert/strict';
import { it } from 'node:test';
import { COMMAND_LINE } from '../../src/audit/actor.ts';
import { readPlayableVersion } from '../../src/content/courses/playable-version.ts';
import { scorm2004Package } from '../support/course-packages.ts';
import { openCourseParts } from './course-helpers.ts';

const never = new AbortController().signal;

it('a version is stored with the structure of its manifest, which the player reads', async () => {
  await using parts = await openCourseParts();
  const upload = await parts.receive(await scorm2004Package({ title: 'Fire safety' }));
  const course = await parts.courses.import(
    upload,
    { name: 'Own name', folderId: null },
    { user: 'someone', by: COMMAND_LINE, signal: never, commit: (record) => record() },
  );
  const version = await readPlayableVersion(parts.database.reader, course.id, 0);
  assert.ok(version !== undefined);
  assert.equal(version.courseName, 'Own name');
  assert.equal(version.learningStandard, 'SCORM_2004_4TH_EDITION');
  assert.equal(version.structure.scorm2004?.title, 'Fire safety');
  assert.deepEqual(
    version.units.map(({ id }) => id),
    ['i1'],
  );
  const [item] = version.structure.items;
  assert.equal(item?.isUnit, true);
  assert.equal(item?.scorm2004?.sequencing.primaryObjective?.minNormalizedMeasure, 0.8);
  assert.ok((await parts.store.read(version.contentKey, 'index.html')) !== null);
  assert.equal(await readPlayableVersion(parts.database.reader, course.id, 1), undefined);
});
