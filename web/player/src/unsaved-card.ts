import { element } from './elements.ts';
import type { Unsaved } from './last-save.ts';
import { cardOf } from './record.ts';
import { TEXTS } from './texts.ts';

const WORDS: Readonly<Record<Unsaved, string>> = {
  offline: TEXTS.unsaved,
  unkept: TEXTS.unsavedUnkept,
  unsure: TEXTS.unsavedUnsure,
};

/**
 * The card for a learner who leaves a unit or the course, while the connection is lost.
 * @param options.returnUrl the page that the launch returns to
 * @param options.retry tries to save again at once. Then the course continues
 */
export function unsavedCard(
  why: Unsaved,
  { returnUrl = null, retry = null }: { returnUrl?: string | null; retry?: (() => void) | null },
): HTMLElement {
  const next = retry === null ? null : element('p', {}, TEXTS.unsavedNext);
  const again =
    retry === null ? null : element('button', { class: 'main', onclick: () => retry() }, TEXTS.tryAgain);
  // That page may be unreachable as well. The browser's button Back then leads back to the course.
  const leave =
    returnUrl === null
      ? null
      : element('button', { onclick: () => location.assign(returnUrl) }, TEXTS.leaveNow);
  const actions =
    again === null && leave === null ? null : element('div', { class: 'actions' }, again, leave);
  return cardOf(TEXTS.unsavedTitle, WORDS[why], next, actions);
}
