/** How often a page that shows what is happening now asks again. */
export const LIVE_MS = 2_000;
/** How often a list asks again. */
export const LIST_MS = 15_000;

/** Options of a query that asks again every `intervalMs`, and not while its tab is hidden. */
export function polling(intervalMs: number) {
  return {
    refetchInterval: intervalMs,
    refetchIntervalInBackground: false,
    refetchOnWindowFocus: true,
  } as const;
}
