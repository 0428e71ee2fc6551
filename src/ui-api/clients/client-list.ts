import { sql } from 'kysely';
import type { Reader } from '../../database/database.ts';
import type { ApiClientRow } from '../../database/schema.ts';
import type { Listed, ListPart } from '../list-query.ts';
import { nameHolds, nameKey } from '../name-search.ts';
import { readList } from '../read-list.ts';
import type { ClientSort, ClientState } from './client-list-choices.ts';

/** Filters of the list of API clients, all of which must match. Null members are ignored. */
export interface ClientFilter {
  /** Part of the name, the e-mail address or the client id. */
  search: string | null;
  state: ClientState | null;
}

/** An API client without its secret's hash. */
export type ListedClient = Omit<ApiClientRow, 'secret_hash' | 'token_generation' | 'revision'>;

const COLUMNS = [
  'api_clients.client_id',
  'api_clients.name',
  'api_clients.email',
  'api_clients.scopes',
  'api_clients.enabled',
  'api_clients.created_at',
  'api_clients.last_used_at',
] as const;

/** A page of the matching API clients. */
export async function listClients(
  reader: Reader,
  { search, state }: ClientFilter,
  part: ListPart<ClientSort>,
): Promise<Listed<ListedClient>> {
  const { dialect } = reader;
  let filtered = reader.query.selectFrom('api_clients');
  if (search !== null) {
    filtered = filtered.where((eb) =>
      eb.or([
        nameHolds(dialect, 'api_clients.name', search),
        nameHolds(dialect, 'api_clients.email', search),
        nameHolds(dialect, 'api_clients.client_id', search),
      ]),
    );
  }
  if (state !== null) filtered = filtered.where('api_clients.enabled', '=', state === 'enabled' ? 1 : 0);
  const order = { by: orderOf(reader, part.sort), id: sql<string>`api_clients.client_id` };
  return await readList(filtered.select(COLUMNS), filtered, order, part);
}

function orderOf({ dialect }: Reader, sort: ClientSort) {
  switch (sort) {
    case 'name':
      return nameKey(dialect, 'api_clients.name');
    case 'email':
      return nameKey(dialect, 'api_clients.email');
    case 'last_used':
      // The engines sort null differently. Clients that were never used come first.
      return sql`coalesce(api_clients.last_used_at, 0)`;
    case 'created':
      return sql`api_clients.created_at`;
  }
}
