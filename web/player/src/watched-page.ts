import type { LastRequestQueue } from './last-request-queue.ts';
import type { Report } from './report.ts';
import type { Reports, Settle } from './reports.ts';
import { sendingMs } from './server.ts';

/** The window of a course, with the types of its browser. */
export type CourseGlobal = Window & typeof globalThis;

const UNLOADING = /^(?:pagehide|unload)$/;
const EMPTY_PAGE = 'about:blank';

/** A page of a course whose requests the player watches. */
export class WatchedPage {
  readonly course: CourseGlobal;
  readonly queue: LastRequestQueue;
  readonly #reports: Reports;
  /** Ends the reports that have no response yet. */
  readonly #open = new Set<Settle>();
  #isLeaving = false;

  constructor(course: CourseGlobal, queue: LastRequestQueue, reports: Reports) {
    this.course = course;
    this.queue = queue;
    this.#reports = reports;
  }

  /**
   * Hears when the page is being closed. A second call changes nothing. Chromium shows the course in the window of the empty
   * page before it. If that page had these listeners, it ends a course in the middle of its last requests.
   */
  listen(): void {
    if (this.course.location.href === EMPTY_PAGE) return;
    this.course.addEventListener('pagehide', this.#hidden, { capture: true });
    this.course.addEventListener('pageshow', this.#shown, { capture: true });
  }

  /** Whether the page is being closed, so that it will hear no response. */
  get isLeaving(): boolean {
    // Listeners of the course may run before those of the player.
    return this.#isLeaving || UNLOADING.test(this.course.event?.type ?? '');
  }

  set isLeaving(isLeaving: boolean) {
    this.#isLeaving = isLeaving;
  }

  /**
   * Notes a report that the page sends itself.
   * @param bytes the size of its body
   * @param options.isAsync whether its response comes later, if at all
   */
  note(report: Report, bytes: number, { isAsync }: { isAsync: boolean }): Settle {
    const settle = this.#reports.begin(report);
    const timer = setTimeout(() => end('lost'), sendingMs(bytes));
    const end: Settle = (fate) => {
      clearTimeout(timer);
      this.#open.delete(end);
      settle(fate);
    };
    this.#open.add(end);
    // The browser ends it together with the page.
    if (isAsync && this.isLeaving) settle('lost');
    return end;
  }

  readonly #hidden = () => {
    this.#isLeaving = true;
    // The browser ends these, but most have arrived: the next page of the course needs the same connection.
    for (const end of [...this.#open]) end(null);
  };

  readonly #shown = () => {
    this.#isLeaving = false;
  };
}
