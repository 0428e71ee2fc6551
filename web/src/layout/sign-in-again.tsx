import { Anchor, Modal, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { uiBase } from '../api/addresses.ts';
import { type Session, sessionQuery, signedInAs } from '../api/session.ts';
import { SignInForm } from '../components/sign-in-form.tsx';
import { account } from '../texts/sign-in.ts';

/** Asks for the password above the page when the session has ended, so that input on the page is not lost. */
export function SignInAgain({ opened, email }: { opened: boolean; email: string }) {
  const queryClient = useQueryClient();
  const goOn = async (session: Session) => {
    queryClient.setQueryData(sessionQuery.queryKey, signedInAs(session));
    // Data that another person has read must be removed.
    if (session.administrator.email !== email) window.location.reload();
    else await queryClient.invalidateQueries();
  };
  return (
    <Modal
      opened={opened}
      onClose={() => {}}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      title={account.signIn.again}
      size="sm"
      // It is in front of every dialog, and of the menus in them.
      zIndex={400}
    >
      <Stack gap="md">
        <Text c="dimmed" size="sm">
          {account.signIn.againDescription}
        </Text>
        <SignInForm email={email} emailFixed onSignedIn={goOn} />
        <Anchor size="sm" ta="center" href={new URL('sign-in', uiBase()).href}>
          {account.signIn.other}
        </Anchor>
      </Stack>
    </Modal>
  );
}
