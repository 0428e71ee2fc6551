import type {
  EquivalentBody,
  EquivalentRecord,
} from '../../../src/content/equivalents/equivalent-schemas.ts';
import type { EquivalentOverview } from '../../../src/ui-api/content/content-list-routes.ts';
import type { ListResponse } from '../../../src/ui-api/list-query.ts';
import { withQuery } from './addresses.ts';
import { contentKey } from './folders.ts';
import { forEditQuery, pageQuery, recordQuery } from './queries.ts';
import { type Read, replaceRecord, request } from './request.ts';

export type { EquivalentOverview, EquivalentRecord };

/** The body that the form of an equivalent sends. */
export type EquivalentInput = Required<Pick<EquivalentBody, 'name' | 'folder_id' | 'courses'>>;

export const equivalentListQuery = (query: object) =>
  pageQuery<ListResponse<EquivalentOverview>>(
    [...contentKey, 'equivalents', 'list', query],
    withQuery('/ui/api/equivalents', query),
  );

/** The record, for those who only read it. */
export const equivalentQuery = (id: number) =>
  recordQuery<EquivalentRecord>([...contentKey, 'equivalents', id], `/equivalents/${id}`);

/** What the page of an equivalent, which is its form, starts from. */
export const equivalentForEditQuery = (id: number) =>
  forEditQuery<EquivalentRecord>([...contentKey, 'equivalents', id, 'edit'], `/equivalents/${id}`);

export function createEquivalent(body: EquivalentInput, idempotencyKey: string): Promise<EquivalentRecord> {
  return request('POST', '/equivalents', { body, idempotencyKey });
}

export function updateEquivalent(
  id: number,
  body: EquivalentInput,
  ifMatch: string | null,
): Promise<Read<EquivalentRecord>> {
  return replaceRecord(`/equivalents/${id}`, { body, ifMatch });
}
