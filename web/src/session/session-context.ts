import { createContext, use } from 'react';
import type { Session } from '../api/session.ts';

/** The session of pages that require sign-in. The layout provides it. */
export const SessionContext = createContext<Session | null>(null);

/** The signed-in person and facts about the service. Only on pages that require sign-in. */
export function useSession(): Session {
  const session = use(SessionContext);
  if (session === null) throw new Error('there is no session outside the layout');
  return session;
}

/** What a page needs: a scope of the role, or the role admin. */
export type Need = Session['administrator']['scopes'][number] | 'admin';

/** Whether the signed-in person has what a page or an action needs. */
export function useMay(): (need: Need) => boolean {
  const { role, scopes } = useSession().administrator;
  return (need) => (need === 'admin' ? role === 'admin' : scopes.includes(need));
}

/** Whether the signed-in person is an administrator, who may change everything. */
export function useIsAdmin(): boolean {
  return useMay()('admin');
}

/**
 * Whether the signed-in person cannot change webhooks or send messages now: because of the role, or because the
 * webhooks service is disabled.
 */
export function useWebhooksReadOnly(): boolean {
  const { read_only: readOnly } = useSession().service;
  return !useMay()('webhooks:write') || readOnly;
}
