import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from '../content/registration-helpers.ts';
import { aroundTests } from '../support/around-tests.ts';
import type { PackageFiles } from '../support/course-packages.ts';
import { startLaunch } from '../support/player-client.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { TWO_UNITS } from './aicc-helpers.ts';

describe('the units of an AICC course', () => {
  let service: TestService;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
  });

  /** In the `.au` file, A1 comes first. */
  const SECOND_FIRST: PackageFiles = {
    ...TWO_UNITS,
    'course.cst': '"Block","Member"\r\n"ROOT","A2"\r\n"ROOT","A1"\r\n',
  };
  const unitsIn = async (registrationId: string): Promise<string[]> =>
    (await (await startLaunch(service, registrationId)).open()).units.map(({ id }: { id: string }) => id);

  test('have the order of its .cst file', async () => {
    const registrationId = (await registerTo(service, SECOND_FIRST)).registrationId;
    assert.deepEqual(await unitsIn(registrationId), ['A2', 'A1']);
    const { body } = await service.api.get(`/registrations/${registrationId}`);
    assert.deepEqual(
      body.units.map(({ unit_id }: { unit_id: string }) => unit_id),
      ['A2', 'A1'],
    );
  });

  test('have this order even if an earlier release has stored another one', async () => {
    const { registrationId, courseId } = await registerTo(service, SECOND_FIRST);
    const inFile = (each: { id: string }[]) => each.toSorted((one, other) => (one.id < other.id ? -1 : 1));
    const { units } = await sql<{ units: string }>(
      service,
      'select units from course_versions where course_id = ?',
      courseId,
    );
    await sql(
      service,
      'update course_versions set units = ? where course_id = ?',
      JSON.stringify(inFile(JSON.parse(units))),
      courseId,
    );
    assert.deepEqual(await unitsIn(registrationId), ['A2', 'A1']);
  });
});
