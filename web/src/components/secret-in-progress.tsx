import { ModalStackContext } from '@mantine/core';
import { useContext, useState } from 'react';
import { viewIn } from '../navigation/view-in.ts';
import { shared } from '../texts/shared.ts';
import { UnsavedChanges } from './unsaved-changes.tsx';

/**
 * Asks before the page is left while the service makes a secret. Its response, which alone contains the secret, would
 * be lost. The page stays to show the secret if it arrives before someone answers.
 */
export function SecretInProgress({ when }: { when: boolean }) {
  const isInStack = useContext(ModalStackContext) !== null;
  return (
    <UnsavedChanges
      when={when}
      question={shared.secret.making}
      isShownIn={viewIn}
      staysAfter
      // The dialog that has sent the request may still be open. A stack has its own order.
      above={isInStack ? 'modal' : 'popover'}
    />
  );
}

/** Follows a request for a secret, and returns it. */
export type FollowSecret = <T>(request: Promise<T>) => Promise<T>;

/** Follows requests for secrets, even those whose dialog was closed. */
export function useSecretRequests(): { isAny: boolean; follow: FollowSecret } {
  const [count, setCount] = useState(0);
  return {
    isAny: count > 0,
    follow: async (request) => {
      setCount((before) => before + 1);
      try {
        return await request;
      } finally {
        setCount((before) => before - 1);
      }
    },
  };
}
