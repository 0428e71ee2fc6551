/**
 * Delivers the last requests of courses. Browsers reject a synchronous XMLHttpRequest while its page is being closed,
 * and abort requests in flight. Many AICC, cmi5 and xAPI courses send their last data in one. While a page of a course
 * is being closed, its requests are sent in a way that outlives it.
 */

type CourseGlobal = Window & typeof globalThis;

interface Opened {
  method: string;
  url: string;
  isAsync: boolean;
  headers: [string, string][];
}

interface Watched {
  isLeaving: boolean;
}

/** Browsers let a page that is being closed send 64 KiB in total. */
const MOST_BYTES = 60_000;

/** The error message of Chromium when it rejects a synchronous request. */
const REFUSED = /page dismissal/i;

const watched = new WeakMap<object, Watched>();

/**
 * Watches a window and all its frames that have this origin. Call it again for pages that load later. A second call for
 * the same page changes nothing.
 * @param isLeaving whether the pages are being closed now
 */
export function watchLastRequests(root: Window, isLeaving = false): void {
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

function watchOne(course: CourseGlobal, isLeaving: boolean): void {
  // When a frame navigates, its window object stays, but its globals are replaced.
  const { prototype } = course.XMLHttpRequest;
  const known = watched.get(prototype);
  if (known !== undefined) {
    if (isLeaving) known.isLeaving = true;
    return;
  }
  const state: Watched = { isLeaving };
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
    opened.set(this, { method: String(method), url: String(url), isAsync, headers: [] });
    (open as (...values: unknown[]) => void).call(this, method, url, ...rest);
  };
  prototype.setRequestHeader = function (this: XMLHttpRequest, name: string, value: string) {
    opened.get(this)?.headers.push([name, value]);
    setRequestHeader.call(this, name, value);
  };
  prototype.send = function (this: XMLHttpRequest, body?: Document | XMLHttpRequestBodyInit | null) {
    const request = opened.get(this);
    const isSendable = request !== undefined && isSmall(body);
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
    void course
      .fetch(url, {
        method,
        headers,
        credentials: 'same-origin',
        keepalive: true,
        ...(body === null || body === undefined ? {} : { body: body as BodyInit }),
      })
      .catch(() => {});
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

function isSmall(body: unknown): boolean {
  if (body === null || body === undefined) return true;
  if (typeof body === 'string') return new TextEncoder().encode(body).length <= MOST_BYTES;
  if (body instanceof URLSearchParams) return String(body).length <= MOST_BYTES;
  const { size, byteLength } = body as { size?: unknown; byteLength?: unknown };
  const bytes = size ?? byteLength;
  return typeof bytes === 'number' && bytes <= MOST_BYTES;
}
