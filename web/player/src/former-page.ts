/**
 * Whether the page was loaded again in its tab. The course may have a window of its own, which outlives the page, and
 * browsers discard hidden pages. A duplicated tab gets a copy of what the tab has stored. So the page is stored only
 * while it is hidden or being closed: another page does not continue one that the learner sees.
 */

const KEY = 'coursewire-page';

/** The number of the page that this tab had loaded before; null if there was none. */
export function formerPage(): number | null {
  return inStorage(() => {
    const [path, page] = JSON.parse(sessionStorage.getItem(KEY) ?? '[]');
    // The tab may have shown another launch.
    return path === location.pathname && Number.isInteger(page) && page > 0 ? page : null;
  });
}

/** Leaves the number of this page to the page that continues it. */
export function leavePage(page: number): void {
  const leave = () => inStorage(() => sessionStorage.setItem(KEY, JSON.stringify([location.pathname, page])));
  const note = () => {
    if (document.visibilityState === 'visible') inStorage(() => sessionStorage.removeItem(KEY));
    else leave();
  };
  document.addEventListener('visibilitychange', note);
  addEventListener('pageshow', note);
  addEventListener('pagehide', leave);
  note();
}

/** The browser may allow no storage, and courses can also write there. Then no page continues another one. */
function inStorage<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}
