import type {
  ClientRecord as ApiClient,
  ClientWithSecret,
} from '../../../src/identity/clients/client-schemas.ts';
import type { ListResponse } from '../../../src/ui-api/list-query.ts';
import { withQuery } from './addresses.ts';
import { forEditQuery, pageQuery } from './queries.ts';
import { type Read, readRecord, request } from './request.ts';

export type { ApiClient, ClientWithSecret };

/** The editable members of a client. */
export type ClientInput = Pick<ApiClient, 'name' | 'email' | 'scopes'>;

/** All queries about clients, which are repeated after a change. */
export const clientsKey = ['clients'] as const;

export const clientListQuery = (query: object) =>
  pageQuery<ListResponse<ApiClient>>([...clientsKey, 'list', query], withQuery('/ui/api/clients', query));

/** What an edit starts from. */
export const clientForEditQuery = (id: string) =>
  forEditQuery<ApiClient>(['client-for-edit', id], addressOf(id));

/** The current client, with its `ETag`. */
export function readClient(id: string): Promise<Read<ApiClient>> {
  return readRecord(addressOf(id));
}

export function createClient(body: ClientInput, idempotencyKey: string): Promise<ClientWithSecret> {
  return request('POST', '/ui/api/clients', { body, idempotencyKey });
}

/** Changes a client. Rejected (412) if someone else has changed it since `read`. */
export function changeClient(
  { record, etag }: Read<ApiClient>,
  { name, email, scopes }: ClientInput,
): Promise<ApiClient> {
  return replaceClient(record.client_id, { name, email, scopes, enabled: record.enabled }, etag);
}

/** Reads the client and writes it back with only this change. */
export async function setClientEnabled(id: string, enabled: boolean): Promise<ApiClient> {
  const { record, etag } = await readClient(id);
  const { name, email, scopes } = record;
  return await replaceClient(id, { name, email, scopes, enabled }, etag);
}

export function renewClientSecret(id: string): Promise<ClientWithSecret> {
  return request('POST', `${addressOf(id)}/secret`);
}

export function deleteClient(id: string): Promise<void> {
  return request('DELETE', addressOf(id));
}

function replaceClient(
  id: string,
  body: ClientInput & { enabled: boolean },
  etag: string | null,
): Promise<ApiClient> {
  return request('PUT', addressOf(id), { body, ifMatch: etag });
}

function addressOf(id: string): string {
  return `/ui/api/clients/${encodeURIComponent(id)}`;
}
