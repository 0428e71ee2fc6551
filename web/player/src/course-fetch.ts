import { countBeacon, sendCounted, sendInRoom } from './closing-room.ts';
import { bodySizeOf } from './course-request.ts';
import { isReport, type Report } from './report.ts';
import { fateOfResponse } from './report-fate.ts';
import { bodyOf, isOfType, roomTakenBy, sizeOf } from './request-body.ts';
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
 * its own function is called. What else the page sends is only counted, if it outlives the page.
 */
export function watchFetch(page: WatchedPage): void {
  const { course, sender } = page;
  const { fetch: send } = course;
  const watched = function (this: unknown, ...given: Parameters<typeof fetch>) {
    const sendItself = () => {
      const bytes = bytesThatOutlive(...given);
      const response = send.apply(this as Window, given);
      if (bytes > 0) sendCounted(sender, bytes, () => response).catch(() => {});
      return response;
    };
    const sent = reportOf(course, ...given);
    // The browser does not send what is aborted already.
    if (sent === null || sent.isAborted) return sendItself();
    if (page.isLeaving) {
      const response = sendLast(page, sent, given[1]);
      if (response !== null) return response;
    }
    return noted(page, sent, () =>
      sendOrOutlive(page, sent, (keepalive) =>
        keepalive ? send.call(this as Window, given[0], { ...given[1], keepalive }) : sendItself(),
      ),
    );
  };
  // The course may have made it read-only.
  Reflect.set(course, 'fetch', watched);
  watchBeacons(page);
}

/** Sends a report in a way that outlives the page of the course; null if that is impossible. */
function sendLast(
  { sender, queue }: WatchedPage,
  sent: Fetched,
  init: RequestInit | undefined,
): Promise<Response> | null {
  const { method, url, headers, body, bytes, request } = sent;
  if (request !== null) {
    if (request.bodyUsed) return null;
    const own = new Request(request, { ...init, signal: null, keepalive: false });
    void readBody(sent, own);
    return queue.sendNow(sent, own, bodySizeOf(request), sender);
  }
  if (bytes === null || !queue.takes(bytes, sender)) return null;
  return queue.add({ method, url, headers, body: bodyOf(method, body as BodyInit | null), bytes }, sender);
}

/**
 * Sends a report as the course asked for. If the page may be closed at once, the request outlives it, because the browser drops
 * others that wait for a connection.
 * @param send sends it. `keepalive` is whether it outlives the page in any case
 */
function sendOrOutlive(
  { sender, mayLeave }: WatchedPage,
  { bytes, request, outlives }: Fetched,
  send: (keepalive: boolean) => Promise<Response>,
): Promise<Response> {
  if (mayLeave && !outlives && bytes !== null && request === null) return sendInRoom(sender, bytes, send);
  return send(false);
}

/** How many bytes a request of the course takes from the room of its page; 0 if it does not outlive the page. */
function bytesThatOutlive(input: RequestInfo | URL, init?: RequestInit | null): number {
  if (!outlivesPage(input, init)) return 0;
  const body = init?.body ?? null;
  return body === null ? bodySizeOf(input) : roomTakenBy(body);
}

/** Whether the course itself lets a request outlive its page. */
function outlivesPage(input: RequestInfo | URL, init?: RequestInit | null): boolean {
  return (init?.keepalive ?? (isOfType(input, 'Request') && (input as Request).keepalive)) === true;
}

/** Sends a report as the course asked for, and notes its fate. */
function noted(page: WatchedPage, sent: Fetched, send: () => Promise<Response>): Promise<Response> {
  const settle = page.note(sent, sent.bytes ?? bodySizeOf(sent.request), { isAsync: true });
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
  const { course, sender, queue } = page;
  const { prototype } = course.Navigator;
  const { sendBeacon } = prototype;
  // Browsers may be set to have none.
  if (typeof sendBeacon !== 'function') return;
  const watched = function (this: Navigator, ...given: Parameters<Navigator['sendBeacon']>) {
    const [address, data = null] = given;
    const sendItself = () => {
      const isAccepted = sendBeacon.apply(this, given);
      if (isAccepted) countBeacon(sender, roomTakenBy(data));
      return isAccepted;
    };
    const sent = reportOf(course, address, { method: 'POST', body: data });
    if (sent === null) return sendItself();
    const { method, url, bytes } = sent;
    if (page.isLeaving && bytes !== null && queue.takes(bytes, sender)) {
      void queue.add({ method, url, headers: [], body: data, bytes }, sender);
      return true;
    }
    const settle = page.note(sent, bytes ?? 0, { isAsync: false });
    const isAccepted = sendItself();
    // That the browser accepts it does not say that it arrives.
    settle(isAccepted ? null : 'lost', false);
    return isAccepted;
  };
  Reflect.set(prototype, 'sendBeacon', watched);
}

/** Null if the request reports nothing, or is not valid. */
function reportOf(course: Window, input: RequestInfo | URL, init?: RequestInit | null): Fetched | null {
  try {
    const request = isOfType(input, 'Request') ? (input as Request) : null;
    const method = String(init?.method ?? request?.method ?? 'GET');
    const url = new URL(request?.url ?? String(input), course.document.baseURI);
    if (url.origin !== location.origin || !isReport(method, url)) return null;
    const headers = new Headers(init?.headers ?? request?.headers);
    const isInRequest = request !== null && (init?.body ?? null) === null;
    const body = isInRequest ? undefined : (init?.body ?? null);
    return {
      method,
      url,
      headers: [...headers],
      body,
      bytes: isInRequest ? null : sizeOf(body),
      request: isInRequest ? request : null,
      outlives: outlivesPage(input, init),
      isAborted: (init?.signal ?? request?.signal)?.aborted === true,
    };
  } catch {
    return null;
  }
}
