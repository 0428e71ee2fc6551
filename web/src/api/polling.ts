import type { Query } from '@tanstack/react-query';

/** How often a page with live data is refreshed. */
export const LIVE_MS = 2_000;
/** How often a list is refreshed. */
export const LIST_MS = 15_000;

/** Data that has not changed for this time is requested less often: every fourth time, but at least twice a minute. */
const STEADY_AFTER_MS = 10_000;
const STEADY_FACTOR = 4;
const MAX_STEADY_MS = 30_000;

/** Since when a query has had its current data, by the clock of this machine. */
const unchangedSince = new WeakMap<object, { data: unknown; at: number }>();

/**
 * Options of a query that is repeated every `intervalMs`: less often while its data stays the same, and not while its
 * tab is hidden. A change of the data, or a return to the tab, restores the interval.
 * @param partOf returns the part of the data whose changes count; by default all of it
 */
export function polling<Data>(intervalMs: number, partOf: (data: Data) => unknown = (data) => data) {
  return {
    // biome-ignore lint/suspicious/noExplicitAny: queries of every type
    refetchInterval: (query: Query<any, any, any, any>) => {
      const data = query.state.data === undefined ? undefined : partOf(query.state.data);
      const now = Date.now();
      const known = unchangedSince.get(query);
      if (known === undefined || known.data !== data) {
        unchangedSince.set(query, { data, at: now });
        return intervalMs;
      }
      const isSteady = now - known.at >= STEADY_AFTER_MS;
      return isSteady
        ? Math.max(intervalMs, Math.min(intervalMs * STEADY_FACTOR, MAX_STEADY_MS))
        : intervalMs;
    },
    refetchIntervalInBackground: false,
    refetchOnWindowFocus: true,
  } as const;
}
