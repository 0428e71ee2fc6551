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
   * Opens the window, empty. Browsers allow that only in the course of a click, before anything is awaited.
   * @returns false when the browser blocked it
   */
  open(): boolean {
    const opened = window.open('about:blank', NAME);
    if (opened === null) return false;
    this.#window = opened;
    clearInterval(this.#timer);
    // No event tells that another window was closed.
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

  /** Shows an address, without a way back to the empty page. */
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
