import { createContext, use } from 'react';
import type { Session } from '../api/session.ts';

/** The session of the pages behind the sign-in; the layout provides it. */
export const SessionContext = createContext<Session | null>(null);

/** Who is signed in, and what the service says of itself. Only on pages behind the sign-in. */
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
