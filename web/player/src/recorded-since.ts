import { isOver, type PageAnswer, post, type UnitsAnswer } from './server.ts';

/** What follows from an answer. */
export interface RecordedEvents {
  onAnswer(answer: UnitsAnswer): void;
  /** The launch, or what it plays, is gone. */
  onOver(): void;
}

/** Asks the service what was recorded since the page was opened. */
export class RecordedSince {
  readonly #page: () => PageAnswer | null;
  readonly #events: RecordedEvents;
  #asked = 0;
  #answered = 0;
  #isPolling = false;

  /** @param page returns the page; null until the service has answered */
  constructor(page: () => PageAnswer | null, events: RecordedEvents) {
    this.#page = page;
    this.#events = events;
  }

  /** Asks once more. If that fails, the data on the page stays, and the next change asks again. */
  async ask(): Promise<void> {
    await this.#ask();
  }

  /** Asks unless the previous poll has no answer yet. A poll is not repeated while too many others are waiting. */
  async poll(): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    await this.#ask(1);
    this.#isPolling = false;
  }

  async #ask(tries?: number): Promise<void> {
    const current = this.#page();
    if (current === null) return;
    const number = ++this.#asked;
    try {
      const { attempt, page } = current;
      const answer = await post<UnitsAnswer>('units', { attempt, page }, tries);
      // A late answer must not replace a newer one.
      if (number < this.#answered) return;
      this.#answered = number;
      this.#events.onAnswer(answer);
    } catch (error) {
      if (isOver(error)) this.#events.onOver();
    }
  }
}
