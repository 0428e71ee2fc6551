import { watchFetch } from './course-fetch.ts';
import { watchRequests } from './course-request.ts';
import { watchXhr } from './course-xhr.ts';
import { LastRequestQueue } from './last-request-queue.ts';
import { Reports } from './reports.ts';
import { type CourseGlobal, isEmpty, isReadable, WatchedPage } from './watched-page.ts';

/**
 * This file delivers the last requests of courses. Browsers reject a synchronous XMLHttpRequest while its page is being
 * closed, and abort requests in flight. Many AICC, cmi5 and xAPI courses send their last data in one. While a page of a
 * course is being closed, its requests are sent in a way that outlives it. Before that, its reports are only noted.
 */

/** How long the first page of a window is expected at short intervals. */
const FIRST_PAGE_MS = 30_000;

const watched = new WeakMap<object, WatchedPage>();

/** The reports of the open unit. */
export const reports = new Reports();
const queue = new LastRequestQueue(reports);

/** The player's page is being closed, and with it all pages of courses. */
export function playerCloses(): void {
  watchLastRequests(window, true);
  queue.pageCloses();
}

/**
 * Watches a window and all its frames that have this origin. Call it again for pages that load later. A second call for
 * the same page changes nothing.
 * @param isLeaving whether the pages are being closed now; unchanged if it is missing
 */
export function watchLastRequests(root: Window, isLeaving?: boolean): void {
  let frames = 0;
  try {
    if (root !== window) watchOne(root as CourseGlobal, isLeaving);
    frames = root.length;
  } catch {
    // The page has another origin.
  }
  for (let at = 0; at < frames; at++) {
    const frame = root[at];
    if (frame !== undefined) watchLastRequests(frame, isLeaving);
  }
}

/**
 * Watches a window whose first page is about to load. Browsers show that page in the window of the empty page before it,
 * so what it sends while it loads is known. The frames that it adds are noticed once it is there.
 * @param onPage called when it is there, if it has this origin
 * @param until when to stop, since some windows stay empty
 */
export function watchFirstPage(
  root: Window,
  onPage: () => void = () => {},
  until = performance.now() + FIRST_PAGE_MS,
): void {
  watchLastRequests(root);
  if (root.closed) return;
  if (!isEmpty(root)) {
    if (isReadable(root)) onPage();
  } else if (performance.now() < until) setTimeout(() => watchFirstPage(root, onPage, until));
}

function watchOne(course: CourseGlobal, isLeaving?: boolean): void {
  // When a frame navigates, its window object stays, but its globals are replaced.
  // A course may replace others, such as XMLHttpRequest.
  const { prototype } = course.Object;
  let page = watched.get(prototype);
  if (page === undefined) {
    page = new WatchedPage(course, queue, reports, () => watchLastRequests(course));
    watched.set(prototype, page);
    watchXhr(page);
    watchFetch(page);
    watchRequests(page);
  }
  page.listen();
  if (isLeaving !== undefined) page.isLeaving = isLeaving;
}
