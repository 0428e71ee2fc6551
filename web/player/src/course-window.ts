import { watchLastRequests } from './last-requests.ts';

const CLOSED_CHECK_MS = 500;
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
   * @returns false if the browser blocked it
   */
  open(): boolean {
    const opened = window.open('about:blank', NAME);
    if (opened === null) return false;
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

  /** Shows a URL. The empty page is not in the history of the window. */
  show(address: string): void {
    this.#window?.location.replace(address);
  }

  focus(): void {
    this.#window?.focus();
  }

  close(): void {
    if (this.#window !== null) watchLastRequests(this.#window);
    this.#window?.close();
    this.#forget();
  }

  #forget(): void {
    clearInterval(this.#timer);
    this.#window = null;
  }
}
