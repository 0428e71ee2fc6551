import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { uploadForm } from '../content/packages.ts';
import { sql } from '../content/registration-helpers.ts';
import { aroundTests } from '../support/around-tests.ts';
import { zipOf } from '../support/course-packages.ts';
import { startLaunch } from '../support/player-client.ts';
import { scorm12Course } from '../support/player-courses.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService } from '../support/service.ts';

const LONGEST = 2_500;

/** Random characters: a database that compresses index entries cannot make them shorter. */
const randomId = (length: number) => `i${randomBytes(length).toString('base64url')}`.slice(0, length);
const courseOf = (id: string) =>
  scorm12Course({ items: `<item identifier="${id}" identifierref="r1"><title>Lesson</title></item>` });

describe('the identifier of a unit', () => {
  let service: TestService;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
  });

  it('may have 2,500 bytes, and its results are found with it', async () => {
    const id = randomId(LONGEST);
    const { registrationId } = await registerTo(service, courseOf(id));
    const player = await startLaunch(service, registrationId);
    await player.open();
    await player.openUnit(id);
    const committed = await player.commit(id, { core: { lesson_status: 'passed' } });
    assert.equal(committed.status, 200, JSON.stringify(committed.body));
    assert.equal((await service.api.get(`/registrations/${registrationId}`)).body.success, 'PASS');
  });

  it('causes the rejection of the course if it is longer, even in multi-byte characters', async () => {
    for (const id of [randomId(LONGEST + 1), `i${'ä'.repeat(LONGEST / 2)}`]) {
      const form = uploadForm(new Uint8Array(await zipOf(courseOf(id))));
      const { status, body } = await service.api.post('/courses', form);
      assert.equal(status, 400);
      const text = JSON.stringify(body);
      assert.match(text, /more than 2500 bytes/);
      assert.ok(text.includes(id.slice(0, 50)), text);
    }
  });

  it('is named when the unit is opened if it is longer in a course of an earlier release', async () => {
    const { registrationId, courseId } = await registerTo(service, courseOf('short'));
    const id = randomId(LONGEST + 1);
    await sql(
      service,
      `update course_versions set units = replace(units, '"short"', ?), structure = replace(structure, '"short"', ?)
       where course_id = ?`,
      ...[JSON.stringify(id), JSON.stringify(id), courseId],
    );
    const player = await startLaunch(service, registrationId);
    await player.open();
    for (const { status, body } of [await player.post('unit', { unit: id }), await player.commit(id, {})]) {
      assert.equal(status, 409, JSON.stringify(body));
      assert.match(body.detail, /has 2501 bytes/);
      assert.ok(body.detail.includes(id.slice(0, 50)), body.detail);
    }
  });
});
