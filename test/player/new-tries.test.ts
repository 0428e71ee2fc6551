import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { aiccFiles, type PackageFiles } from '../support/course-packages.ts';
import { startLaunch } from '../support/player-client.ts';
import { scorm12Course, scorm2004Course } from '../support/player-courses.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { AiccUnit } from './aicc-helpers.ts';
import { Player, resultOf } from './learner-helpers.ts';

// Runs on SQLite in `npm test`: tries are decided in the process. The tests of attempts store them on both.

const item = '<item identifier="i1" identifierref="r1"><title>Lesson 1</title></item>';
const { 'course.au': units, ...aicc } = aiccFiles();
/** Courses without a passing score. */
const COURSES = {
  'SCORM 1.2': scorm12Course({ items: item }),
  'SCORM 2004': scorm2004Course({ items: item }),
  AICC: { ...aicc, 'course.au': String(units).replace('"80"', '""') },
} as const satisfies Record<string, PackageFiles>;
const STANDARDS = Object.keys(COURSES) as (keyof typeof COURSES)[];

describe('a new try of a unit', () => {
  let service: TestService;

  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
  });

  for (const standard of STANDARDS) {
    const register = async () => {
      const { registrationId } = await registerTo(service, COURSES[standard]);
      /** Opens the unit in a new window. Returns a function that reports a status and a score, and returns the result. */
      const open = async () => {
        const report = await reporter(service, registrationId, standard);
        return async (status: string, raw: number) => {
          await report(status, raw);
          const { completion, success, score } = await resultOf(service, registrationId);
          return [completion, success, score];
        };
      };
      return { open };
    };

    test(`keeps the score of a completed unit of ${standard} until the unit reports another result`, async () => {
      const { open } = await register();
      assert.deepEqual(await (await open())('completed', 80), ['Completed', 'UNKNOWN', 80]);
      const report = await open();
      assert.deepEqual(await report('incomplete', 0), ['Completed', 'UNKNOWN', 80]);
      assert.deepEqual(await report('incomplete', 90), ['Completed', 'UNKNOWN', 80]);
      assert.deepEqual(await report('completed', 70), ['Completed', 'UNKNOWN', 70]);
      assert.deepEqual(await report('failed', 20), ['Completed', 'FAIL', 20]);
      assert.deepEqual(await report('passed', 75), ['Completed', 'PASS', 75]);
    });

    test(`keeps the higher score of a passed unit of ${standard} until the unit reports another status`, async () => {
      const { open } = await register();
      assert.deepEqual(await (await open())('passed', 90), ['Completed', 'PASS', 90]);
      const second = await open();
      for (const [status, raw, score] of [
        ['passed', 0, 90],
        ['passed', 30, 90],
        ['passed', 95, 95],
        ['passed', 85, 95],
        ['incomplete', 0, 95],
        ['passed', 85, 85],
        ['incomplete', 0, 85],
      ] as const) {
        assert.deepEqual(await second(status, raw), ['Completed', 'PASS', score]);
      }
      // A unit of SCORM 1.2 that has passed reads that in its next visit.
      assert.deepEqual(await (await open())('passed', 0), ['Completed', 'PASS', 85]);
    });
  }
});

/** Opens the unit of a registration in a new window. Returns a function that reports a status and a score. */
async function reporter(
  service: TestService,
  registrationId: string,
  standard: keyof typeof COURSES,
): Promise<(status: string, raw: number) => Promise<void>> {
  if (standard === 'AICC') {
    const unit = new AiccUnit(await (await Player.open(service, registrationId)).openUnit('A1'));
    return async (status, raw) => {
      const data = `[core]\nlesson_status=${status}\nscore=${raw}`;
      assert.match(await unit.send('PutParam', data), /^error=0/);
    };
  }
  const client = await startLaunch(service, registrationId);
  await client.open();
  await client.openUnit('i1');
  return async (status, raw) => {
    const isJudged = status === 'passed' || status === 'failed';
    const cmi =
      standard === 'SCORM 1.2'
        ? { core: { lesson_status: status, score: { raw } } }
        : {
            completion_status: isJudged ? 'completed' : status,
            success_status: isJudged ? status : 'unknown',
            score: { raw },
          };
    assert.deepEqual((await client.commit('i1', cmi)).body, { outcome: 'recorded' });
  };
}
