import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { zipCourse } from '../../../demo/course-package.ts';
import { uploadForm } from '../../content/packages.ts';
import { give, launch, register } from '../../content/registration-helpers.ts';
import { startTestService, type TestService, until } from '../../support/service.ts';
import { Person } from './person.ts';
import { startDisplay } from './programs.ts';
import type { Remote } from './remote.ts';

const WAIT_MS = 90_000;

/** Learns the demo's course in the player: leaves it in the middle, resumes and passes. */
export function walkPlayer(browser: string, start: (display: string) => Promise<Remote>): void {
  describe(`a learner in ${browser}`, () => {
    const parts = new AsyncDisposableStack();
    let service: TestService;
    let person: Person;
    before(async () => {
      service = parts.use(await startTestService());
      const display = await startDisplay(parts);
      person = new Person(parts.use(await start(display)), service.url, display);
    });
    after(() => parts.disposeAsync());

    const showsPage = (number: number) =>
      person.until(
        async () => (await person.call(textInCourse, '#place'))?.startsWith(`${number} of`) === true,
        `page ${number} of the course is shown`,
      );
    const turnPage = async (to: number) => {
      await person.call(clickInCourse, '#next');
      await showsPage(to);
    };

    for (const edition of ['scorm-1.2', 'scorm-2004'] as const) {
      it(`leaves a course in the middle, resumes on the same page, and passes (${edition})`, async () => {
        const { bytes } = await zipCourse(edition);
        const { id: accountId } = await service.api.create('/accounts', { name: 'Contoso' });
        const { id: courseId } = await service.api.create('/courses', uploadForm(new Uint8Array(bytes)));
        await give(service, accountId, 'COURSE', courseId);
        const { registration_id: id } = await register(service, {
          account_id: accountId,
          course_id: courseId,
        });
        const exit = async () => {
          const { body } = await service.api.get(`/registrations/${id}/runtime`);
          const { cmi } = body.attempts[0]?.units[0]?.data ?? {};
          return cmi?.core?.exit ?? cmi?.exit;
        };
        await person.remote.open(await launch(service, id));
        await showsPage(1);
        await turnPage(2);
        await turnPage(3);
        await person.remote.open('about:blank');
        await until(
          async () => (await exit()) === 'suspend',
          'what the course says at its end arrives',
          WAIT_MS,
        );

        await person.remote.open(await launch(service, id));
        await showsPage(3);
        await turnPage(4);
        await turnPage(5);
        await person.call(answerQuiz);
        await person.until(
          async () => (await person.call(textInCourse, '#result'))?.includes('Passed!') === true,
          'the quiz is passed',
        );
        await person.click({ name: 'Exit' });
        await person.sees('You have finished this course');
        const { body } = await service.api.get(`/registrations/${id}`);
        assert.deepEqual([body.completion, body.success, body.score], ['Completed', 'PASS', 100]);
      });
    }
  });
}

/** These run in the page. The course has the same origin. */

function textInCourse(selector: string): string | null {
  const frame = document.querySelector<HTMLIFrameElement>('iframe[name=course]');
  return frame?.contentDocument?.querySelector(selector)?.textContent ?? null;
}

function clickInCourse(selector: string): void {
  const frame = document.querySelector<HTMLIFrameElement>('iframe[name=course]');
  frame?.contentDocument?.querySelector<HTMLElement>(selector)?.click();
}

function answerQuiz(): void {
  const course = document.querySelector<HTMLIFrameElement>('iframe[name=course]')?.contentDocument;
  for (const question of course?.querySelectorAll('fieldset') ?? []) {
    question.querySelector<HTMLElement>(`input[value="${question.dataset.answer}"]`)?.click();
  }
  course?.querySelector<HTMLElement>('#check button')?.click();
}
