import { CourseWindow } from './course-window.ts';
import { element } from './elements.ts';
import { type Doubt, savedWords } from './record.ts';
import { TEXTS } from './texts.ts';

/** The events of a course's window, for the page that opened it. */
export interface OwnWindowEvents {
  /** The learner's click has opened a window for the unit. It is empty, and the unit needs a new start. */
  onOpened(opened: CourseWindow): void;
  /** The browser allows no window, so the learner opens the unit in the page. It needs a new start. */
  onOpenedHere(): void;
  /** Resolves once it is known whether the learner's work is saved. */
  onClosed(): Promise<Doubt | null>;
}

/**
 * The card with the button that opens a course's own window, because browsers seldom block a window that a click opens.
 * The unit starts with the click: before it, a window may still show the unit, from before the page was loaded. A
 * closed window is opened again with a new start, because some standards let a URL start a session only once.
 * @param courseWindow the window that shows the unit; null before the learner opens it
 * @param isContinued whether a window from before the page was loaded again keeps recording; null if it was not
 * @param result the recorded result of the course, which the card shows
 */
export function ownWindowCard({
  courseWindow,
  isContinued,
  result,
  events,
}: {
  courseWindow: CourseWindow | null;
  isContinued: boolean | null;
  result: Node;
  events: OwnWindowEvents;
}): HTMLElement {
  const title = element('h2', { tabindex: -1 });
  const words = element('p', { role: 'status' });
  const blocked = element('p', { role: 'alert', hidden: true }, TEXTS.blocked);
  const button = element('button', { class: 'main' });
  const here = element('button', { hidden: true, onclick: () => events.onOpenedHere() }, TEXTS.openHere);
  const show = (heading: string, text: string, action: string) => {
    title.textContent = heading;
    words.textContent = text;
    button.textContent = action;
  };
  const showClosed = (text: string = TEXTS.windowClosed) =>
    show(TEXTS.windowClosedTitle, text, TEXTS.openAgain);
  const former = isContinued === null ? '' : ` ${isContinued ? TEXTS.stillOpen : TEXTS.openUnsaved}`;
  if (courseWindow === null) show(TEXTS.ownWindowTitle, TEXTS.ownWindow + former, TEXTS.openWindow);
  else if (courseWindow.isOpen) show(TEXTS.windowOpenTitle, TEXTS.windowOpen, TEXTS.showWindow);
  else showClosed();
  if (courseWindow !== null) {
    courseWindow.onClosed = () => {
      showClosed();
      void events.onClosed().then((doubt) => showClosed(savedWords(doubt, TEXTS.windowClosed)));
    };
  }
  button.addEventListener('click', () => {
    if (courseWindow?.isOpen) {
      courseWindow.focus();
      return;
    }
    const opened = new CourseWindow();
    const isOpened = opened.open();
    blocked.hidden = isOpened;
    here.hidden = isOpened;
    if (isOpened) events.onOpened(opened);
  });
  return element(
    'section',
    { class: 'card' },
    title,
    words,
    result,
    blocked,
    element('div', { class: 'actions' }, button, here),
  );
}
