import type { Sender } from './closing-room.ts';
import type { LastRequestQueue } from './last-request-queue.ts';
import type { Report } from './report.ts';
import type { Fate } from './report-fate.ts';
import type { Reports } from './reports.ts';
import { sendingMs } from './server.ts';

/** The window of a course, with the types of its browser. */
export type CourseGlobal = Window & typeof globalThis;

const UNLOADING = /^(?:pagehide|unload)$/;
/** A page that has not been left by then, after a report of it failed, stays. */
const LEFT_MS = 500;
/** The address of a frame or window before a page is loaded into it. */
export const EMPTY_PAGE = 'about:blank';

/** Whether a window shows the empty page. */
export function isEmpty(window: Window): boolean {
  return addressIn(window) === EMPTY_PAGE;
}

/** Whether a window shows a page of this origin, or the empty page. */
export function isReadable(window: Window): boolean {
  return addressIn(window) !== null;
}

/** The address that a window shows; null for a page of another origin. */
function addressIn({ location }: Window): string | null {
  try {
    return location.href;
  } catch {
    return null;
  }
}

/** A page of a course whose requests the player watches. */
export class WatchedPage {
  readonly course: CourseGlobal;
  /** Sends what the player itself sends from the page. The `fetch` that the course uses counts its own requests. */
  readonly sender: Sender;
  readonly queue: LastRequestQueue;
  readonly #reports: Reports;
  readonly #watchAgain: () => void;
  /** The document whose frames are noticed. */
  #document: Document | null = null;
  /** Called when the page is unloaded, for the reports that have no response, or have just failed. */
  readonly #unloads = new Set<(isByCourse: boolean) => void>();
  #isLeaving = false;
  /** Whether the course has begun to leave the page. The learner may still decide to stay. */
  #hasBegunToLeave = false;

  /** @param watchAgain watches the page that the window shows then, and its frames */
  constructor(course: CourseGlobal, queue: LastRequestQueue, reports: Reports, watchAgain: () => void) {
    this.course = course;
    const { fetch } = course;
    this.sender = {
      fetch: (...given) => fetch.apply(course, given),
      get document() {
        return course.document;
      },
    };
    this.queue = queue;
    this.#reports = reports;
    this.#watchAgain = watchAgain;
  }

  /**
   * Hears when the page is being closed. A second call changes nothing. Chromium shows the course in the window of the
   * empty page before it. If that page had these listeners, Chromium would end a course in the middle of its last
   * requests.
   */
  listen(): void {
    if (isEmpty(this.course)) return;
    this.course.addEventListener('beforeunload', this.#leaves, { capture: true });
    this.course.addEventListener('pagehide', this.#hidden, { capture: true });
    this.course.addEventListener('pageshow', this.#shown, { capture: true });
    this.#noticeFrames();
  }

  /** Frames that the page adds are watched before their own pages arrive. */
  #noticeFrames(): void {
    const { document } = this.course;
    if (document === this.#document) return;
    this.#document = document;
    new MutationObserver(() => {
      if (this.course.length > 0) this.#watchAgain();
    }).observe(document, { childList: true, subtree: true });
  }

  /** Whether the page is being closed, so that it will hear no response. */
  get isLeaving(): boolean {
    // Listeners of the course may run before those of the player.
    return this.#isLeaving || UNLOADING.test(this.course.event?.type ?? '');
  }

  set isLeaving(isLeaving: boolean) {
    this.#isLeaving = isLeaving;
  }

  /** Whether the page is about to be closed. The learner may still decide to stay. */
  get mayLeave(): boolean {
    return this.#hasBegunToLeave || this.course.event?.type === 'beforeunload';
  }

  /**
   * Notes a report that the page sends itself.
   * @param bytes the size of its body
   * @param options.isAsync whether its response comes later, if at all
   * @returns what to call with its fate, and with whether there was a response
   */
  note(
    report: Report,
    bytes: number,
    { isAsync }: { isAsync: boolean },
  ): (fate: Fate | null, hasResponse: boolean) => void {
    this.listen();
    const settle = this.#reports.begin(report);
    let isLate = false;
    let timer = setTimeout(() => {
      isLate = true;
      settle('lost');
    }, sendingMs(bytes));
    let isUnloaded = false;
    let hasFailed = false;
    // One that got no response for too long stays lost.
    const unload = (isByCourse: boolean) => {
      clearTimeout(timer);
      isUnloaded = true;
      if (!isLate && (!hasFailed || isByCourse)) settle(null);
    };
    // The browser ends it together with the page.
    if (isAsync && this.isLeaving) settle('lost');
    else this.#unloads.add(unload);
    return (fate, hasResponse) => {
      if (isUnloaded) return;
      clearTimeout(timer);
      settle(fate);
      // It may have failed because the course is just leaving its page.
      hasFailed = fate === 'lost' && !isLate && isAsync && !hasResponse && this.#hasBegunToLeave;
      if (hasFailed) timer = setTimeout(() => this.#unloads.delete(unload), LEFT_MS);
      else this.#unloads.delete(unload);
    };
  }

  readonly #leaves = () => {
    this.#hasBegunToLeave = true;
  };

  readonly #hidden = () => {
    const isByCourse = !this.#isLeaving;
    this.#isLeaving = true;
    // The browser ends these, but most have arrived: the next page of the course needs the same connection.
    for (const unload of this.#unloads) unload(isByCourse);
    this.#unloads.clear();
    // The next page of the window replaces this one at once. Its scripts run later.
    setTimeout(this.#watchAgain);
  };

  readonly #shown = () => {
    this.#isLeaving = false;
    this.#hasBegunToLeave = false;
  };
}
