import { queryOptions } from '@tanstack/react-query';
import type { Scope } from '../../../src/identity/scopes.ts';
import { LIST_MS, polling } from './polling.ts';
import { request } from './request.ts';

/** A system that uses the automation API. */
export interface ApiClient {
  client_id: string;
  name: string;
  /** Stands as `user` in the messages of what it causes. */
  email: string;
  scopes: Scope[];
  enabled: boolean;
  created_dt: string;
  /** When it last got a token, to the minute. */
  last_used_dt: string | null;
}

/** With its secret, which is told only in the answer that makes it. */
export type ClientWithSecret = ApiClient & { client_secret: string };

/** What people say of a client. */
export type ClientInput = Pick<ApiClient, 'name' | 'email' | 'scopes'>;

export const clientsQuery = queryOptions({
  queryKey: ['clients'],
  queryFn: async ({ signal }) =>
    (await request<{ data: ApiClient[] }>('GET', '/ui/api/clients', { signal })).data,
  ...polling(LIST_MS),
});

export function createClient(body: ClientInput): Promise<ClientWithSecret> {
  return request('POST', '/ui/api/clients', { body });
}

export function changeClient(id: string, body: ClientInput & { enabled: boolean }): Promise<ApiClient> {
  return request('PUT', `/ui/api/clients/${id}`, { body });
}

export function renewClientSecret(id: string): Promise<ClientWithSecret> {
  return request('POST', `/ui/api/clients/${id}/secret`);
}

export function deleteClient(id: string): Promise<void> {
  return request('DELETE', `/ui/api/clients/${id}`);
}
