import { queryOptions } from '@tanstack/react-query';
import { isProblem } from './errors.ts';
import { request } from './request.ts';

/** One of the viewer's own sessions. */
export interface OwnSession {
  id: number;
  created_dt: string;
  last_seen_dt: string;
  /** Such as `Firefox on Linux`. */
  browser: string;
  /** From where it was last used; null when that is not known. */
  address: string | null;
  current: boolean;
}

export const ownSessionsQuery = queryOptions({
  queryKey: ['profile', 'sessions'],
  queryFn: async ({ signal }) =>
    (await request<{ data: OwnSession[] }>('GET', '/ui/api/sessions', { signal })).data,
});

/** One that has ended already is as good as ended. */
export async function endSession(id: number): Promise<void> {
  try {
    await request('DELETE', `/ui/api/sessions/${id}`);
  } catch (error) {
    if (!isProblem(error, 404)) throw error;
  }
}

export function endAllSessions(): Promise<void> {
  return request('DELETE', '/ui/api/sessions');
}

export function changePassword(body: { current_password: string; new_password: string }): Promise<void> {
  return request('PUT', '/ui/api/password', { body });
}

export function changeProfile(body: { name: string }): Promise<void> {
  return request('PUT', '/ui/api/profile', { body });
}
