import { MAX_LEARNER_ID_LENGTH } from '../../../src/text-lengths.ts';
import { MAX_SEARCH_LENGTH } from '../../../src/ui-api/list-limits.ts';
import { onlyKnown } from './known-search.ts';
import { firstOf, lengthOf } from './length-of.ts';
import { toAddressTime } from './local-time.ts';

/** The order of a list: ascending or descending. */
export type Direction = 'asc' | 'desc';

/** The state of a list in its address. Defaults are omitted, so that addresses stay short. */
export interface TableSearch {
  search?: string;
  sort?: string;
  direction?: Direction;
  /** From 1. */
  page?: number;
  /** Rows per page. */
  size?: number;
}

/** The numbers of rows per page that people can choose. */
export const PAGE_SIZES = [25, 50, 100, 200] as const;
export const DEFAULT_PAGE_SIZE = 50;
/** The service refuses them. Cells that are copied from a spreadsheet have tabs between them. */
const CONTROL_CHARACTERS = /\p{Cc}+/gu;
const MAX_PAGE = 1_000_000;

type Filters = Readonly<Record<string, readonly string[]>>;
type FilterValues<F extends Filters> = { [K in keyof F]?: F[K][number] };

/**
 * Makes the `validateSearch` of a route for a list. Unknown or invalid members are dropped without an error,
 * because people edit addresses. `filters` are choices, `ids` are integers, `texts` are any text, and
 * `times` are times with a time zone.
 */
export function tableSearch<
  const S extends string,
  const F extends Filters,
  const I extends string = never,
  const T extends string = never,
>(options: {
  sorts: readonly S[];
  filters?: F;
  ids?: readonly I[];
  texts?: readonly T[];
  times?: readonly T[];
  /** The maximum number of rows to skip. Later pages show the last reachable one. */
  maxOffset?: number;
}) {
  type Checked = Omit<TableSearch, 'sort'> & { sort?: S } & FilterValues<F> & { [K in I]?: number } & {
      [K in T]?: string;
    };
  return onlyKnown((given): Checked => {
    const chosen: Record<string, unknown> = {};
    const search = firstOf(text(given.search).replace(CONTROL_CHARACTERS, ' ').trim(), MAX_SEARCH_LENGTH);
    if (search !== '') chosen.search = search;
    if ((options.sorts as readonly unknown[]).includes(given.sort)) chosen.sort = given.sort;
    if (given.direction === 'asc' || given.direction === 'desc') chosen.direction = given.direction;
    const size = wholeNumber(given.size);
    if (size !== DEFAULT_PAGE_SIZE && PAGE_SIZES.some((allowed) => allowed === size)) chosen.size = size;
    const page = wholeNumber(given.page);
    const { size: pageSize = DEFAULT_PAGE_SIZE } = chosen as TableSearch;
    const lastPage = options.maxOffset === undefined ? MAX_PAGE : Math.floor(options.maxOffset / pageSize);
    if (page !== null && page > 1 && page <= MAX_PAGE) chosen.page = Math.min(page, lastPage);
    for (const [name, values] of Object.entries(options.filters ?? {})) {
      if (values.includes(text(given[name]))) chosen[name] = given[name];
    }
    for (const name of options.ids ?? []) {
      const id = wholeNumber(given[name]);
      if (id !== null) chosen[name] = id;
    }
    for (const name of options.texts ?? []) {
      const value = text(given[name]);
      if (value !== '' && lengthOf(value) <= MAX_LEARNER_ID_LENGTH) chosen[name] = value;
    }
    for (const name of options.times ?? []) {
      const time = toAddressTime(text(given[name]));
      if (time !== null) chosen[name] = time;
    }
    return chosen as Checked;
  });
}

/** The query for a list of the API, from the address. */
export function listQuery(
  search: { page?: number | undefined; size?: number | undefined } & Record<string, unknown>,
): Record<string, unknown> {
  const { page = 1, size = DEFAULT_PAGE_SIZE, ...others } = search;
  return { ...others, limit: size, offset: (page - 1) * size };
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

function wholeNumber(value: unknown): number | null {
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : null;
}
