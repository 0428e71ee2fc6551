import { queryOptions } from '@tanstack/react-query';
import type { OwnSession } from '../../../src/identity/administrators/session-routes.ts';
import { deleteIfPresent, request } from './request.ts';

export type { OwnSession };

export const ownSessionsQuery = queryOptions({
  queryKey: ['profile', 'sessions'],
  queryFn: async ({ signal }) =>
    (await request<{ data: OwnSession[] }>('GET', '/ui/api/sessions', { signal })).data,
});

/** Succeeds if the session has already ended. */
export function endSession(id: number): Promise<void> {
  return deleteIfPresent(`/ui/api/sessions/${id}`);
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
