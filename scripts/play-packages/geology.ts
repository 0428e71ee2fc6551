import type { FrameLocator } from 'playwright-core';
import type { Learner } from '../../test/ui/support/learner.ts';
import type { Script } from './play.ts';

/**
 * Introduction to Geology of CATAPULT: one cmi5 unit with seven pages and a quiz, whose passing score is 0.8. The unit
 * stores a bookmark, and its Exit returns to the player.
 */

/** The titles of the pages; the last one is the quiz. */
const PAGES = [
  'Introduction to Geology',
  'Geologic Materials',
  'Whole-Earth Structure',
  'Geological Time',
  'Dating Methods',
  'Geological Development of an Area',
  'Applied Geology',
  'Questions',
];
const LAST_PAGE = PAGES.length - 1;
const STARTED = { completion: 'Incomplete', success: 'UNKNOWN', score: null };
const FAILED = { completion: 'Incomplete', success: 'FAIL', score: 0 };
const PASSED = { completion: 'Completed', success: 'PASS', score: 100 };

export const GEOLOGY: Readonly<Record<string, Script>> = {
  async 'leaves with the exit of the course, resumes at the bookmark, and passes'(play) {
    await play.visit(async (learner) => {
      await turnPages(learner, 0, 3);
      await play.reports(STARTED);
      await exit(learner, 'You have not finished this course yet');
    });
    await play.visit(async (learner) => {
      await learner.course.getByRole('button', { name: 'Resume From Bookmark' }).click();
      await turnPages(learner, 3, LAST_PAGE);
      await submitQuiz(learner.course, 'right');
      await play.reports(PASSED);
      await exit(learner, 'You have finished this course');
    });
  },

  async 'fails, starts again and passes'(play) {
    await play.visit(async (learner) => {
      await turnPages(learner, 0, 1);
      await play.reports(STARTED);
      await turnPages(learner, 1, LAST_PAGE);
      await submitQuiz(learner.course, 'wrong');
      await play.reports(FAILED);
      await exit(learner, 'You have not finished this course yet');
    });
    await play.visit(async (learner) => {
      await learner.course.getByRole('button', { name: 'Restart From Beginning' }).click();
      await turnPages(learner, 0, LAST_PAGE);
      await submitQuiz(learner.course, 'right');
      await play.reports(PASSED);
      await exit(learner, 'You have finished this course');
    });
  },
};

/** Waits until a page is shown, then clicks its way to another one. Pages count from 0. */
async function turnPages({ course }: Learner, from: number, to: number): Promise<void> {
  await showsPage(course, from);
  for (let page = from + 1; page <= to; page++) {
    await course.locator('#next').click();
    await showsPage(course, page);
  }
}

async function showsPage(course: FrameLocator, page: number): Promise<void> {
  await course.locator('#content .title', { hasText: PAGES[page]! }).waitFor();
}

/** Selects the answers that the quiz marks as correct. */
async function submitQuiz(course: FrameLocator, answers: 'right' | 'wrong'): Promise<void> {
  const key = answers === 'right' ? 'Select correct answers' : 'Select wrong answers';
  await course.getByRole('button', { name: key }).click();
  await course.getByRole('button', { name: 'Submit Answers' }).click();
  const words =
    answers === 'right' ? 'You achieved a passing score.' : 'You did not achieve a passing score.';
  await course.getByText(words).waitFor();
}

async function exit({ course, page }: Learner, words: string): Promise<void> {
  await course.locator('.exit-button:visible').last().click();
  await page.getByRole('heading', { name: words }).waitFor();
}
