import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import type { ContentType } from '../../../src/events/catalogue.ts';
import type { AddableContent } from '../../../src/ui-api/content/addable-content.ts';
import type { ListResponse } from '../../../src/ui-api/list-query.ts';
import { accountsKey } from './accounts.ts';
import { withQuery } from './addresses.ts';
import { contentKey } from './folders.ts';
import { request } from './request.ts';

export type { AddableContent };

interface AddableFilter {
  /** The account that gets the content; null for an equivalent or a bundle. */
  accountId: number | null;
  types: readonly ContentType[];
  search: string;
  limit: number;
  offset: number;
}

/** Content whose name contains the text or whose id it is, the best matches first. All content if the text is empty. */
const addableContentQuery = ({ accountId, types, ...query }: AddableFilter) =>
  queryOptions({
    queryKey: [...(accountId === null ? contentKey : [...accountsKey, accountId]), 'addable', types, query],
    queryFn: ({ signal }) =>
      request<ListResponse<AddableContent>>(
        'GET',
        withQuery('/ui/api/addable-content', { ...query, types, account_id: accountId }),
        { signal },
      ),
    placeholderData: keepPreviousData,
  });

/** {@link addableContentQuery} as a hook, for the dialog that chooses content. */
export function contentFinder(accountId: number | null) {
  return function useFoundContent(filter: Omit<AddableFilter, 'accountId'>) {
    return useQuery(addableContentQuery({ accountId, ...filter }));
  };
}
