import { Anchor } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { uiBase } from '../api/addresses.ts';
import { sessionQuery } from '../api/session.ts';
import { useReturnFocus } from '../components/use-return-focus.ts';
import { account } from '../texts/sign-in.ts';

/** Later than the first load, which has a goal. */
const LOADED_EVERY_MS = 10_000;
const NOTICE = 'sign-in-elsewhere';

/**
 * The dialog that asks to sign in again. Its code is loaded soon after the page, because an upgrade may have replaced its
 * file once the session has ended. If it still cannot be loaded, a notice has a link that opens the sign-in page in a new tab.
 * @param hasEnded whether the session has ended
 */
export function useSignInAgain(hasEnded: boolean, email: string | undefined): ReactNode {
  const [code, setCode] = useState<typeof import('./sign-in-again.tsx') | null>(null);
  useEffect(() => {
    if (code !== null) return;
    const load = async () => {
      try {
        setCode(await import('./sign-in-again.tsx'));
      } catch {
        if (hasEnded) offerNewTab();
      }
    };
    if (hasEnded) void load();
    const timer = setInterval(() => {
      if (hasEnded || document.visibilityState === 'visible') void load();
    }, LOADED_EVERY_MS);
    return () => clearInterval(timer);
  }, [code, hasEnded]);
  const focused = useFocused();
  useReturnFocus(hasEnded && code !== null, focused);
  const isOffered = hasEnded && code === null;
  useEffect(() => {
    if (!isOffered) notifications.hide(NOTICE);
  }, [isOffered]);
  return hasEnded && code !== null && email !== undefined ? <code.SignInAgain opened email={email} /> : null;
}

/** Returns what last had the focus. A button has lost it already while its action is rejected, because it is disabled. */
function useFocused(): () => Element | null {
  const focused = useRef<Element>(null);
  useEffect(() => {
    const note = ({ target }: FocusEvent) => {
      if (target instanceof Element) focused.current = target;
    };
    document.addEventListener('focusin', note);
    return () => document.removeEventListener('focusin', note);
  }, []);
  return () => focused.current;
}

function offerNewTab(): void {
  notifications.show({
    id: NOTICE,
    title: account.signIn.again,
    message: <NewTab />,
    color: 'red',
    autoClose: false,
    role: 'alert',
  });
}

function NewTab() {
  const { data } = useQuery({ ...sessionQuery, enabled: false });
  const other = data?.signedIn === true ? data.session.administrator : null;
  return (
    <>
      {other !== null &&
        `${account.signIn.otherPerson(other.name || other.email)} ${account.signIn.signOutFirst} `}
      {account.signIn.againDescription}{' '}
      <Anchor size="sm" href={new URL('sign-in', uiBase()).href} target="_blank">
        {account.signIn.newTab}
      </Anchor>
    </>
  );
}
