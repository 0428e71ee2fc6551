/** How often a page with live data is refreshed. */
export const LIVE_MS = 2_000;
/** How often a list is refreshed. */
export const LIST_MS = 15_000;

/** Options of a query that is repeated every `intervalMs`, but not while its tab is hidden. */
export function polling(intervalMs: number) {
  return {
    refetchInterval: intervalMs,
    refetchIntervalInBackground: false,
    refetchOnWindowFocus: true,
  } as const;
}
