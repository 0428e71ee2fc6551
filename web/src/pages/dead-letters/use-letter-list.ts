import { getRouteApi } from '@tanstack/react-router';
import { type TableState, useTable } from '../../components/use-table.ts';
import { listQuery, type TableSearch } from '../../utilities/table-search.ts';
import { HISTORY_FILTERS, historyFilter, historySearch } from '../webhooks/history/history-search.ts';

const route = getRouteApi('/app/admin/administration/integrations/dead-letters');

/** The list of dead letters that the address describes. */
export function useLetterList() {
  const search = route.useSearch();
  const table = useTable(['delivery', 'of']);
  const filters = historySearch({ ...search });
  const filter = historyFilter(filters);
  const query = { ...listQuery(pageOf(table.values)), ...filter };
  const { limit: _limit, offset: _offset, ...list } = query;
  return {
    table,
    /** The filters in the address. */
    filters,
    /** The filters as members of the API; null without filters. */
    filter: Object.keys(filter).length > 0 ? filter : null,
    query,
    /** Identifies the list, on whichever page. */
    of: JSON.stringify(list),
  };
}

/** The members of the address that the list itself uses. */
function pageOf(values: TableState['values']): TableSearch & Record<string, unknown> {
  const { delivery: _delivery, of: _of, ...others } = values;
  const own = Object.entries(others).filter(
    ([name]) => !(HISTORY_FILTERS as readonly string[]).includes(name),
  );
  return Object.fromEntries(own);
}
