import { roomOf, type Sender, sendInRoom } from './closing-room.ts';
import { isFromService, sendingMs } from './server.ts';

/** A request of a course whose page is being closed. */
export interface LastRequest {
  method: string;
  /** Absolute. */
  url: string;
  headers: [string, string][];
  body: BodyInit | null;
  bytes: number;
}

/** Numbers requests that do not wait for each other's responses, so they may arrive out of order. */
const ORDER_HEADER = 'Coursewire-Last-Request';
const ID_BYTES = 12;
/** The paths below a launch's token to which courses report. */
const REPORTS = /^\/[^/]+\/(?:aicc$|xapi\/)/;
const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
const WITHOUT_BODY: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/**
 * Sends the last requests of courses to the service. While the player's page stays, it sends reports one after the
 * other, as the courses did. Once the page closes, it sends all at once, and numbers reports so that the service keeps
 * their order. Requests that report nothing are always sent at once.
 */
export class LastRequestQueue {
  readonly #waiting: LastRequest[] = [];
  #sending: Promise<void> | null = null;
  #isClosing = false;
  /** Whether a request has failed since {@link sent} was called. */
  #hasFailed = false;
  /** The numbers since the last request that has a response; null before the first. */
  #order: { id: string; count: number } | null = null;

  /** Whether requests have no response yet. */
  get isSending(): boolean {
    return this.#sending !== null;
  }

  /** Whether it can send a request of this size now. @param course the page that would send it, see {@link add} */
  takes(bytes: number, course: Sender): boolean {
    return !this.#isClosing || bytes <= roomOf(course);
  }

  /** Sends a request. @param course sends it if the player's page is already being closed */
  add(request: LastRequest, course: Sender): void {
    // Nothing relies on a request that reports nothing, and nobody receives its response.
    if (this.#isClosing || !isReport(request)) {
      void this.#begin(request, this.#isClosing ? course : window).catch(() => {});
      return;
    }
    this.#waiting.push(request);
    this.#sending ??= this.#sendAll();
  }

  /** Resolves once all requests have a response. Returns whether each since the last call got one of the service. */
  async sent(): Promise<boolean> {
    while (this.#sending !== null) await this.#sending;
    const hasFailed = this.#hasFailed;
    this.#hasFailed = false;
    return !hasFailed;
  }

  /** The player's page is being closed. Requests that wait for the response to another one would be lost. */
  pageCloses(): void {
    this.#isClosing = true;
    for (const request of this.#waiting.splice(0)) void this.#begin(request).catch(() => {});
    const back = () => {
      this.#isClosing = false;
      this.#order = null;
    };
    addEventListener('pageshow', back, { once: true });
  }

  async #sendAll(): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      if (!(await this.#arrives(next))) {
        this.#hasFailed = true;
        // What follows relies on it: without the status of a unit, its end would complete it.
        this.#waiting.length = 0;
      }
      if (!this.#isClosing) this.#order = null;
    }
    this.#sending = null;
  }

  async #arrives(request: LastRequest): Promise<boolean> {
    const aborter = new AbortController();
    const timer = setTimeout(() => aborter.abort(), sendingMs(request.bytes));
    try {
      return isFromService(await this.#begin(request, window, aborter.signal));
    } catch {
      return false;
    } finally {
      clearTimeout(timer);
    }
  }

  async #begin(
    request: LastRequest,
    from: Sender = window,
    signal: AbortSignal | null = null,
  ): Promise<Response> {
    const { method, url, headers, body, bytes } = request;
    const order = isReport(request) ? [this.#nextOrder()] : [];
    // The page may still be closed before the response arrives.
    return await sendInRoom(from, bytes, (keepalive) =>
      from.fetch(url, {
        method,
        headers: [...headers, ...order],
        body: bodyOf(method, body),
        credentials: 'same-origin',
        keepalive,
        signal,
      }),
    );
  }

  #nextOrder(): [name: string, value: string] {
    this.#order ??= { id: randomId(), count: 0 };
    this.#order.count += 1;
    const { id, count } = this.#order;
    return [ORDER_HEADER, `${id} ${count}`];
  }
}

/** The body that `fetch` may send for an XMLHttpRequest: that one ignores a body of a read, which `fetch` rejects. */
export function bodyOf(method: string, body: BodyInit | null): BodyInit | null {
  return WITHOUT_BODY.has(method.toUpperCase()) ? null : body;
}

/**
 * Whether a request reports something, so that its order counts. The service does not count others, such as those for
 * files, and would wait for their numbers.
 */
function isReport({ method, url }: LastRequest): boolean {
  return !READS.has(method.toUpperCase()) && REPORTS.test(new URL(url).pathname);
}

/** `crypto.randomUUID` does not exist on pages without TLS. */
function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(ID_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
