import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type {
  AccountWithContentRecord as AccountWithContent,
  ManyAccountsRecord,
} from '../../../src/content/account-content/account-content-schemas.ts';
import type { ContentReference } from '../../../src/events/event.ts';
import type { AddableAccount } from '../../../src/ui-api/content/addable-accounts-routes.ts';
import type { ListAnswer } from '../../../src/ui-api/list-query.ts';
import { accountsKey } from './accounts.ts';
import { withQuery } from './addresses.ts';
import { LIST_MS, polling } from './polling.ts';
import { newIdempotencyKey, request } from './request.ts';

export type { AccountWithContent, AddableAccount };

/** Maximum number of accounts to select at once. */
export const MAX_ACCOUNTS_AT_ONCE = 2_000;
/** Accounts times assets of a request: few enough for quick progress. */
const PAIRS_PER_STEP = 500;
const ACCOUNTS_PER_STEP = 500;
const ACCOUNTS_PER_PAGE = 25;

/** Accounts whose name contains the text or whose id it is. With `content`, they say whether they have it directly. */
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
      request<ListAnswer<AddableAccount>>(
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

/** The accounts that have an asset, and through what, page by page. */
export const accountsWithQuery = ({ type, id }: ContentReference) =>
  infiniteQueryOptions({
    queryKey: [...accountsKey, 'with', type, id],
    queryFn: ({ pageParam, signal }) =>
      request<{ data: AccountWithContent[]; next_cursor: string | null }>(
        'GET',
        withQuery(`/content/${type}/${id}/accounts`, {
          limit: ACCOUNTS_PER_PAGE,
          ...(pageParam === null ? {} : { cursor: pageParam }),
        }),
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    ...polling(LIST_MS),
  });

/** What a change of many accounts did. */
export interface ManyAccountsResult {
  /** How often something was added or removed: once for each account and asset. */
  changed: number;
  unchanged: number;
}

/**
 * Adds content to many accounts, or removes it: in steps, each in one transaction. A step that has started is finished
 * when `signal` stops it. After an error, the same call continues: what was done before is `unchanged`.
 */
export async function changeManyAccounts(
  act: 'add' | 'remove',
  accountIds: readonly number[],
  contents: readonly ContentReference[],
  { signal, onStep }: { signal: AbortSignal; onStep: (done: number) => void },
): Promise<ManyAccountsResult> {
  const size = Math.max(1, Math.min(ACCOUNTS_PER_STEP, Math.floor(PAIRS_PER_STEP / contents.length)));
  const result: ManyAccountsResult = { changed: 0, unchanged: 0 };
  for (let from = 0; from < accountIds.length && !signal.aborted; from += size) {
    const ids = accountIds.slice(from, from + size);
    const { data } = await request<ManyAccountsRecord>('POST', `/account-content/${act}`, {
      body: { account_ids: ids, contents: contents.map(({ type, id }) => ({ type, id })) },
      idempotencyKey: newIdempotencyKey(),
    });
    for (const { changed, unchanged } of data) {
      result.changed += changed.length;
      result.unchanged += unchanged.length;
    }
    onStep(from + ids.length);
  }
  return result;
}
