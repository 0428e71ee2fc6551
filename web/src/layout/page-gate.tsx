import { IconLock } from '@tabler/icons-react';
import { Outlet, useMatches } from '@tanstack/react-router';
import { EmptyState } from '../components/empty-state.tsx';
import { useMay, useSession } from '../session/session-context.ts';
import { navigation } from '../texts/navigation.ts';

/** Shows the page to those who may open it, and an explanation to others. The service itself rejects them, too. */
export function PageGate() {
  const may = useMay();
  const { role } = useSession().administrator;
  const needs = useMatches({
    select: (matches) =>
      matches.findLast(({ staticData }) => staticData.needs !== undefined)?.staticData.needs,
  });
  if (needs === undefined || may(needs)) return <Outlet />;
  return (
    <EmptyState
      heading="h1"
      icon={IconLock}
      title={navigation.notAllowed.title}
      description={navigation.notAllowed.description(navigation.roles[role])}
    />
  );
}
