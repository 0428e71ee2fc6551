import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { aiccFiles, type PackageFiles } from '../support/course-packages.ts';
import { startLaunch } from '../support/player-client.ts';
import { scorm12Course, scorm2004Course } from '../support/player-courses.ts';
import { statusOf } from '../support/received-statuses.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { AiccUnit } from './aicc-helpers.ts';
import { Player } from './learner-helpers.ts';

// Runs on SQLite in `npm test`: tries are decided in the process. The tests of attempts store them on both.

const item = '<item identifier="i1" identifierref="r1"><title>Lesson 1</title></item>';
const { 'course.au': units, ...aicc } = aiccFiles();
/** Courses without a passing score. */
const COURSES = {
  'SCORM 1.2': scorm12Course({ items: item }),
  'SCORM 2004': scorm2004Course({ items: item }),
  AICC: { ...aicc, 'course.au': String(units).replace('"80"', '""') },
} as const satisfies Record<string, PackageFiles>;
const WITH_PASSING_SCORE = {
  'SCORM 1.2': scorm12Course(),
  'SCORM 2004': scorm2004Course(),
  AICC: aiccFiles(),
} as const satisfies Record<keyof typeof COURSES, PackageFiles>;
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
        const { report } = await openUnit(service, registrationId, standard);
        return async (status: string, raw: number) => {
          await report(status, raw);
          return await statusOf(service, registrationId);
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
      // A SCORM 1.2 unit that has passed reads this status in its next visit.
      assert.deepEqual(await (await open())('passed', 0), ['Completed', 'PASS', 85]);
    });

    for (const [what, files, isReview, expected] of [
      ['counts if the unit has a passing score', WITH_PASSING_SCORE, false, ['Completed', 'PASS', 90]],
      ['is a review if it has none', COURSES, true, ['Completed', 'UNKNOWN', null]],
    ] as const) {
      test(`of ${standard} that ended completed, but neither passed nor failed, ${what}`, async () => {
        const { registrationId } = await registerTo(service, files[standard]);
        const first = await openUnit(service, registrationId, standard);
        await first.end('completed');
        const second = await openUnit(service, registrationId, standard);
        assert.equal(second.isReview, isReview);
        // The page of a review commits nothing.
        if (!isReview) await second.end('passed', 90);
        assert.deepEqual(await statusOf(service, registrationId), expected);
        assert.equal((await openUnit(service, registrationId, standard)).isReview, true);
      });
    }
  }
});

/** A unit that was opened in a new window. */
interface OpenedUnit {
  isReview: boolean;
  /** Reports a status and a score. */
  report(status: string, raw?: number): Promise<void>;
  /** The same, and ends the visit. */
  end(status: string, raw?: number): Promise<void>;
}

/** Opens the unit of a registration in a new window. */
async function openUnit(
  service: TestService,
  registrationId: string,
  standard: keyof typeof COURSES,
): Promise<OpenedUnit> {
  if (standard === 'AICC') {
    const player = await Player.open(service, registrationId);
    const { address, isReview } = await player.post('/unit', { unit: 'A1' });
    const unit = new AiccUnit(new URL(address));
    const report = async (status: string, raw?: number) => {
      const data = `[core]\nlesson_status=${status}\nscore=${raw ?? ''}`;
      assert.match(await unit.send('PutParam', data), /^error=0/);
    };
    return {
      isReview,
      report,
      async end(status, raw) {
        await report(status, raw);
        assert.match(await unit.send('ExitAU'), /^error=0/);
      },
    };
  }
  const client = await startLaunch(service, registrationId);
  await client.open();
  const { isReview } = await client.openUnit('i1');
  const commit = async (status: string, raw: number | undefined, terminated: boolean) => {
    const isJudged = status === 'passed' || status === 'failed';
    const cmi =
      standard === 'SCORM 1.2'
        ? { core: { lesson_status: status, score: { raw } } }
        : {
            completion_status: isJudged ? 'completed' : status,
            success_status: isJudged ? status : 'unknown',
            score: { raw },
          };
    assert.deepEqual((await client.commit('i1', cmi, { terminated })).body, { outcome: 'recorded' });
  };
  return {
    isReview,
    report: (status, raw) => commit(status, raw, false),
    end: (status, raw) => commit(status, raw, true),
  };
}
