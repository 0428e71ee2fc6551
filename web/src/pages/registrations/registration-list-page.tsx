import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { PageHeader } from '../../components/page-header.tsx';
import { CreateRegistrationDialog } from '../../components/registrations/create-registration-dialog.tsx';
import { RegistrationTable } from '../../components/registrations/registration-table.tsx';
import { useFormInAddress } from '../../navigation/opened-within.ts';
import { useIsAdmin } from '../../session/session-context.ts';
import { registrations } from '../../texts/registrations.ts';
import { RegisterManyDialog } from './many/register-many-dialog.tsx';

const route = getRouteApi('/app/registrations');

/** All registrations. */
export function RegistrationListPage() {
  const isAdmin = useIsAdmin();
  const { new: registering, account_id: accountId, course_id: courseId } = route.useSearch();
  const { open, close } = useFormInAddress(['new']);
  return (
    <>
      <PageHeader
        title={registrations.title}
        description={registrations.description}
        actions={
          isAdmin && (
            <>
              <Button variant="default" onClick={() => open({ new: 'many' })}>
                {registrations.many.action}
              </Button>
              <Button leftSection={<IconPlus size={16} stroke={1.8} />} onClick={() => open({ new: 'yes' })}>
                {registrations.create.action}
              </Button>
            </>
          )
        }
      />
      <RegistrationTable />
      {isAdmin && (
        <>
          <CreateRegistrationDialog
            accountId={accountId}
            courseId={courseId}
            opened={registering === 'yes'}
            onClose={close}
          />
          <RegisterManyDialog
            accountId={accountId}
            courseId={courseId}
            opened={registering === 'many'}
            onClose={close}
          />
        </>
      )}
    </>
  );
}
