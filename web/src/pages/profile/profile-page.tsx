import { Stack } from '@mantine/core';
import { PageHeader } from '../../components/page-header.tsx';
import { account } from '../../texts/sign-in.ts';
import { NamePanel } from './name-panel.tsx';
import { PasswordPanel } from './password-panel.tsx';
import { SessionsPanel } from './sessions-panel.tsx';

/** The viewer's name, password and sessions. */
export function ProfilePage() {
  return (
    <>
      <PageHeader title={account.profile.title} />
      <Stack gap="lg" maw="46rem">
        <NamePanel />
        <PasswordPanel />
        <SessionsPanel />
      </Stack>
    </>
  );
}
