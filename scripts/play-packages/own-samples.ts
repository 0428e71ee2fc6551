import assert from 'node:assert/strict';
import type { Learner } from '../../test/ui/support/learner.ts';
import type { Script } from './play.ts';

/**
 * Small one-page samples, one for each standard. Their buttons report a result and end the session: 85 passes, and 20
 * fails. A suspended visit takes 40 seconds, the others 90. They show the responses of the API on the page.
 */

const STARTED = { completion: 'Incomplete', success: 'UNKNOWN', score: null };
const PASSED = { completion: 'Completed', success: 'PASS', score: 85 };
const FAILED = { completion: 'Completed', success: 'FAIL', score: 20 };
const SUSPENDED_S = 40;
const VISIT_S = 90;

const passes: Script = async (play) => {
  await play.visit(async (learner) => {
    await shows(learner, '');
    await learner.course.locator('#pass').click();
    await play.reports({ ...PASSED, duration: VISIT_S });
    await exit(learner);
  });
};

const fails: Script = async (play) => {
  await play.visit(async (learner) => {
    await learner.course.locator('#fail').click();
    await play.reports({ ...FAILED, duration: VISIT_S });
    await exit(learner);
  });
};

const suspends: Script = async (play) => {
  await play.visit(async (learner) => {
    await learner.course.locator('#suspend').click();
    await play.reports({ ...STARTED, duration: SUSPENDED_S });
    await exit(learner);
  });
};

/** @param kept the data of the first visit, as the page shows it */
const resumesAndPasses =
  (...kept: string[]): Script =>
  async (play) => {
    await play.visit(async (learner) => {
      for (const text of kept) await shows(learner, text);
      await learner.course.locator('#pass').click();
      await play.reports({ ...PASSED, duration: SUSPENDED_S + VISIT_S });
      await exit(learner);
    });
  };
const resumesScorm = resumesAndPasses('location page3', 'suspend_data a=1&b=2;é中', 'entry resume');
const resumesAicc = resumesAndPasses('page3', 'a=1&b=2 | line two');

export const OWN_SCORM: Readonly<Record<string, Script>> = {
  passes,
  fails,
  async 'suspends, resumes and passes'(play) {
    await suspends(play);
    await resumesScorm(play);
  },
};
/** The AICC sample sends a message when it opens, and so counts as opened. */
export const OWN_AICC: Readonly<Record<string, Script>> = {
  async passes(play) {
    await play.visit(async (learner) => {
      await play.reports(STARTED);
      await learner.course.locator('#pass').click();
      await play.reports({ ...PASSED, duration: VISIT_S });
      await exit(learner);
    });
  },
  async 'suspends, resumes and passes'(play) {
    await play.visit(async (learner) => {
      await play.reports(STARTED);
      await learner.course.locator('#suspend').click();
      await shows(learner, 'ExitAU -> error=0');
      await exit(learner);
    });
    await resumesAicc(play);
  },
};
/**
 * The sample's passing score is 0.8, but its statement omits the mastery score. cmi5 requires it (9.6.3.2), so the
 * statement is rejected.
 */
export const OWN_CMI5: Readonly<Record<string, Script>> = {
  async 'completes; its verdict is rejected'(play) {
    await play.visit(async (learner) => {
      await shows(learner, 'ready');
      await play.reports(STARTED);
      await learner.course.locator('#pass').click();
      await shows(learner, 'completed 200');
      await shows(learner, 'passed 403');
      await shows(learner, 'end');
      await exit(learner, 'Some of your work could not be saved');
    });
    assert.deepEqual(await play.recorded(), { ...STARTED, duration: VISIT_S });
  },
};
export const OWN_XAPI: Readonly<Record<string, Script>> = { passes };

async function shows({ course }: Learner, text: string): Promise<void> {
  await course.locator('#log', { hasText: text }).waitFor({ state: 'attached' });
}

/** A sample that has ended its session may already have closed the course. */
async function exit({ page }: Learner, title: string | RegExp = /^You have/): Promise<void> {
  const button = page.getByRole('button', { name: 'Exit', exact: true });
  if (await button.isVisible()) await button.click();
  await page.getByRole('heading', { name: title }).waitFor();
}
