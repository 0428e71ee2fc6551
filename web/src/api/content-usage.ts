import { queryOptions } from '@tanstack/react-query';
import type { ContentType } from '../../../src/events/catalogue.ts';
import { contentKey } from './folders.ts';
import { request } from './request.ts';

export type { ContentType };

interface Count {
  total: number;
  /** There are more than `total`. */
  total_is_lower_bound: boolean;
}

/** Those of one kind that use an asset; the first of them are named. */
export interface UserList extends Count {
  data: { id: number; name: string }[];
}

/** What uses an asset directly, and so keeps it from being deleted. */
export interface ContentUsage {
  accounts: UserList;
  equivalents: UserList;
  bundles: UserList;
  registrations: Count;
}

export const usageQuery = (type: ContentType, id: number) =>
  queryOptions({
    queryKey: [...contentKey, 'usage', type, id],
    queryFn: ({ signal }) => request<ContentUsage>('GET', `/ui/api/usage/${type}/${id}`, { signal }),
  });
