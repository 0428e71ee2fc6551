import { roomOf, type Sender, sendInRoom } from './closing-room.ts';
import { isReport, type Report } from './report.ts';
import { type Fate, fateOfResponse } from './report-fate.ts';
import type { Reports, Settle } from './reports.ts';
import { bodyOf } from './request-body.ts';
import { sendingMs } from './server.ts';

/** A request of a course whose page is being closed. */
export interface LastRequest {
  method: string;
  url: URL;
  headers: [string, string][];
  body: BodyInit | null;
  bytes: number;
}

/** A report that waits until those before it have a response. */
interface Waiting {
  request: LastRequest;
  settle: Settle;
  onResponse: (response: Response) => void;
  onError: (error: unknown) => void;
}

/** Numbers requests that do not wait for each other's responses, so they may arrive out of order. */
const ORDER_HEADER = 'Coursewire-Last-Request';
const ID_BYTES = 12;

/**
 * Sends the last requests of courses to the service. While the player's page stays, it sends reports one after the
 * other, as the courses did. Once the page closes, it sends all at once, and numbers reports so that the service keeps
 * their order. Requests that report nothing are always sent at once.
 */
export class LastRequestQueue {
  readonly #reports: Reports;
  readonly #waiting: Waiting[] = [];
  #sending: Promise<void> | null = null;
  #isClosing = false;
  /** The numbers since the last request that has a response; null before the first. */
  #order: { id: string; count: number } | null = null;

  /** @param reports receives the fate of the reports, unless the page of the player is being closed */
  constructor(reports: Reports) {
    this.#reports = reports;
  }

  /** Whether it can send a request of this size now. @param course the page that would send it, see {@link add} */
  takes(bytes: number, course: Sender): boolean {
    return !this.#isClosing || bytes <= roomOf(course);
  }

  /**
   * Sends a request. The page of the course may be gone when the response comes.
   * @param course sends it if the player's page is already being closed
   */
  add(request: LastRequest, course: Sender): Promise<Response> {
    let response: Promise<Response>;
    // Nothing relies on a request that reports nothing, and nobody waits for its response.
    if (this.#isClosing || !isReport(request.method, request.url)) {
      response = this.#begin(request, this.#isClosing ? course : window);
    } else {
      response = new Promise((onResponse, onError) =>
        this.#waiting.push({ request, settle: this.#reports.begin(request), onResponse, onError }),
      );
      this.#sending ??= this.#sendAll();
    }
    // Few courses handle an error while their page is being closed.
    response.catch(() => {});
    return response;
  }

  /**
   * Sends a report at once, because the browser drops its body together with the page of the course. While the page of the
   * player is being closed, only the course can send it.
   * @param bytes the size of its body; 0 if nobody knows it
   */
  sendNow(report: Report, request: Request, bytes: number, course: Sender): Promise<Response> {
    if (this.#isClosing) {
      const headers = [...request.headers, this.#nextOrder()];
      const last = sendInRoom(course, bytes, (keepalive) => course.fetch(request, { headers, keepalive }));
      last.catch(() => {});
      return last;
    }
    const settle = this.#reports.begin(report);
    const response = deliver(report.url, bytes, (signal) => window.fetch(request, { signal }), settle);
    response.catch(() => {});
    return response;
  }

  /** The player's page is being closed. Requests that wait for the response to another one would be lost. */
  pageCloses(): void {
    this.#isClosing = true;
    for (const { request, settle, onResponse, onError } of this.#waiting.splice(0)) {
      settle(null);
      this.#begin(request).then(onResponse, onError);
    }
    const back = () => {
      this.#isClosing = false;
      this.#order = null;
    };
    addEventListener('pageshow', back, { once: true });
  }

  async #sendAll(): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      const { request, settle, onResponse, onError } = next;
      const begin = (signal: AbortSignal) => this.#begin(request, window, signal);
      const note = (fate: Fate) => {
        settle(fate);
        // Later requests rely on it: without the status of a unit, its end would complete it.
        if (fate === 'lost') this.#giveUp();
      };
      await deliver(request.url, request.bytes, begin, note).then(onResponse, onError);
      if (!this.#isClosing) this.#order = null;
    }
    this.#sending = null;
  }

  #giveUp(): void {
    for (const { settle, onError } of this.#waiting.splice(0)) {
      settle('lost');
      onError(new TypeError('The request before it has failed'));
    }
  }

  async #begin(
    request: LastRequest,
    from: Sender = window,
    signal: AbortSignal | null = null,
  ): Promise<Response> {
    const { method, url, headers, body, bytes } = request;
    const order = isReport(method, url) ? [this.#nextOrder()] : [];
    // The page may still be closed before the response arrives.
    return await sendInRoom(from, bytes, (keepalive) =>
      from.fetch(url.href, {
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

/** Sends a report, with a deadline. @param onFate receives its fate */
async function deliver(
  url: URL,
  bytes: number,
  begin: (signal: AbortSignal) => Promise<Response>,
  onFate: (fate: Fate) => void,
): Promise<Response> {
  const aborter = new AbortController();
  const timer = setTimeout(() => aborter.abort(), sendingMs(bytes));
  try {
    const response = await begin(aborter.signal);
    onFate(await fateOfResponse(url, response));
    return response;
  } catch (error) {
    onFate('lost');
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** `crypto.randomUUID` does not exist on pages without TLS. */
function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(ID_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
