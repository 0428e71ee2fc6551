import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type {
  EquivalentBody,
  EquivalentRecord,
} from '../../../src/content/equivalents/equivalent-schemas.ts';
import type { EquivalentOverview } from '../../../src/ui-api/content/content-list-routes.ts';
import type { ListResponse } from '../../../src/ui-api/list-query.ts';
import { withQuery } from './addresses.ts';
import { contentKey } from './folders.ts';
import { FOR_EDIT } from './for-edit.ts';
import { LIST_MS, polling } from './polling.ts';
import { type Read, readRecord, replaceRecord, request } from './request.ts';

export type { EquivalentOverview, EquivalentRecord };

/** The body that the form of an equivalent sends. */
export type EquivalentInput = Required<Pick<EquivalentBody, 'name' | 'folder_id' | 'courses'>>;

export const equivalentListQuery = (query: object) =>
  queryOptions({
    queryKey: [...contentKey, 'equivalents', 'list', query],
    queryFn: ({ signal }) =>
      request<ListResponse<EquivalentOverview>>('GET', withQuery('/ui/api/equivalents', query), { signal }),
    placeholderData: keepPreviousData,
    ...polling(LIST_MS),
  });

/** The record, for those who only read it. */
export const equivalentQuery = (id: number) =>
  queryOptions({
    queryKey: [...contentKey, 'equivalents', id],
    queryFn: ({ signal }) => readRecord<EquivalentRecord>(`/equivalents/${id}`, signal),
    ...polling(LIST_MS),
  });

/** What the page of an equivalent, which is its form, starts from. */
export const equivalentForEditQuery = (id: number) =>
  queryOptions({
    queryKey: [...contentKey, 'equivalents', id, 'edit'],
    queryFn: ({ signal }) => readRecord<EquivalentRecord>(`/equivalents/${id}`, signal),
    ...FOR_EDIT,
  });

export function createEquivalent(body: EquivalentInput, idempotencyKey: string): Promise<EquivalentRecord> {
  return request('POST', '/equivalents', { body, idempotencyKey });
}

export function updateEquivalent(
  id: number,
  body: EquivalentInput,
  ifMatch: string | null,
): Promise<Read<EquivalentRecord>> {
  return replaceRecord(`/equivalents/${id}`, { body, ...(ifMatch === null ? {} : { ifMatch }) });
}
