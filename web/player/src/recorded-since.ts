import { type End, endOf, type PageResponse, post, Refusal, type UnitsResponse } from './server.ts';

/** Units that call the server themselves may meet prerequisites without notifying the page. */
const OPEN_UNITS_CHECK_MS = 5_000;
/** A window that no longer records must not let the learner work for long. */
const NEWEST_CHECK_MS = 15_000;

/** A course's last data may arrive after its window was closed. */
const LAST_WORDS_MS = 2_000;

/** What polling needs to know about the open unit. */
interface WatchedUnit {
  /** Null for a unit that calls the server itself, or reports nothing. */
  runtime: object | null;
  /** Its own window, if it requires one. */
  window: { isOpen: boolean } | null;
}

/** What follows from a response. */
export interface RecordedEvents {
  onResponse(response: UnitsResponse): void;
  /** The launch, or what it plays, is gone. */
  onEnd(why: End): void;
  /** The service cannot be reached now. */
  onUnreachable(): void;
}

/** Asks the service what was recorded since the page was opened. */
export class RecordedSince {
  readonly #page: () => PageResponse | null;
  readonly #events: RecordedEvents;
  #asked = 0;
  /** The number of the latest request that has a response. */
  #responded = 0;
  /** The number of the latest request that failed. */
  #failed = 0;
  /** The latest request. Resolves to whether the service has responded. */
  #latest: Promise<boolean> = Promise.resolve(true);
  /** The number of the first request after the latest unit was left that calls the service itself; 0 before that. */
  #left = 0;
  #isPolling = false;

  /** @param page returns the page; null until the service has responded */
  constructor(page: () => PageResponse | null, events: RecordedEvents) {
    this.#page = page;
    this.#events = events;
  }

  /** Whether the prerequisites of some units are not met. */
  get hasClosedUnits(): boolean {
    return this.#page()?.units.some(({ isOpen }) => !isOpen) === true;
  }

  /** Whether the latest request failed. */
  get hasFailed(): boolean {
    return this.#failed === this.#asked;
  }

  /**
   * Polls regularly while the open unit calls the server itself: it has no saver, which would notice that a window no
   * longer records. Also polls whenever the learner returns to the page, because many courses report only at their end.
   * @param playing returns the open unit, and whether nothing is recorded any longer
   */
  watch(playing: () => { open: WatchedUnit | null; isEnded: boolean }): void {
    const pollForOpenUnits = () => {
      if (playing().open?.runtime === null && this.hasClosedUnits) void this.poll();
    };
    const pollForNewest = () => {
      // A unit in its own window hides this page.
      const { open } = playing();
      const isSeen = document.visibilityState === 'visible' || open?.window?.isOpen;
      if (isSeen && open?.runtime === null) void this.poll();
    };
    setInterval(pollForOpenUnits, OPEN_UNITS_CHECK_MS);
    setInterval(pollForNewest, NEWEST_CHECK_MS);
    addEventListener('online', pollForNewest);
    const pollOnReturn = () => {
      if (!playing().isEnded) void this.poll();
    };
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') pollOnReturn();
      else pollForNewest();
    });
    addEventListener('pageshow', ({ persisted }) => {
      if (persisted) pollOnReturn();
    });
  }

  /**
   * Asks once more. If that fails, the data on the page stays, and the next change asks again.
   * @returns whether the service has responded
   */
  async ask(): Promise<boolean> {
    return await this.#ask();
  }

  /** Asks once more if the latest request is in flight and fails: after the course, nothing else would ask. */
  async askIfFails(): Promise<void> {
    if (!this.hasFailed && !(await this.#latest)) await this.ask();
  }

  /** Asks because a unit was left that calls the service itself. Nothing else shows its last result. */
  async askLeft(): Promise<boolean> {
    this.#left = this.#asked + 1;
    return await this.#ask();
  }

  /** Whether the page knows the last result of such a unit. */
  get isResultKnown(): boolean {
    return this.#responded >= this.#left;
  }

  /** Asks once the last data of a closed window has arrived. */
  askLater(): void {
    setTimeout(() => void this.ask(), LAST_WORDS_MS);
  }

  /** Asks unless the previous poll has no response yet. A poll is not repeated while too many others are waiting. */
  async poll(): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    await this.#ask(1);
    this.#isPolling = false;
  }

  #ask(tries?: number): Promise<boolean> {
    this.#latest = this.#request(tries);
    return this.#latest;
  }

  async #request(tries?: number): Promise<boolean> {
    const current = this.#page();
    if (current === null) return false;
    const number = ++this.#asked;
    try {
      const { attempt, page } = current;
      const response = await post<UnitsResponse>('units', { attempt, page }, tries);
      // A late response must not replace a newer one.
      if (number < this.#responded) return true;
      this.#responded = number;
      this.#events.onResponse(response);
      return true;
    } catch (error) {
      this.#failed = Math.max(this.#failed, number);
      const end = endOf(error);
      if (end !== null) this.#events.onEnd(end);
      // A newer request may have had a response already.
      else if (number > this.#responded && !(error instanceof Refusal && error.status < 500))
        this.#events.onUnreachable();
      return false;
    }
  }
}
