import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { withQuery } from './addresses.ts';
import { contentKey } from './folders.ts';
import type { PageOf } from './page-of.ts';
import { LIST_MS, polling } from './polling.ts';
import { readRecord, request } from './request.ts';

/** An equivalent in a list. */
export interface EquivalentOverview {
  id: number;
  name: string;
  folder_id: number;
  location: string;
  languages: string[];
  created_dt: string;
  updated_dt: string;
}

/** An equivalent as it is to be. */
export interface EquivalentInput {
  name: string;
  folder_id: number;
  courses: { course_id: number; language: string }[];
}

/** A course in several languages. */
export interface EquivalentRecord {
  id: number;
  name: string;
  folder_id: number;
  location: string;
  courses: { course_id: number; language: string; name: string }[];
  created_dt: string;
  updated_dt: string;
}

export const equivalentListQuery = (query: object) =>
  queryOptions({
    queryKey: [...contentKey, 'equivalents', 'list', query],
    queryFn: ({ signal }) =>
      request<PageOf<EquivalentOverview>>('GET', withQuery('/ui/api/equivalents', query), { signal }),
    placeholderData: keepPreviousData,
    ...polling(LIST_MS),
  });

export const equivalentQuery = (id: number) =>
  queryOptions({
    queryKey: [...contentKey, 'equivalents', id],
    queryFn: ({ signal }) => readRecord<EquivalentRecord>(`/equivalents/${id}`, signal),
  });

export function createEquivalent(body: EquivalentInput, idempotencyKey: string): Promise<EquivalentRecord> {
  return request('POST', '/equivalents', { body, idempotencyKey });
}

export function updateEquivalent(
  id: number,
  body: EquivalentInput,
  ifMatch: string | null,
): Promise<EquivalentRecord> {
  return request('PUT', `/equivalents/${id}`, { body, ...(ifMatch === null ? {} : { ifMatch }) });
}
