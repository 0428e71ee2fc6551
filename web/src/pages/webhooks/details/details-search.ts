import { DELIVERY_STATUSES, type DeliveryStatus } from '../../../api/deliveries.ts';
import { TREND_PERIODS, type TrendPeriod } from '../../../api/webhook-records.ts';
import { type ChartSearch, chartSearch } from '../../../utilities/chart-search.ts';
import { type HistorySearch, historySearch } from '../history/history-search.ts';

const MAX_CURSOR_LENGTH = 200;

/** The tabs of a webhook's page. */
export const DETAIL_TABS = ['overview', 'history', 'configuration', 'changes'] as const;
export type DetailTab = (typeof DETAIL_TABS)[number];

/** The search parameters of a webhook's page. */
export interface DetailsSearch extends ChartSearch, HistorySearch {
  tab?: DetailTab;
  period?: TrendPeriod;
  outcome?: DeliveryStatus;
  cursor?: string;
  /** The open delivery. */
  delivery?: number;
  /** The position of the open waiting message. */
  waiting?: number;
}

/** Drops unknown members, because people edit addresses. */
export function detailsSearch(given: Record<string, unknown>): DetailsSearch {
  const delivery = Number(given.delivery);
  const waiting = Number(given.waiting);
  return {
    ...choice('tab', given.tab, DETAIL_TABS),
    ...choice('period', given.period, TREND_PERIODS),
    ...chartSearch(given),
    ...historySearch(given),
    ...choice('outcome', given.outcome, DELIVERY_STATUSES),
    ...(typeof given.cursor === 'string' && given.cursor.length <= MAX_CURSOR_LENGTH
      ? { cursor: given.cursor }
      : {}),
    ...(Number.isSafeInteger(delivery) && delivery > 0 ? { delivery } : {}),
    ...(Number.isSafeInteger(waiting) && waiting > 0 ? { waiting } : {}),
  };
}

function choice<K extends string, V extends string>(
  name: K,
  value: unknown,
  values: readonly V[],
): { [N in K]?: V } {
  return (values as readonly unknown[]).includes(value) ? ({ [name]: value } as { [N in K]?: V }) : {};
}
