import { queryOptions } from '@tanstack/react-query';
import { request } from './request.ts';

/** One of the viewer's own sessions. */
export interface OwnSession {
  id: number;
  created_dt: string;
  last_seen_dt: string;
  /** Such as `Firefox on Linux`; empty when it is not known. */
  browser: string;
  current: boolean;
}

export const ownSessionsQuery = queryOptions({
  queryKey: ['profile', 'sessions'],
  queryFn: async ({ signal }) =>
    (await request<{ data: OwnSession[] }>('GET', '/ui/api/sessions', { signal })).data,
});

export function endAllSessions(): Promise<void> {
  return request('DELETE', '/ui/api/sessions');
}

export function changePassword(body: { current_password: string; new_password: string }): Promise<void> {
  return request('PUT', '/ui/api/password', { body });
}

export function changeProfile(body: { name: string }): Promise<void> {
  return request('PUT', '/ui/api/profile', { body });
}
