import { watchFirstPage, watchLastRequests } from './last-requests.ts';
import { EMPTY_PAGE, isEmpty } from './watched-page.ts';

const CLOSED_CHECK_MS = 500;
/** A page may ask the learner whether to leave it, or hang. Nobody waits longer. */
const LONGEST_UNLOAD_MS = 1_000;
const NAME = 'coursewire-course';

/** The window of a course that does not run in a frame of the page. */
export class CourseWindow {
  /** Called once, when the learner or the course closes the window. */
  onClosed: () => void = () => {};
  #window: Window | null = null;
  #timer: ReturnType<typeof setInterval> | undefined;

  get isOpen(): boolean {
    return this.#window !== null && !this.#window.closed;
  }

  /**
   * Opens an empty window. Browsers allow that only during a click, before anything is awaited.
   * @returns false if the browser blocked it, or cannot open a second window, like an Android WebView by default
   */
  open(): boolean {
    const opened = window.open('', NAME);
    if (opened === null) return false;
    if (opened === window) {
      // The browser may already replace the page with an empty one.
      window.stop();
      return false;
    }
    // A window from before the page was loaded again still shows the course.
    if (!isEmpty(opened)) opened.location.replace(EMPTY_PAGE);
    this.#window = opened;
    clearInterval(this.#timer);
    // No event reports that another window was closed.
    this.#timer = setInterval(() => {
      if (this.#window !== null && this.isOpen) {
        watchLastRequests(this.#window);
        return;
      }
      this.#forget();
      this.onClosed();
    }, CLOSED_CHECK_MS);
    return true;
  }

  /**
   * Shows a URL. The empty page is not in the history of the window. A page of another site must not redirect the page
   * of the player, so it does not get its opener. Browsers then do not let {@link close} close it, either.
   */
  show(address: string): void {
    if (this.#window === null) return;
    if (new URL(address, location.href).origin !== location.origin) this.#window.opener = null;
    this.#window.location.replace(address);
    watchFirstPage(this.#window);
  }

  focus(): void {
    this.#window?.focus();
  }

  /** Closes the window, unless it shows another site. Resolves once its page is unloaded, so that its last requests are known. */
  async close(): Promise<void> {
    const closing = this.#window;
    this.#forget();
    if (closing === null || closing.closed) return;
    watchLastRequests(closing, true);
    const unloaded = untilUnloaded(closing);
    closing.close();
    await unloaded;
  }

  #forget(): void {
    clearInterval(this.#timer);
    this.#window = null;
  }
}

/** Resolves once the page of a window is unloaded, or after a while. A page of another origin is not waited for. */
function untilUnloaded(closing: Window): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, LONGEST_UNLOAD_MS);
    try {
      // `unload` follows at once.
      closing.addEventListener('pagehide', () => setTimeout(resolve));
    } catch {
      resolve();
    }
  });
}
