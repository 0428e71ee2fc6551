import { queryOptions } from '@tanstack/react-query';
import type { OneTimeLink } from '../../../src/identity/administrators/administrator-routes.ts';
import type { AdministratorRecord as Administrator } from '../../../src/identity/administrators/administrator-schemas.ts';
import { request } from './request.ts';
import type { Role } from './session.ts';

export type { Administrator, OneTimeLink };

export const administratorsQuery = queryOptions({
  queryKey: ['administrators'],
  queryFn: async ({ signal }) =>
    (await request<{ data: Administrator[] }>('GET', '/ui/api/administrators', { signal })).data,
});

/** Someone who was invited before and has not signed in gets a new link. The former one becomes invalid. */
export function inviteAdministrator(body: {
  email: string;
  role: Role;
}): Promise<Administrator & OneTimeLink> {
  return request('POST', '/ui/api/administrators', { body });
}

/** Creates a link for an administrator. Earlier links become invalid. */
export function makeLink(id: number): Promise<OneTimeLink> {
  return request('POST', `/ui/api/administrators/${id}/link`);
}

export function changeAdministrator(
  id: number,
  body: { role?: Role; enabled?: boolean; name?: string | null },
): Promise<Administrator> {
  return request('PUT', `/ui/api/administrators/${id}`, { body });
}

export function deleteAdministrator(id: number): Promise<void> {
  return request('DELETE', `/ui/api/administrators/${id}`);
}
