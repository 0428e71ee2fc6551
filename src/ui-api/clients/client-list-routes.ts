import { Type } from 'typebox';
import type { Reader } from '../../database/database.ts';
import type { Routes } from '../../http/routes.ts';
import { toClientRecord } from '../../identity/clients/client-schemas.ts';
import { readStoredScopes } from '../../identity/scopes.ts';
import { ListQuery, listPart, listResponse, SearchText, searchText } from '../list-query.ts';
import { type ListedClient, listClients } from './client-list.ts';
import { CLIENT_SORTS, CLIENT_STATES } from './client-list-choices.ts';

const Query = ListQuery(CLIENT_SORTS, {
  search: SearchText,
  state: Type.Optional(Type.Enum([...CLIENT_STATES])),
});

/** The list of API clients, for administrators with the role admin. */
export function clientListRoutes(routes: Routes, reader: Reader): void {
  routes.get(
    '/ui/api/clients',
    {
      config: { role: 'admin' },
      schema: { hide: true, querystring: Query },
    },
    async (request) => {
      const { search, state } = request.query;
      const part = listPart(request.query, 'name');
      const filter = { search: searchText(search), state: state ?? null };
      return listResponse(await listClients(reader, filter, part), part, toRecord);
    },
  );
}

function toRecord(row: ListedClient) {
  return toClientRecord({
    clientId: row.client_id,
    name: row.name,
    email: row.email,
    scopes: readStoredScopes(row.scopes),
    enabled: row.enabled === 1,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  });
}
