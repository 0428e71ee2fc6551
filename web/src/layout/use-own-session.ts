import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { MINUTE_MS } from '../../../src/time/units.ts';
import { noteOtherSession } from '../api/own-session.ts';
import { onAnySignIn, type Session, sessionQuery } from '../api/session.ts';
import { account } from '../texts/sign-in.ts';

const texts = account.signIn;
const CHECK_MS = MINUTE_MS;

/**
 * The last session of the person for whom the page was opened, and whether it has ended. It has also ended if someone else
 * has signed in, in another tab: what was entered on this page must not be saved as theirs.
 */
export function useOwnSession(): { session: Session | null; hasEnded: boolean } {
  const queryClient = useQueryClient();
  // A person who returns from another tab may have signed in there.
  const { data } = useQuery({ ...sessionQuery, refetchInterval: CHECK_MS, refetchOnWindowFocus: 'always' });
  const own = useRef<Session>(null);
  const current = data?.signedIn === true ? data.session : null;
  const isOwn = current !== null && isSamePerson(current, own.current ?? current);
  if (isOwn) own.current = current;
  const hasEnded = data !== undefined && !isOwn;
  const isOther = current !== null && !isOwn;
  useEffect(() => {
    noteOtherSession(isOther ? { title: texts.again, detail: texts.againDescription } : null);
    return () => noteOtherSession(null);
  }, [isOther]);
  // A hidden tab does not poll, but its work must not continue under another name.
  useEffect(
    () => onAnySignIn(() => void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey })),
    [queryClient],
  );
  useEffect(() => {
    if (!hasEnded) return;
    // Requests in the meantime were refused, or made as someone else.
    return () => void queryClient.invalidateQueries();
  }, [hasEnded, queryClient]);
  return { session: own.current, hasEnded };
}

function isSamePerson(one: Session, other: Session): boolean {
  return one.administrator.id === other.administrator.id;
}
