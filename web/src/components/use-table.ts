import { useNavigate, useRouter, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { TableSearch } from '../utilities/table-search.ts';

type Values = TableSearch & Record<string, unknown>;
/** Undefined removes a member from the address. */
type Change = { [K in keyof TableSearch]?: TableSearch[K] | undefined } & Record<string, unknown>;

/** The search, filters, order and page of a list, which the address contains. */
export interface TableState {
  values: Values;
  /** Whether a search or filter is active. */
  narrowed: boolean;
  /**
   * Changes members of the address; undefined removes one. Any change except that of the page goes to the first
   * page. Any change except that of the page or its size returns to the newest part of a list with a cursor.
   * `replace` adds no step to the history, for text that is being typed.
   */
  change: (members: Change, options?: { replace?: boolean }) => void;
  /** Removes the search and the filters, and starts at the beginning of the list. */
  clear: () => void;
  /** How often they were removed. Fields then also forget text that never reached the address. */
  clears: number;
}

const ORDER_AND_PAGE = ['sort', 'direction', 'page', 'size'];

/**
 * The state of the table of this page. `keep` names members of the address that are not filters of the table, such
 * as the open tab.
 */
export function useTable(keep: readonly string[] = []): TableState {
  const values: Values = useSearch({ strict: false });
  const navigate = useNavigate();
  const router = useRouter();
  const [clears, setClears] = useState(0);
  const kept = [...ORDER_AND_PAGE, ...keep];
  const filters = Object.keys(values).filter((name) => !kept.includes(name) && values[name] !== undefined);
  const change = (members: Change, { replace = false } = {}) => {
    // While the next page loads, this one is still shown, but the address is already that of the next.
    const { resolvedLocation: shown } = router.state;
    if (shown !== undefined && shown.pathname !== router.latestLocation.pathname) return;
    const page = 'page' in members ? members.page : undefined;
    const isSamePart = 'page' in members || 'size' in members;
    const cursor = isSamePart ? {} : { cursor: undefined };
    void navigate({
      to: '.',
      // The address of the current page. Its route validates the members.
      search: ((before: object) => ({ ...before, ...cursor, ...members, page })) as never,
      replace,
      resetScroll: false,
    });
  };
  return {
    values,
    narrowed: filters.length > 0,
    change,
    clear: () => {
      setClears(clears + 1);
      change(Object.fromEntries(filters.map((name) => [name, undefined])));
    },
    clears,
  };
}
