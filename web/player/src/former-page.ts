import { MINUTE_MS } from '../../../src/time/units.ts';

/**
 * Whether the page was loaded again in its tab. The course may have a window of its own, which outlives the page, and
 * browsers discard hidden pages. A duplicated tab gets a copy of what the tab has stored. So the page is stored only
 * while it is hidden or being closed: another page does not continue one that the learner sees.
 *
 * Browsers load hidden pages again by themselves, so a page that continues another one takes nothing over from a newer
 * launch before the learner wants that.
 */

const KEY = 'coursewire-page';

/** How long a wish to take over counts: without a connection, the page may be loaded only hours later. */
const WISH_MS = MINUTE_MS;

/** When the learner asked for the page that is loaded next to take over; null if nobody did. */
let askedAt: number | null = null;
/** Whether the learner wants this page to take over. It may first ask about unsent work. */
let isWanted = false;

/** The page that this tab had loaded before. */
export interface FormerPage {
  page: number;
  /** Whether the learner wants the next page to take over. */
  isToTakeOver: boolean;
}

/** The page that this tab had loaded before; null if there was none. */
export function formerPage(): FormerPage | null {
  return inStorage(() => {
    const [path, page, asked = null] = JSON.parse(sessionStorage.getItem(KEY) ?? '[]');
    // The tab may have shown another launch.
    const isKnown = path === location.pathname && Number.isInteger(page) && page > 0;
    if (!isKnown) return null;
    isWanted ||= typeof asked === 'number' && Date.now() - asked < WISH_MS;
    return { page, isToTakeOver: isWanted };
  });
}

/** Leaves the number of this page to the page that continues it. */
export function leavePage(page: number): void {
  askedAt = null;
  isWanted = false;
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
  askedAt = Date.now();
  // A page that has not opened leaves nothing itself.
  const former = formerPage();
  if (former !== null) put(former.page);
  location.reload();
}

function put(page: number): void {
  inStorage(() => sessionStorage.setItem(KEY, JSON.stringify([location.pathname, page, askedAt])));
}

/** The browser may allow no storage, and courses can also write there. Then no page continues another one. */
function inStorage<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}
