import { useNavigate, useSearch } from '@tanstack/react-router';
import type { TableSearch } from '../utilities/table-search.ts';

type Values = TableSearch & Record<string, unknown>;
/** Undefined takes a member out of the address. */
type Change = { [K in keyof TableSearch]?: TableSearch[K] | undefined } & Record<string, unknown>;

/** A list's search, filters, order and page, which the address holds. */
export interface TableState {
  values: Values;
  /** Whether a search or filter leaves entries out. */
  narrowed: boolean;
  /**
   * Writes members into the address; undefined takes one out. Everything but another page leads to the first one.
   * `replace` leaves no step behind for the back button: for what is being typed.
   */
  change: (members: Change, options?: { replace?: boolean }) => void;
  /** Takes search and filters out. */
  clear: () => void;
}

const ORDER_AND_PAGE = ['sort', 'direction', 'page', 'size'];

/**
 * The state of the table of this page. `keep` names members of the address that are no filters of the table, such as
 * the open tab.
 */
export function useTable(keep: readonly string[] = []): TableState {
  const values: Values = useSearch({ strict: false });
  const navigate = useNavigate();
  const kept = [...ORDER_AND_PAGE, ...keep];
  const filters = Object.keys(values).filter((name) => !kept.includes(name) && values[name] !== undefined);
  const change = (members: Change, { replace = false } = {}) => {
    const page = 'page' in members ? members.page : undefined;
    void navigate({
      to: '.',
      // The address of whichever page this is: its route checks what it takes from it.
      search: ((before: object) => ({ ...before, ...members, page })) as never,
      replace,
      resetScroll: false,
    });
  };
  return {
    values,
    narrowed: filters.length > 0,
    change,
    clear: () => change(Object.fromEntries(filters.map((name) => [name, undefined]))),
  };
}
