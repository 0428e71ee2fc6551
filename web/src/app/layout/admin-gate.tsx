import { IconLock } from '@tabler/icons-react';
import { Outlet } from '@tanstack/react-router';
import { EmptyState } from '../../components/empty-state.tsx';
import { navigation } from '../../texts/navigation.ts';
import { useIsAdmin } from '../session-context.ts';

/** Shows its content to administrators only. The service itself rejects everyone else. */
export function AdminGate() {
  const isAdmin = useIsAdmin();
  if (isAdmin) return <Outlet />;
  return (
    <EmptyState
      heading="h1"
      icon={IconLock}
      title={navigation.notAllowed.title}
      description={navigation.notAllowed.description}
    />
  );
}
