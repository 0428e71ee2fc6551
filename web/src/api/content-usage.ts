import { queryOptions } from '@tanstack/react-query';
import type { ContentType } from '../../../src/events/catalogue.ts';
import type {
  ContentUsageRecord as ContentUsage,
  UserList,
} from '../../../src/ui-api/content/content-usage-routes.ts';
import { contentKey } from './folders.ts';
import { request } from './request.ts';

export type { ContentType, ContentUsage, UserList };

export const usageQuery = (type: ContentType, id: number) =>
  queryOptions({
    queryKey: [...contentKey, 'usage', type, id],
    queryFn: ({ signal }) => request<ContentUsage>('GET', `/ui/api/usage/${type}/${id}`, { signal }),
  });
