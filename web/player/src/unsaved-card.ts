import { element } from './elements.ts';
import { cardOf } from './record.ts';
import { TEXTS } from './texts.ts';

/**
 * The card for a learner who leaves the course while the connection is lost.
 * @param isKept whether the browser keeps the work if the page is closed
 * @param returnUrl the page that the launch returns to; null for none
 */
export function unsavedCard(isKept: boolean, returnUrl: string | null): HTMLElement {
  const words = isKept ? TEXTS.unsaved : TEXTS.unsavedUnkept;
  if (returnUrl === null) return cardOf(TEXTS.unsavedTitle, words);
  // That page may be unreachable as well. The browser's button Back then leads back to the course.
  const leave = element('button', { onclick: () => location.assign(returnUrl) }, TEXTS.leaveNow);
  return cardOf(TEXTS.unsavedTitle, words, element('div', { class: 'actions' }, leave));
}
