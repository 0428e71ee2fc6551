import { queryOptions } from '@tanstack/react-query';
import type { Role } from '../../../src/identity/administrators/roles.ts';
import type {
  Invitation,
  SessionRecord as Session,
} from '../../../src/identity/administrators/session-routes.ts';
import { MINUTE_MS } from '../../../src/time/units.ts';
import { isUnauthorized } from './errors.ts';
import { request } from './request.ts';

export type { Invitation, Role, Session };

/** Who uses this browser. `setupRequired` means that the service has no administrator yet. */
export type SessionState = { signedIn: true; session: Session } | { signedIn: false; setupRequired: boolean };

/** The cached state after signing in. */
export function signedInAs(session: Session): SessionState {
  return { signedIn: true, session };
}

/** The cached state after the session has ended. */
export const signedOut: SessionState = { signedIn: false, setupRequired: false };

const CHECKED_EVERY_MS = MINUTE_MS;

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }): Promise<SessionState> => {
    try {
      return { signedIn: true, session: await request<Session>('GET', '/ui/api/session', { signal }) };
    } catch (error) {
      if (!isUnauthorized(error)) throw error;
      return { signedIn: false, setupRequired: error.members.setup_required === true };
    }
  },
  staleTime: CHECKED_EVERY_MS,
});

const CHANNEL = 'coursewire-session';

/**
 * Calls `listener` whenever someone has signed in in this browser, in this tab or another one, even while this one is
 * hidden. Returns a function that ends that.
 */
export function onAnySignIn(listener: () => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = listener;
  return () => channel.close();
}

function notifyTabs(session: Session): Session {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(null);
  channel.close();
  return session;
}

export async function signIn(credentials: { email: string; password: string }): Promise<Session> {
  return notifyTabs(await request<Session>('POST', '/ui/api/session', { body: credentials }));
}

export function signOut(): Promise<void> {
  return request('DELETE', '/ui/api/session');
}

export const invitationQuery = (token: string) =>
  queryOptions({
    queryKey: ['invitation', token],
    queryFn: ({ signal }) => request<Invitation>('POST', '/ui/api/setup/link', { body: { token }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

export async function acceptInvitation(body: {
  token: string;
  email: string;
  name: string;
  password: string;
}): Promise<Session> {
  return notifyTabs(await request<Session>('POST', '/ui/api/setup', { body }));
}
