import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type {
  AccountWithContentRecord as AccountWithContent,
  ManyAccountsRecord,
} from '../../../src/content/account-content/account-content-schemas.ts';
import type { ContentReference } from '../../../src/events/event.ts';
import type { AddableAccount } from '../../../src/ui-api/content/addable-accounts-routes.ts';
import type { ListResponse } from '../../../src/ui-api/list-query.ts';
import { accountsKey } from './accounts.ts';
import { withQuery } from './addresses.ts';
import { isProblem } from './errors.ts';
import { type CursorPage, pagesQuery } from './queries.ts';
import { newIdempotencyKey, request } from './request.ts';

export type { AccountWithContent, AddableAccount };

/** Maximum number of accounts to select at once. */
export const MAX_ACCOUNTS_AT_ONCE = 2_000;
/** Maximum number of account-asset pairs per request: few enough for visible progress. */
const PAIRS_PER_STEP = 500;
const ACCOUNTS_PER_STEP = 500;
const ACCOUNTS_PER_PAGE = 25;

/**
 * Accounts whose name contains the text, or whose id equals it. With `content`, they state whether they have it
 * directly.
 */
export const addableAccountsQuery = ({
  content,
  ...query
}: {
  content: ContentReference | null;
  search: string;
  limit: number;
  offset: number;
}) =>
  queryOptions({
    queryKey: [...accountsKey, 'addable', content, query],
    queryFn: ({ signal }) =>
      request<ListResponse<AddableAccount>>(
        'GET',
        withQuery('/ui/api/addable-accounts', {
          ...query,
          content_type: content?.type,
          content_id: content?.id,
        }),
        { signal },
      ),
    placeholderData: keepPreviousData,
  });

const accountsWithPath = ({ type, id }: ContentReference, cursor: string | null, limit: number) =>
  withQuery(`/content/${type}/${id}/accounts`, { limit, cursor });

/** A page of the accounts that have an asset, and how they have it. */
export function readAccountsWith(
  asset: ContentReference,
  cursor: string | null,
  limit: number,
): Promise<CursorPage<AccountWithContent>> {
  return request('GET', accountsWithPath(asset, cursor, limit));
}

/** The accounts that have an asset, and how they have it, page by page. */
export const accountsWithQuery = ({ type, id }: ContentReference) =>
  pagesQuery<CursorPage<AccountWithContent>>([...accountsKey, 'with', type, id], (cursor) =>
    accountsWithPath({ type, id }, cursor, ACCOUNTS_PER_PAGE),
  );

/** The result of a change of many accounts. */
export interface ManyAccountsResult {
  /** The number of accounts that were processed. Fewer than given if it was stopped. */
  accounts: number;
  /** The number of additions or removals, one for each account and asset. */
  changed: number;
  unchanged: number;
}

/**
 * Adds content to many accounts, or removes it. Each step is one transaction. If a step exceeds the limit of the service,
 * it and the following ones have fewer accounts. `signal` stops it after the current step.
 * After an error, the same call continues, and counts what was already done as `unchanged`.
 */
export async function changeManyAccounts(
  act: 'add' | 'remove',
  accountIds: readonly number[],
  contents: readonly ContentReference[],
  { signal, onStep }: { signal: AbortSignal; onStep: (done: number) => void },
): Promise<ManyAccountsResult> {
  let size = Math.max(1, Math.min(ACCOUNTS_PER_STEP, Math.floor(PAIRS_PER_STEP / contents.length)));
  const result: ManyAccountsResult = { accounts: 0, changed: 0, unchanged: 0 };
  while (result.accounts < accountIds.length && !signal.aborted) {
    const ids = accountIds.slice(result.accounts, result.accounts + size);
    const data = await changeAccounts(act, ids, contents);
    if (data === null) {
      size = Math.ceil(ids.length / 2);
      continue;
    }
    for (const { changed, unchanged } of data) {
      result.changed += changed.length;
      result.unchanged += unchanged.length;
    }
    result.accounts += ids.length;
    onStep(result.accounts);
  }
  return result;
}

/**
 * One step. The service counts what is in folders for each account, and only the service knows its limit.
 * @returns null if fewer accounts may be within the limit. Nothing was changed then.
 */
async function changeAccounts(
  act: 'add' | 'remove',
  accountIds: readonly number[],
  contents: readonly ContentReference[],
): Promise<ManyAccountsRecord['data'] | null> {
  try {
    const { data } = await request<ManyAccountsRecord>('POST', `/account-content/${act}`, {
      body: { account_ids: accountIds, contents: contents.map(({ type, id }) => ({ type, id })) },
      idempotencyKey: newIdempotencyKey(),
    });
    return data;
  } catch (error) {
    if (accountIds.length > 1 && isProblem(error, 'limit-reached')) return null;
    throw error;
  }
}
