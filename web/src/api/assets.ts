import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import type { FocusType } from '../../../src/events/catalogue.ts';
import type { FoundAsset as Asset } from '../../../src/ui-api/content/asset-search.ts';
import type { ListResponse } from '../../../src/ui-api/list-query.ts';
import { withQuery } from './addresses.ts';
import { request } from './request.ts';

export type { Asset };

/**
 * Assets whose names or ids match a text; the first ones by name if it is empty.
 * @param heldBy only courses and equivalents that this account has, directly or indirectly
 */
export const assetSearchQuery = (types: readonly FocusType[], search: string, heldBy: number | null = null) =>
  queryOptions({
    queryKey: ['assets', 'search', types, search, heldBy],
    queryFn: async ({ signal }) => {
      const path = withQuery('/ui/api/search/assets', {
        types,
        search,
        held_by: heldBy,
      });
      return (await request<{ data: Asset[] }>('GET', path, { signal })).data;
    },
  });

interface ChoiceFilter {
  types: readonly FocusType[];
  search: string;
  limit: number;
  offset: number;
}

/** A page of the same, for the dialog that chooses accounts or content. */
const assetChoicesQuery = (heldBy: number | null, { types, search, limit, offset }: ChoiceFilter) =>
  queryOptions({
    queryKey: ['assets', 'choices', heldBy, types, { search, limit, offset }],
    queryFn: async ({ signal }) => {
      const query = { types, search, limit, offset, held_by: heldBy };
      const page = await request<ListResponse<Asset>>('GET', withQuery('/ui/api/search/assets', query), {
        signal,
      });
      const data = page.data.map((asset) => ({ ...asset, location: asset.location ?? '', held: false }));
      return { ...page, data };
    },
    placeholderData: keepPreviousData,
  });

/** {@link assetChoicesQuery} as a hook. */
export function assetFinder(heldBy: number | null) {
  return function useFoundAssets(filter: ChoiceFilter) {
    return useQuery(assetChoicesQuery(heldBy, filter));
  };
}

/** Maximum number of assets that are read by their ids at once. */
export const MAX_BY_ID = 200;

/** The assets with these ids that exist. */
export const assetsByIdQuery = (assets: readonly { type: FocusType; id: number }[]) =>
  queryOptions({
    // In the form of the address: `COURSE:7`.
    queryKey: ['assets', 'by-id', assets.map(({ type, id }) => `${type}:${id}`)],
    queryFn: async ({ queryKey, signal }) => {
      const path = withQuery('/ui/api/search/assets/by-id', { assets: queryKey[2] });
      return (await request<{ data: Asset[] }>('GET', path, { signal })).data;
    },
    enabled: assets.length > 0,
  });
