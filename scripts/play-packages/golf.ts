import assert from 'node:assert/strict';
import type { FrameLocator } from 'playwright-core';
import { until } from '../../test/support/until.ts';
import type { Learner } from '../../test/ui/support/learner.ts';
import type { Script } from './play.ts';

/**
 * Golf Explained by Rustici Software: 15 pages in a frame with Previous, Next and Exit. The last page is a quiz that
 * shows its answer key. The course is completed when the quiz is reached, and passed or failed when the quiz is
 * submitted.
 */

const LAST_PAGE = 14;
const STARTED = { completion: 'Incomplete', success: 'UNKNOWN', score: null };
const AT_QUIZ = { completion: 'Completed', success: 'UNKNOWN', score: null };
const PASSED = { completion: 'Completed', success: 'PASS', score: 100 };
const FAILED = { completion: 'Completed', success: 'FAIL', score: 0 };

export const GOLF: Readonly<Record<string, Script>> = {
  async 'suspends with the exit of the course, resumes, passes, and changes nothing by a review'(play) {
    await play.visit(async (learner) => {
      await turnPages(learner, 0, 6);
      await play.reports(STARTED);
      await learner.course.getByRole('button', { name: 'Exit' }).click();
      const ended = learner.page.getByText('The course has ended');
      const left = learner.page.getByRole('heading', { name: 'You have not finished this course yet' });
      // A SCORM 2004 course can ask the player to close it. A SCORM 1.2 course only ends its session.
      await ended.or(left).first().waitFor();
      if (await ended.isVisible()) await leave(learner, 'You have not finished this course yet');
    });
    await play.visit(async (learner) => {
      await turnPages(learner, 6, LAST_PAGE);
      await play.reports(AT_QUIZ);
      await submitQuiz(learner, 'right');
      await play.reports(PASSED);
      await leave(learner, 'You have finished this course');
    });
    await play.visit(async (learner) => {
      await learner.page.getByText('You have finished this. You can look around').waitFor();
      await learner.course.locator('#contentFrame').waitFor();
      await leave(learner, 'You have finished this course');
    });
    assert.deepEqual({ ...(await play.recorded()), duration: 0 }, { ...PASSED, duration: 0 });
  },

  async 'fails, comes back to the quiz and passes'(play) {
    await play.visit(async (learner) => {
      await turnPages(learner, 0, 1);
      await play.reports(STARTED);
      await turnPages(learner, 1, LAST_PAGE);
      await play.reports(AT_QUIZ);
      await submitQuiz(learner, 'wrong');
      await play.reports(FAILED);
      await leave(learner, 'You have not passed this course');
    });
    await play.visit(async (learner) => {
      await turnPages(learner, LAST_PAGE, LAST_PAGE);
      await submitQuiz(learner, 'right');
      await play.reports(PASSED);
      await leave(learner, 'You have finished this course');
    });
  },

  async 'closes the tab in the middle, and resumes on the same page'(play) {
    await play.visit(async (learner) => {
      await turnPages(learner, 0, 4);
      await play.reports(STARTED);
      await learner.page.close({ runBeforeUnload: true });
      await until(async () => isSuspended(await play.dataModel()), 'the course has suspended');
    });
    await play.visit(async (learner) => {
      await turnPages(learner, 4, 5);
      await leave(learner, 'You have not finished this course yet');
    });
  },
};

/** Waits until a page is shown, then clicks its way to another one. Pages count from 0, as in the bookmark. */
async function turnPages(learner: Learner, from: number, to: number): Promise<void> {
  await showsPage(learner, from);
  for (let page = from + 1; page <= to; page++) {
    await learner.course.locator('#butNext').click();
    await showsPage(learner, page);
  }
}

function isSuspended({ core, exit }: { core?: { exit?: string }; exit?: string }): boolean {
  return (core?.exit ?? exit) === 'suspend';
}

async function showsPage({ course }: Learner, page: number): Promise<void> {
  const shown = async () =>
    await course.locator('body').evaluate(() => {
      const { currentPage, pageArray, document } = globalThis as unknown as {
        currentPage: number | null;
        pageArray: string[];
        document: {
          getElementById(id: string): {
            contentWindow: { location: { href: string }; document: { readyState: string } };
          };
        };
      };
      const shownPage = document.getElementById('contentFrame').contentWindow;
      const isThere = currentPage !== null && shownPage.location.href.endsWith(pageArray[currentPage]!);
      return isThere && shownPage.document.readyState === 'complete' ? currentPage : null;
    });
  await until(async () => (await shown()) === page, `page ${page} is shown`);
}

/** Answers every question from the key that the quiz shows. */
async function submitQuiz({ course }: Learner, answers: 'right' | 'wrong'): Promise<void> {
  const quiz: FrameLocator = course.frameLocator('#contentFrame');
  await quiz.getByRole('button', { name: 'Submit Answers' }).waitFor();
  for (const question of await quiz.locator('.question').all()) {
    const kind = answers === 'right' ? '.correctAnswer' : '.answer';
    const choice = question.locator(`${kind} input[type=radio]`).first();
    if (await choice.count()) await choice.check();
    const field = question.locator('input[type=text]');
    if ((await field.count()) === 0) continue;
    const key = /\((\d+)\)/.exec((await question.locator('.correctAnswer').textContent()) ?? '')?.[1] ?? '';
    await field.fill(answers === 'right' ? key : `1${key}`);
  }
  await quiz.getByRole('button', { name: 'Submit Answers' }).click();
  await quiz.getByText(`Score: ${answers === 'right' ? 100 : 0}`).waitFor();
}

async function leave({ page }: Learner, words: string): Promise<void> {
  await page.getByRole('button', { name: 'Exit', exact: true }).click();
  await page.getByRole('heading', { name: words }).waitFor();
}
