import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { BundledType } from '../../../src/content/bundles/bundle.ts';
import type { BundleBody, BundleRecord } from '../../../src/content/bundles/bundle-schemas.ts';
import type { BundleOverview } from '../../../src/ui-api/content/content-list-routes.ts';
import type { ListResponse } from '../../../src/ui-api/list-query.ts';
import { withQuery } from './addresses.ts';
import { contentKey } from './folders.ts';
import { FOR_EDIT } from './for-edit.ts';
import { LIST_MS, polling } from './polling.ts';
import { type Read, readRecord, replaceRecord, request } from './request.ts';

export type { BundledType, BundleOverview, BundleRecord };

/** The body that the form of a bundle sends. */
export type BundleInput = Required<Pick<BundleBody, 'name' | 'folder_id' | 'contents'>>;

export const bundleListQuery = (query: object) =>
  queryOptions({
    queryKey: [...contentKey, 'bundles', 'list', query],
    queryFn: ({ signal }) =>
      request<ListResponse<BundleOverview>>('GET', withQuery('/ui/api/bundles', query), { signal }),
    placeholderData: keepPreviousData,
    ...polling(LIST_MS),
  });

/** The record, for those who only read it. */
export const bundleQuery = (id: number) =>
  queryOptions({
    queryKey: [...contentKey, 'bundles', id],
    queryFn: ({ signal }) => readRecord<BundleRecord>(`/bundles/${id}`, signal),
    ...polling(LIST_MS),
  });

/** What the page of a bundle, which is its form, starts from. */
export const bundleForEditQuery = (id: number) =>
  queryOptions({
    queryKey: [...contentKey, 'bundles', id, 'edit'],
    queryFn: ({ signal }) => readRecord<BundleRecord>(`/bundles/${id}`, signal),
    ...FOR_EDIT,
  });

export function createBundle(body: BundleInput, idempotencyKey: string): Promise<BundleRecord> {
  return request('POST', '/bundles', { body, idempotencyKey });
}

export function updateBundle(
  id: number,
  body: BundleInput,
  ifMatch: string | null,
): Promise<Read<BundleRecord>> {
  return replaceRecord(`/bundles/${id}`, { body, ...(ifMatch === null ? {} : { ifMatch }) });
}
