import { roomOf, sendInRoom } from './closing-room.ts';
import { bodyOf, LastRequestQueue } from './last-request-queue.ts';
import { byteLength } from './server.ts';

/**
 * Delivers the last requests of courses. Browsers reject a synchronous XMLHttpRequest while its page is being closed,
 * and abort requests in flight. Many AICC, cmi5 and xAPI courses send their last data in one. While a page of a course
 * is being closed, its requests are sent in a way that outlives it.
 */

type CourseGlobal = Window & typeof globalThis;

interface Opened {
  method: string;
  url: URL;
  isAsync: boolean;
  headers: [string, string][];
}

interface Watched {
  isLeaving: boolean;
}

/** The error message of Chromium when it rejects a synchronous request. */
const REFUSED = /page dismissal/i;

const watched = new WeakMap<object, Watched>();

/** The requests to the service. */
export const lastRequests = new LastRequestQueue();

/** The player's page is being closed, and with it all pages of courses. */
export function playerCloses(): void {
  watchLastRequests(window, true);
  lastRequests.pageCloses();
}

/**
 * Watches a window and all its frames that have this origin. Call it again for pages that load later. A second call for
 * the same page changes nothing.
 * @param isLeaving whether the pages are being closed now; unchanged if it is missing
 */
export function watchLastRequests(root: Window, isLeaving?: boolean): void {
  let frames = 0;
  try {
    watchOne(root as CourseGlobal, isLeaving);
    frames = root.length;
  } catch {
    // The page has another origin.
  }
  for (let at = 0; at < frames; at++) {
    const frame = root[at];
    if (frame !== undefined) watchLastRequests(frame, isLeaving);
  }
}

function watchOne(course: CourseGlobal, isLeaving?: boolean): void {
  // When a frame navigates, its window object stays, but its globals are replaced.
  const { prototype } = course.XMLHttpRequest;
  const known = watched.get(prototype);
  if (known !== undefined) {
    if (isLeaving !== undefined) known.isLeaving = isLeaving;
    return;
  }
  const state: Watched = { isLeaving: isLeaving ?? false };
  watched.set(prototype, state);
  course.addEventListener('pagehide', () => (state.isLeaving = true), { capture: true });
  course.addEventListener('pageshow', () => (state.isLeaving = false), { capture: true });
  replaceRequests(course, state);
}

function replaceRequests(course: CourseGlobal, state: Watched): void {
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
  prototype.send = function (this: XMLHttpRequest, body?: Document | XMLHttpRequestBodyInit | null) {
    const request = opened.get(this);
    const bytes = sizeOf(body);
    const isSendable =
      request !== undefined &&
      bytes !== null &&
      (request.url.origin === location.origin ? lastRequests.takes(bytes, course) : bytes <= roomOf(course));
    if (!isSendable || (request.isAsync && !state.isLeaving)) {
      send.call(this, body);
      return;
    }
    if (!request.isAsync) {
      try {
        // Some browsers allow it at any time, with any size and with a response.
        send.call(this, body);
        return;
      } catch (error) {
        // In beforeunload, the page may still stay. Only the error message distinguishes a rejection from a lost
        // connection.
        if (!state.isLeaving && !isRefusal(error)) throw error;
      }
    }
    const { method, url, headers } = request;
    const sent = { method, headers, body: bodyOf(method, (body ?? null) as BodyInit | null) };
    if (url.origin === location.origin) lastRequests.add({ ...sent, url: url.href, bytes }, course);
    else {
      void sendInRoom(course, bytes, (keepalive) =>
        course.fetch(url, { ...sent, credentials: 'same-origin', keepalive }),
      ).catch(() => {});
    }
    if (!request.isAsync) pretendSuccess(this);
  };
}

/** The error belongs to the course's window, so `instanceof` does not work here. */
function isRefusal(error: unknown): boolean {
  return REFUSED.test((error as { message?: string } | null)?.message ?? '');
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

/** The size of a body that `fetch` can send; null for any other. */
function sizeOf(body: unknown): number | null {
  if (body === null || body === undefined) return 0;
  if (typeof body === 'string') return byteLength(body);
  // It belongs to the course's window, so `instanceof` does not work here.
  if (Object.prototype.toString.call(body) === '[object URLSearchParams]') return String(body).length;
  const { size, byteLength: length } = body as { size?: unknown; byteLength?: unknown };
  const bytes = size ?? length;
  return typeof bytes === 'number' ? bytes : null;
}
