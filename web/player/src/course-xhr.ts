import { roomOf, sendInRoom } from './closing-room.ts';
import { isReport } from './report.ts';
import { fateOfRequest } from './report-fate.ts';
import { bodyOf, sizeOf } from './request-body.ts';
import type { WatchedPage } from './watched-page.ts';

interface Opened {
  method: string;
  url: URL;
  isAsync: boolean;
  headers: [string, string][];
}

type XhrBody = Document | XMLHttpRequestBodyInit | null | undefined;

const XHR_DONE = 4;
/** The error message of Chromium when it rejects a synchronous request. */
const REJECTED = /page dismissal/i;

/** Watches what a page of a course sends with XMLHttpRequest. */
export function watchXhr(page: WatchedPage): void {
  const { course, sender, queue } = page;
  const { prototype } = course.XMLHttpRequest;
  const { open, send, setRequestHeader } = prototype;
  const opened = new WeakMap<XMLHttpRequest, Opened>();
  prototype.open = function (this: XMLHttpRequest, method: string, url: string | URL, ...rest: unknown[]) {
    // A request is asynchronous if the parameter is missing, but not if it is undefined.
    const isAsync = rest.length === 0 || Boolean(rest[0]);
    (open as (...values: unknown[]) => void).call(this, method, url, ...rest);
    const address = new URL(url, course.document.baseURI);
    opened.set(this, { method: String(method), url: address, isAsync, headers: [] });
  };
  prototype.setRequestHeader = function (this: XMLHttpRequest, name: string, value: string) {
    opened.get(this)?.headers.push([name, value]);
    setRequestHeader.call(this, name, value);
  };
  prototype.send = function (this: XMLHttpRequest, body?: XhrBody) {
    const request = opened.get(this);
    const bytes = sizeOf(body);
    const sendItself = () => sendAndNote(page, this, { opened, body, bytes: bytes ?? 0 }, send);
    const isSendable =
      request !== undefined &&
      bytes !== null &&
      (request.url.origin === location.origin ? queue.takes(bytes, sender) : bytes <= roomOf(sender));
    if (!isSendable || (request.isAsync && !page.isLeaving)) {
      sendItself();
      return;
    }
    if (!request.isAsync) {
      try {
        // Some browsers allow it at any time, with any size and with a response.
        sendItself();
        return;
      } catch (error) {
        // In beforeunload, the page may still stay. Only the error message distinguishes a rejection from a lost
        // connection.
        if (!page.isLeaving && !isRejection(error)) throw error;
      }
    }
    const { method, url, headers } = request;
    const sent = { method, headers, body: bodyOf(method, (body ?? null) as BodyInit | null) };
    if (url.origin === location.origin) void queue.add({ ...sent, url, bytes }, sender);
    else {
      void sendInRoom(sender, bytes, (keepalive) =>
        sender.fetch(url, { ...sent, credentials: 'same-origin', keepalive }),
      ).catch(() => {});
    }
    if (!request.isAsync) pretendSuccess(this);
  };
}

/** Sends a request as the course asked for. If it reports something, notes its fate. */
function sendAndNote(
  page: WatchedPage,
  xhr: XMLHttpRequest,
  { opened, body, bytes }: { opened: WeakMap<XMLHttpRequest, Opened>; body: XhrBody; bytes: number },
  send: XMLHttpRequest['send'],
): void {
  const request = opened.get(xhr);
  if (request?.url.origin !== location.origin || !isReport(request.method, request.url)) {
    send.call(xhr, body);
    return;
  }
  const { method, url, isAsync } = request;
  const settle = page.note({ method, url, body: body ?? null }, bytes, { isAsync });
  const end = () => {
    // A course may use the object for its next request before this event, or in a handler of the response.
    const isReused = opened.get(xhr) !== request;
    if (!isReused && xhr.readyState !== XHR_DONE) return;
    xhr.removeEventListener('loadend', end);
    settle(isReused ? null : fateOfRequest(url, xhr), isReused || xhr.status > 0);
  };
  if (isAsync) xhr.addEventListener('loadend', end);
  try {
    send.call(xhr, body);
  } catch (error) {
    xhr.removeEventListener('loadend', end);
    // The browser has not sent it.
    settle(isRejection(error) ? null : 'lost', false);
    throw error;
  }
  if (!isAsync) end();
}

/** The error belongs to the course's window, so `instanceof` does not work here. */
function isRejection(error: unknown): boolean {
  return REJECTED.test((error as { message?: string } | null)?.message ?? '');
}

/** A course that believes its last request failed may repeat it endlessly. */
function pretendSuccess(request: XMLHttpRequest): void {
  for (const [name, value] of [
    ['readyState', 4],
    ['status', 200],
    ['statusText', 'OK'],
    ['responseText', ''],
    ['response', ''],
  ] as const) {
    Object.defineProperty(request, name, { value, configurable: true });
  }
}
