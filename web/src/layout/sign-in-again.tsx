import { Anchor, Modal, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { uiBase } from '../api/addresses.ts';
import { type Session, sessionQuery, signedInAs } from '../api/session.ts';
import { SignInForm } from '../components/sign-in-form.tsx';
import { account } from '../texts/sign-in.ts';

/** Mantine's dialogs ignore the Escape key on an element with this attribute. */
const KEEPS_ESCAPE = 'data-mantine-stop-propagation';

/** Asks for the password above the page when the session has ended, so that input on the page is not lost. */
export function SignInAgain({ opened, email }: { opened: boolean; email: string }) {
  const queryClient = useQueryClient();
  const { data } = useQuery({ ...sessionQuery, enabled: false });
  const other = data?.signedIn === true ? data.session.administrator : null;
  const goOn = (session: Session) => {
    queryClient.setQueryData(sessionQuery.queryKey, signedInAs(session));
    // Data that another person has read must be removed.
    if (session.administrator.email !== email) window.location.reload();
  };
  useEffect(() => {
    if (!opened) return;
    // The page itself has the focus after a click outside of the dialog.
    keepEscape(document.body);
    return () => document.body.removeAttribute(KEEPS_ESCAPE);
  }, [opened]);
  return (
    <Modal
      opened={opened}
      onClose={() => {}}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      onFocus={({ target }) => keepEscape(target)}
      title={account.signIn.again}
      size="sm"
      // It is in front of every dialog, and of the menus in them.
      zIndex={400}
    >
      <Stack gap="md">
        <Text c="dimmed" size="sm">
          {other !== null && `${account.signIn.otherPerson(other.name || other.email)} `}
          {account.signIn.againDescription}
        </Text>
        <SignInForm email={email} emailFixed onSignedIn={goOn} />
        <Anchor size="sm" ta="center" href={new URL('sign-in', uiBase()).href}>
          {other === null ? account.signIn.other : account.signIn.continueAs(other.name || other.email)}
        </Anchor>
      </Stack>
    </Modal>
  );
}

/** The dialogs behind would otherwise close, because each of them listens to the keys of the whole window. */
function keepEscape(element: Element): void {
  element.setAttribute(KEEPS_ESCAPE, 'true');
}
