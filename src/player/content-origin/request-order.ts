/**
 * The header of requests that a page sends while it is being closed: a random id of the page, and their number from 1.
 * The page cannot wait for the response to one before it sends the next.
 */
export const LAST_REQUEST = 'coursewire-last-request';

const FORM = /^([\w-]{8,64}) ([1-9]\d{0,2})$/;
/** How long the second request waits for the first one to arrive. Each later one waits as much longer, up to a limit. */
const PATIENCE_MS = 500;
const MAX_PATIENCES = 6;
/** How long {@link RequestOrder.settle} waits: longer than any request waits for those that do not arrive. */
const SETTLING_PATIENCES = 10;
/** How long the numbers of a page are kept after its latest request. */
const KEPT_MS = 10_000;

/** The place of a numbered request among those of its page. */
export interface RequestPlace {
  page: string;
  /** From 1. */
  number: number;
}

/** A numbered request. */
export interface OrderedRequest extends RequestPlace {
  /**
   * Resolves when all requests with lower numbers have ended. One that does not arrive may be lost, or be handled by
   * another instance, so the wait for it has a limit.
   * @returns false if one has not arrived
   */
  comes(): Promise<boolean>;
  /** A second call changes nothing. */
  end(): void;
}

/** Lets the numbered requests of each page follow each other. */
export class RequestOrder {
  readonly #patienceMs: number;
  readonly #pagesByGroup = new Map<string, Map<string, Page>>();

  /** @param patienceMs for tests */
  constructor(patienceMs = PATIENCE_MS) {
    this.#patienceMs = patienceMs;
  }

  /**
   * Notes that a request arrives.
   * @param group the requests that pages of the same id belong to
   * @param header its header {@link LAST_REQUEST}
   * @returns null without a valid header
   */
  arrive(group: string, header: string | string[] | undefined): OrderedRequest | null {
    const [, id, digits] = FORM.exec(typeof header === 'string' ? header : '') ?? [];
    if (id === undefined) return null;
    const page = this.#page(group, id);
    const number = Number(digits);
    page.arrive(number);
    const patienceMs = Math.min(MAX_PATIENCES, number - 1) * this.#patienceMs;
    return { page: id, number, comes: () => page.comes(number, patienceMs), end: () => page.end(number) };
  }

  /** Resolves when the numbered requests of a group that have arrived at this instance have ended, or after a time. */
  async settle(group: string): Promise<void> {
    const pages = [...(this.#pagesByGroup.get(group)?.values() ?? [])];
    const busy = pages.filter(({ isBusy }) => isBusy);
    await Promise.all(busy.map((page) => page.settle(SETTLING_PATIENCES * this.#patienceMs)));
  }

  #page(group: string, id: string): Page {
    const pages = this.#pagesByGroup.get(group) ?? new Map<string, Page>();
    this.#pagesByGroup.set(group, pages);
    const page =
      pages.get(id) ??
      new Page(() => {
        pages.delete(id);
        if (pages.size === 0) this.#pagesByGroup.delete(group);
      });
    pages.set(id, page);
    return page;
  }
}

/** The numbered requests of a page. */
class Page {
  /** All numbers up to this one have ended. */
  #endedUpTo = 0;
  readonly #endedBeyond = new Set<number>();
  readonly #present = new Set<number>();
  readonly #waiting = new Set<() => void>();
  readonly #onForgotten: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(onForgotten: () => void) {
    this.#onForgotten = onForgotten;
  }

  arrive(number: number): void {
    clearTimeout(this.#timer);
    this.#present.add(number);
  }

  async comes(number: number, patienceMs: number): Promise<boolean> {
    const isNext = () => this.#endedUpTo >= number - 1;
    const isFirstHere = () => [...this.#present].every((each) => each >= number);
    await this.#until(isNext, patienceMs);
    // Requests that have arrived end in any case.
    await this.#until(() => isNext() || isFirstHere());
    return isNext();
  }

  /** Whether requests have arrived that have not ended. */
  get isBusy(): boolean {
    return this.#present.size > 0;
  }

  /** Resolves when it is not busy, or after a time. */
  async settle(limitMs: number): Promise<void> {
    await this.#until(() => !this.isBusy, limitMs);
  }

  end(number: number): void {
    if (!this.#present.delete(number)) return;
    if (number > this.#endedUpTo) this.#endedBeyond.add(number);
    while (this.#endedBeyond.delete(this.#endedUpTo + 1)) this.#endedUpTo += 1;
    for (const check of this.#waiting) check();
    if (!this.isBusy) this.#timer = setTimeout(this.#onForgotten, KEPT_MS).unref();
  }

  /** Resolves when a condition holds, or after a time. */
  async #until(isMet: () => boolean, limitMs: number | null = null): Promise<void> {
    if (isMet()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const check = () => isMet() && resolve();
    this.#waiting.add(check);
    const timer = limitMs === null ? undefined : setTimeout(resolve, limitMs);
    await promise;
    clearTimeout(timer);
    this.#waiting.delete(check);
  }
}
