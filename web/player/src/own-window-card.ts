import { CourseWindow } from './course-window.ts';
import { element } from './elements.ts';
import { type Doubt, savedWords } from './record.ts';
import { TEXTS } from './texts.ts';

/** The events of a course's window, for the page that opened it. */
export interface OwnWindowEvents {
  /** The window is open and shows the unit. */
  onShown(opened: CourseWindow): void;
  /** Resolves once it is known whether the learner's work is saved. */
  onClosed(): Promise<Doubt | null>;
  /** The learner opens a closed window again. The new window is empty, and the unit needs a new start. */
  onOpenedAgain(opened: CourseWindow): void;
  /**
   * The browser allows no window, so the learner opens the unit in the page.
   * @param isAgain whether it had its window before, so that it needs a new start
   */
  onOpenedHere(isAgain: boolean): void;
}

/**
 * The card with the button that opens a course's own window, because browsers seldom block a window that a click opens.
 * A closed window is opened again with a new start, because some standards let a URL start a session only once.
 * @param given the window that an earlier click opened for the unit; still empty
 * @param result the recorded result of the course, which the card shows
 */
export function ownWindowCard(
  address: string,
  { given, result, events }: { given: CourseWindow | null; result: Node; events: OwnWindowEvents },
): HTMLElement {
  let wasOpened = false;
  const courseWindow = given ?? new CourseWindow();
  const title = element('h2', { tabindex: -1 });
  const words = element('p', { role: 'status' });
  const blocked = element('p', { role: 'alert', hidden: true }, TEXTS.blocked);
  const button = element('button', { class: 'main' });
  const here = element('button', { hidden: true }, TEXTS.openHere);
  here.addEventListener('click', () => events.onOpenedHere(wasOpened));
  const show = (closed: string = TEXTS.windowClosed) => {
    const { isOpen } = courseWindow;
    title.textContent = isOpen
      ? TEXTS.windowOpenTitle
      : wasOpened
        ? TEXTS.windowClosedTitle
        : TEXTS.ownWindowTitle;
    words.textContent = isOpen ? TEXTS.windowOpen : wasOpened ? closed : TEXTS.ownWindow;
    button.textContent = isOpen ? TEXTS.showWindow : wasOpened ? TEXTS.openAgain : TEXTS.openWindow;
  };
  courseWindow.onClosed = () => {
    show();
    void events.onClosed().then((doubt) => show(savedWords(doubt, TEXTS.windowClosed)));
  };
  const start = () => {
    wasOpened = true;
    events.onShown(courseWindow);
    courseWindow.show(address);
    show();
  };
  button.addEventListener('click', () => {
    if (courseWindow.isOpen) {
      courseWindow.focus();
      return;
    }
    const next = wasOpened ? new CourseWindow() : courseWindow;
    const isOpened = next.open();
    blocked.hidden = isOpened;
    here.hidden = isOpened;
    if (!isOpened) return;
    if (wasOpened) events.onOpenedAgain(next);
    else start();
  });
  show();
  if (given !== null) start();
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
