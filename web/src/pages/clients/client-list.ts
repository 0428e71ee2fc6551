import type { ApiClient } from '../../api/clients.ts';
import type { PageOf } from '../../api/page-of.ts';
import { DEFAULT_PAGE_SIZE, type TableSearch } from '../../utilities/table-search.ts';

/** What the list of clients can be ordered by. */
export const CLIENT_SORTS = ['name', 'email', 'last_used', 'created'] as const;
export type ClientSort = (typeof CLIENT_SORTS)[number];

export const CLIENT_STATES = ['enabled', 'disabled'] as const;
export type ClientState = (typeof CLIENT_STATES)[number];

const byText = new Intl.Collator('en', { sensitivity: 'base', numeric: true });

const COMPARISONS: Readonly<Record<ClientSort, (one: ApiClient, other: ApiClient) => number>> = {
  name: (one, other) => byText.compare(one.name, other.name),
  email: (one, other) => byText.compare(one.email, other.email),
  // Those that were never used come before all others.
  last_used: (one, other) => timeOf(one.last_used_dt) - timeOf(other.last_used_dt),
  created: (one, other) => timeOf(one.created_dt) - timeOf(other.created_dt),
};

/** The page of the list that its address asks for. The service answers all clients at once: they are few. */
export function pageOfClients(
  clients: readonly ApiClient[],
  {
    search = '',
    state,
    sort,
    direction,
    page = 1,
    size = DEFAULT_PAGE_SIZE,
  }: TableSearch & { state?: unknown },
): PageOf<ApiClient> {
  const order = CLIENT_SORTS.find((known) => known === sort) ?? 'name';
  const sign = (direction ?? firstDirection(order)) === 'asc' ? 1 : -1;
  const fitting = clients
    .filter((client) => contains(client, search))
    .filter(({ enabled }) => state === undefined || (state === 'enabled') === enabled)
    .sort((one, other) => sign * COMPARISONS[order](one, other) || COMPARISONS.name(one, other));
  const offset = (page - 1) * size;
  return { data: fitting.slice(offset, offset + size), total: fitting.length, limit: size, offset };
}

/** The direction in which an order is chosen first. */
export function firstDirection(sort: ClientSort): 'asc' | 'desc' {
  return sort === 'name' || sort === 'email' ? 'asc' : 'desc';
}

function contains({ name, email, client_id: id }: ApiClient, search: string): boolean {
  const wanted = search.toLowerCase();
  return [name, email, id].some((text) => text.toLowerCase().includes(wanted));
}

function timeOf(time: string | null): number {
  return time === null ? 0 : Date.parse(time);
}
