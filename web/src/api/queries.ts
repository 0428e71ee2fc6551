import { infiniteQueryOptions, keepPreviousData, type QueryKey, queryOptions } from '@tanstack/react-query';
import { LIST_MS, LIVE_MS, polling } from './polling.ts';
import { readRecord, request } from './request.ts';

/** A page of a list that has only cursors: its API links to the next page only. */
export interface CursorPage<T> {
  data: T[];
  /** Null on the last page. */
  next_cursor: string | null;
}

/** Data that is shown, and refreshed while it is. */
export const liveQuery = <T>(queryKey: QueryKey, path: string, intervalMs = LIVE_MS) =>
  queryOptions({
    queryKey,
    queryFn: ({ signal }) => request<T>('GET', path, { signal }),
    ...polling(intervalMs),
  });

/** What a list or a chart shows. It stays while another page or period is read. */
export const pageQuery = <Page>(queryKey: QueryKey, path: string, intervalMs = LIST_MS) =>
  queryOptions({ ...liveQuery<Page>(queryKey, path, intervalMs), placeholderData: keepPreviousData });

/** The pages of a list that were requested. @param pathOf returns the path of the page at a cursor */
export const pagesQuery = <Page extends { next_cursor: string | null }>(
  queryKey: QueryKey,
  pathOf: (cursor: string | null) => string,
  intervalMs = LIST_MS,
) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) => request<Page>('GET', pathOf(pageParam), { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    ...polling(intervalMs),
  });

/** A record with its `ETag`. */
export const recordQuery = <T>(queryKey: QueryKey, path: string, intervalMs = LIST_MS) =>
  queryOptions({ queryKey, queryFn: ({ signal }) => readRecord<T>(path, signal), ...polling(intervalMs) });

/** Options of a query that a form starts from: read when the form opens, and not again while it is open. */
export const FOR_EDIT = {
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: 0,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
} as const;

/** The record that a form starts from, with its `ETag`. */
export const forEditQuery = <T>(queryKey: QueryKey, path: string) =>
  queryOptions({ queryKey, queryFn: ({ signal }) => readRecord<T>(path, signal), ...FOR_EDIT });
