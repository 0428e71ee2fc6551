/**
 * Whether the page was loaded again in its tab. The course may have a window of its own, which outlives the page, and
 * browsers discard hidden pages. A duplicated tab gets a copy of what the tab has stored. So the page is stored only
 * while it is hidden or being closed: another page does not continue one that the learner sees.
 *
 * Browsers load hidden pages again by themselves, so a page that continues another one takes nothing over from a newer
 * launch before the learner wants that.
 */

const KEY = 'coursewire-page';

/** Whether the learner wants the page that is loaded next to take over. */
let isTakingOver = false;

/** The page that this tab had loaded before. */
export interface FormerPage {
  page: number;
  /** Whether the learner wants the next page to take over. */
  isToTakeOver: boolean;
}

/** The page that this tab had loaded before; null if there was none. */
export function formerPage(): FormerPage | null {
  return inStorage(() => {
    const [path, page, isToTakeOver = false] = JSON.parse(sessionStorage.getItem(KEY) ?? '[]');
    // The tab may have shown another launch.
    const isKnown = path === location.pathname && Number.isInteger(page) && page > 0;
    return isKnown ? { page, isToTakeOver: isToTakeOver === true } : null;
  });
}

/** Leaves the number of this page to the page that continues it. */
export function leavePage(page: number): void {
  isTakingOver = false;
  const leave = () => put(page);
  const note = () => {
    if (document.visibilityState === 'visible') inStorage(() => sessionStorage.removeItem(KEY));
    else leave();
  };
  document.addEventListener('visibilitychange', note);
  addEventListener('pageshow', note);
  addEventListener('pagehide', leave);
  note();
}

/** Loads the page again, because the learner wants it to take over from a newer one. */
export function takeOver(): void {
  isTakingOver = true;
  // A page that has not opened leaves nothing itself.
  const former = formerPage();
  if (former !== null) put(former.page);
  location.reload();
}

function put(page: number): void {
  inStorage(() => sessionStorage.setItem(KEY, JSON.stringify([location.pathname, page, isTakingOver])));
}

/** The browser may allow no storage, and courses can also write there. Then no page continues another one. */
function inStorage<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}
