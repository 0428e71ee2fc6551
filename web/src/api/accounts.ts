import type { AccountRecord as Account } from '../../../src/content/accounts/account-schemas.ts';
import type { ContentReference } from '../../../src/events/event.ts';
import type { AccountContent, AccountOverview } from '../../../src/ui-api/content/account-list-routes.ts';
import type { ListResponse } from '../../../src/ui-api/list-query.ts';
import { withQuery } from './addresses.ts';
import { forEditQuery, pageQuery, recordQuery } from './queries.ts';
import { deleteIfPresent, LONG_DELETION_MS, type Read, readRecord, request } from './request.ts';

export type { Account, AccountContent, AccountOverview };

/** Maximum number of assets per addition. */
export const MAX_ADDED_AT_ONCE = 500;

/** All queries about accounts, which are repeated after a change. */
export const accountsKey = ['accounts'] as const;

export const accountListQuery = (query: object) =>
  pageQuery<ListResponse<AccountOverview>>(
    [...accountsKey, 'list', query],
    withQuery('/ui/api/accounts', query),
  );

/** The record with its `ETag`. */
export const accountQuery = (id: number) =>
  recordQuery<Account>([...accountsKey, id, 'record'], `/accounts/${id}`);

/** What an edit starts from. */
export const accountForEditQuery = (id: number) =>
  forEditQuery<Account>([...accountsKey, id, 'record', 'edit'], `/accounts/${id}`);

export const accountContentsQuery = (id: number, query: object) =>
  pageQuery<ListResponse<AccountContent>>(
    [...accountsKey, id, 'contents', query],
    withQuery(`/ui/api/accounts/${id}/contents`, query),
  );

export function createAccount(
  body: { name: string; enabled: boolean },
  idempotencyKey: string,
): Promise<Account> {
  return request('POST', '/accounts', { body, idempotencyKey });
}

/** Rejected (412) if someone else has changed it since `read`. */
export function renameAccount({ record, etag }: Read<Account>, name: string): Promise<Account> {
  const body = { name, enabled: record.enabled };
  return request('PUT', `/accounts/${record.id}`, { body, ifMatch: etag });
}

/** Reads the account and writes it back with only this change. */
export async function setAccountEnabled(id: number, enabled: boolean): Promise<Account> {
  const { record, etag } = await readRecord<Account>(`/accounts/${id}`);
  const body = { name: record.name, enabled };
  return await request('PUT', `/accounts/${id}`, { body, ifMatch: etag });
}

export function deleteAccount(id: number): Promise<void> {
  return deleteIfPresent(`/accounts/${id}`, { deadlineMs: LONG_DELETION_MS });
}

/** Succeeds if someone else has removed it in the meantime. */
export function removeAccountContent(id: number, asset: ContentReference): Promise<void> {
  return deleteIfPresent(`/accounts/${id}/content/${asset.type}/${asset.id}`);
}
