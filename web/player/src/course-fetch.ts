import { sendCounted, sendInRoom } from './closing-room.ts';
import { ORDER_HEADER } from './last-request-queue.ts';
import { isReport, type Report } from './report.ts';
import { fateOfResponse } from './report-fate.ts';
import { bodyOf, isOfType, sizeOf } from './request-body.ts';
import type { WatchedPage } from './watched-page.ts';

const ATTACHMENTS = /^\s*multipart\//i;

/** A report that a course gives to `fetch`. */
interface Fetched extends Report {
  headers: [string, string][];
  /** Null if the body cannot be sent after the page of the course is gone. */
  bytes: number | null;
  /** The course's own request, if it has the body. */
  request: Request | null;
  /** Whether the course itself lets it outlive its page. */
  outlives: boolean;
  isAborted: boolean;
}

/**
 * Watches what a page of a course reports with `fetch` and `sendBeacon`. A course may have replaced `fetch` before: then
 * its own function is called. What else the page sends is left alone.
 */
export function watchFetch(page: WatchedPage): void {
  const { course } = page;
  const { fetch: send } = course;
  const watched = function (this: unknown, ...given: Parameters<typeof fetch>) {
    const sent = reportOf(course, ...given);
    // The browser does not send what is aborted already.
    if (sent === null || sent.isAborted) return send.apply(this as Window, given);
    if (page.isLeaving) {
      const response = sendLast(page, sent, given[1]);
      if (response !== null) return response;
    }
    return noted(page, sent, () =>
      sendOrOutlive(page, sent, (keepalive) =>
        keepalive
          ? send.call(this as Window, given[0], { ...given[1], keepalive })
          : send.apply(this as Window, given),
      ),
    );
  };
  // The course may have made it read-only.
  Reflect.set(course, 'fetch', watched);
  watchBeacons(page);
}

/** Sends a report in a way that outlives the page of the course; null if that is impossible. */
function sendLast(
  { course, queue }: WatchedPage,
  sent: Fetched,
  init: RequestInit | undefined,
): Promise<Response> | null {
  const { method, url, headers, body, bytes, request } = sent;
  if (request !== null) {
    if (request.bodyUsed) return null;
    const own = new Request(request, { ...init, signal: null, keepalive: false });
    void readBody(sent, own);
    return queue.sendNow(sent, own, course);
  }
  if (bytes === null || !queue.takes(bytes, course)) return null;
  return queue.add({ method, url, headers, body: bodyOf(method, body as BodyInit | null), bytes }, course);
}

/**
 * Sends a report as the course asked for. If the page may be closed at once, the request outlives it, because the browser drops
 * others that wait for a connection.
 * @param send sends it. `keepalive` is whether it outlives the page in any case
 */
function sendOrOutlive(
  { course, mayLeave }: WatchedPage,
  { bytes, request, outlives }: Fetched,
  send: (keepalive: boolean) => Promise<Response>,
): Promise<Response> {
  if (mayLeave && !outlives && bytes !== null && request === null) return sendInRoom(course, bytes, send);
  const response = send(false);
  if (outlives) sendCounted(course, bytes ?? 0, () => response).catch(() => {});
  return response;
}

/** Sends a report as the course asked for, and notes its fate. */
function noted(page: WatchedPage, sent: Fetched, send: () => Promise<Response>): Promise<Response> {
  const settle = page.note(sent, sent.bytes ?? 0, { isAsync: true });
  const read = sent.request === null ? null : readBody(sent, sent.request);
  const lost = async () => {
    await read;
    settle('lost', false);
  };
  try {
    const response = send();
    // Before the course reads the response.
    response
      .then(async (received) => {
        const [fate] = await Promise.all([fateOfResponse(sent.url, received), read]);
        settle(fate, true);
      })
      .catch(lost);
    return response;
  } catch (error) {
    void lost();
    throw error;
  }
}

/** Reads what is in a `Request` before it is sent. Attachments are large, and other reports with them are not read, either. */
async function readBody(sent: Fetched, request: Request): Promise<void> {
  if (ATTACHMENTS.test(request.headers.get('content-type') ?? '')) return;
  try {
    sent.body = await request.clone().text();
  } catch {
    // The course has sent it already, or its page is gone.
  }
}

/** A beacon gets no response. The browser only says whether it will send it. */
function watchBeacons(page: WatchedPage): void {
  const { course, queue } = page;
  const { prototype } = course.Navigator;
  const { sendBeacon } = prototype;
  // Browsers may be set to have none.
  if (typeof sendBeacon !== 'function') return;
  const watched = function (this: Navigator, ...given: Parameters<Navigator['sendBeacon']>) {
    const [address, data = null] = given;
    const sent = reportOf(course, address, { method: 'POST', body: data });
    if (sent === null) return sendBeacon.apply(this, given);
    const { method, url, bytes } = sent;
    if (page.isLeaving && bytes !== null && queue.takes(bytes, course)) {
      void queue.add({ method, url, headers: [], body: data, bytes }, course);
      return true;
    }
    const settle = page.note(sent, bytes ?? 0, { isAsync: false });
    const isAccepted = sendBeacon.apply(this, given);
    // That the browser accepts it does not say that it arrives.
    settle(isAccepted ? null : 'lost', false);
    return isAccepted;
  };
  Reflect.set(prototype, 'sendBeacon', watched);
}

/** Null if the request reports nothing, or is one of the player itself, or is not valid. */
function reportOf(course: Window, input: RequestInfo | URL, init?: RequestInit | null): Fetched | null {
  try {
    const request = isOfType(input, 'Request') ? (input as Request) : null;
    const method = String(init?.method ?? request?.method ?? 'GET');
    const url = new URL(request?.url ?? String(input), course.document.baseURI);
    if (url.origin !== location.origin || !isReport(method, url)) return null;
    const headers = new Headers(init?.headers ?? request?.headers);
    if (headers.has(ORDER_HEADER)) return null;
    const isInRequest = request !== null && (init?.body ?? null) === null;
    const body = isInRequest ? undefined : (init?.body ?? null);
    return {
      method,
      url,
      headers: [...headers],
      body,
      bytes: isInRequest ? null : sizeOf(body),
      request: isInRequest ? request : null,
      outlives: (init?.keepalive ?? request?.keepalive) === true,
      isAborted: (init?.signal ?? request?.signal)?.aborted === true,
    };
  } catch {
    return null;
  }
}
