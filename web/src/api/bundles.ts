import type { BundledType } from '../../../src/content/bundles/bundle.ts';
import type { BundleBody, BundleRecord } from '../../../src/content/bundles/bundle-schemas.ts';
import type { BundleOverview } from '../../../src/ui-api/content/content-list-routes.ts';
import type { ListResponse } from '../../../src/ui-api/list-query.ts';
import { withQuery } from './addresses.ts';
import { contentKey } from './folders.ts';
import { forEditQuery, pageQuery, recordQuery } from './queries.ts';
import { type Read, replaceRecord, request } from './request.ts';

export type { BundledType, BundleOverview, BundleRecord };

/** The body that the form of a bundle sends. */
export type BundleInput = Required<Pick<BundleBody, 'name' | 'folder_id' | 'contents'>>;

export const bundleListQuery = (query: object) =>
  pageQuery<ListResponse<BundleOverview>>(
    [...contentKey, 'bundles', 'list', query],
    withQuery('/ui/api/bundles', query),
  );

/** The record, for those who only read it. */
export const bundleQuery = (id: number) =>
  recordQuery<BundleRecord>([...contentKey, 'bundles', id], `/bundles/${id}`);

/** What the page of a bundle, which is its form, starts from. */
export const bundleForEditQuery = (id: number) =>
  forEditQuery<BundleRecord>([...contentKey, 'bundles', id, 'edit'], `/bundles/${id}`);

export function createBundle(body: BundleInput, idempotencyKey: string): Promise<BundleRecord> {
  return request('POST', '/bundles', { body, idempotencyKey });
}

export function updateBundle(
  id: number,
  body: BundleInput,
  ifMatch: string | null,
): Promise<Read<BundleRecord>> {
  return replaceRecord(`/bundles/${id}`, { body, ifMatch });
}
