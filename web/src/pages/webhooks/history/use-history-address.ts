import { getRouteApi } from '@tanstack/react-router';
import type { DeliveryStatus } from '../../../api/deliveries.ts';
import { HISTORY_FILTERS, type HistorySearch, historyFilter, historySearch } from './history-search.ts';

const route = getRouteApi('/app/admin/administration/integrations/webhooks/$webhookId');
/** The members of the address that concern the history. */
const OWN_MEMBERS: readonly string[] = ['outcome', 'cursor', ...HISTORY_FILTERS];

/** The members of a webhook's address that concern its history. */
export type HistoryAddress = ReturnType<typeof useHistoryAddress>;

/** The part of a history that the address describes, and a function that shows another part. */
export function useHistoryAddress() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const filter = historyFilter(search);
  return {
    outcome: search.outcome,
    /** Where the page starts; undefined for the first one. */
    cursor: search.cursor,
    /** The filters in the address. */
    filters: historySearch({ ...search }),
    /** The filters as members of the API. */
    filter,
    isFiltered: Object.keys(filter).length > 0,
    /** Replaces all members of the address that concern the history. */
    show: (part: HistorySearch & { outcome?: DeliveryStatus | undefined; cursor?: string | undefined }) =>
      void navigate({
        search: (current) => {
          const others = Object.entries(current).filter(([name]) => !OWN_MEMBERS.includes(name));
          const own = Object.entries(part).filter(([, value]) => value !== undefined);
          return Object.fromEntries([...others, ...own]);
        },
        resetScroll: false,
      }),
  };
}
