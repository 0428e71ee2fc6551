import { queryOptions } from '@tanstack/react-query';
import { request } from './request.ts';
import type { Role } from './session.ts';

/** Someone who may sign in, or was invited to. */
export interface Administrator {
  id: number;
  email: string;
  /** Null until the administrator tells it. */
  name: string | null;
  role: Role;
  enabled: boolean;
  /** Whether the invitation was not taken up yet. */
  invited: boolean;
  created_dt: string;
  /** The last time with a password. */
  last_sign_in_dt: string | null;
}

/** A one-time link to set a password with, which is told only once. */
export interface OneTimeLink {
  invitation_url: string;
  invitation_expires_dt: string;
}

export const administratorsQuery = queryOptions({
  queryKey: ['administrators'],
  queryFn: async ({ signal }) =>
    (await request<{ data: Administrator[] }>('GET', '/ui/api/administrators', { signal })).data,
});

/** Someone who was invited before and has not come yet gets a new link; the former one ends. */
export function inviteAdministrator(body: {
  email: string;
  role: Role;
}): Promise<Administrator & OneTimeLink> {
  return request('POST', '/ui/api/administrators', { body });
}

/** A new link for an administrator; links made before end. */
export function makeLink(id: number): Promise<OneTimeLink> {
  return request('POST', `/ui/api/administrators/${id}/link`);
}

export function changeAdministrator(
  id: number,
  body: { role: Role; enabled: boolean; name: string | null },
): Promise<Administrator> {
  return request('PUT', `/ui/api/administrators/${id}`, { body });
}

export function deleteAdministrator(id: number): Promise<void> {
  return request('DELETE', `/ui/api/administrators/${id}`);
}
