import { infiniteQueryOptions, keepPreviousData, type QueryKey, queryOptions } from '@tanstack/react-query';
import { FOR_EDIT } from './for-edit.ts';
import { LIST_MS, polling } from './polling.ts';
import { readRecord, request } from './request.ts';

/** What a list or a chart shows. It stays while another page or period is read. */
export const pageQuery = <Page>(queryKey: QueryKey, path: string, intervalMs = LIST_MS) =>
  queryOptions({
    queryKey,
    queryFn: ({ signal }) => request<Page>('GET', path, { signal }),
    placeholderData: keepPreviousData,
    ...polling(intervalMs),
  });

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

/** The record that a form starts from, with its `ETag`. */
export const forEditQuery = <T>(queryKey: QueryKey, path: string) =>
  queryOptions({ queryKey, queryFn: ({ signal }) => readRecord<T>(path, signal), ...FOR_EDIT });
