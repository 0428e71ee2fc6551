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

/** Whether the viewer may change things. */
export function useIsAdmin(): boolean {
  return useSession().administrator.role === 'admin';
}

/** Whether webhooks can be edited and deleted by the viewer now. */
export function useWebhooksReadOnly(): boolean {
  return useSession().service.read_only;
}
