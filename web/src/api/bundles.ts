import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { withQuery } from './addresses.ts';
import { contentKey } from './folders.ts';
import type { PageOf } from './page-of.ts';
import { LIST_MS, polling } from './polling.ts';
import { readRecord, request } from './request.ts';

/** What a bundle may hold. */
export type BundledType = 'COURSE' | 'EQUIVALENT';

/** A bundle in a list. */
export interface BundleOverview {
  id: number;
  name: string;
  folder_id: number;
  location: string;
  content_count: number;
  created_dt: string;
  updated_dt: string;
}

/** A bundle as it is to be. */
export interface BundleInput {
  name: string;
  folder_id: number;
  contents: { type: BundledType; id: number }[];
}

/** Courses and equivalents that go together. */
export interface BundleRecord {
  id: number;
  name: string;
  folder_id: number;
  location: string;
  contents: { type: BundledType; id: number; name: string }[];
  created_dt: string;
  updated_dt: string;
}

export const bundleListQuery = (query: object) =>
  queryOptions({
    queryKey: [...contentKey, 'bundles', 'list', query],
    queryFn: ({ signal }) =>
      request<PageOf<BundleOverview>>('GET', withQuery('/ui/api/bundles', query), { signal }),
    placeholderData: keepPreviousData,
    ...polling(LIST_MS),
  });

export const bundleQuery = (id: number) =>
  queryOptions({
    queryKey: [...contentKey, 'bundles', id],
    queryFn: ({ signal }) => readRecord<BundleRecord>(`/bundles/${id}`, signal),
  });

export function createBundle(body: BundleInput, idempotencyKey: string): Promise<BundleRecord> {
  return request('POST', '/bundles', { body, idempotencyKey });
}

export function updateBundle(id: number, body: BundleInput, ifMatch: string | null): Promise<BundleRecord> {
  return request('PUT', `/bundles/${id}`, { body, ...(ifMatch === null ? {} : { ifMatch }) });
}
