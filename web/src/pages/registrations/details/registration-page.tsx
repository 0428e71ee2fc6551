import { Menu } from '@mantine/core';
import { IconCertificateOff, IconRotate, IconTrash } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { assetsByIdQuery } from '../../../api/assets.ts';
import { courseQuery } from '../../../api/courses.ts';
import {
  deleteRegistration,
  type Registration,
  type RegistrationWithUnits,
  registrationQuery,
  registrationsKey,
  resetRegistration,
} from '../../../api/registrations.ts';
import type { Read } from '../../../api/request.ts';
import { ChangesPanel } from '../../../components/audit/changes-panel.tsx';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { EventsPanel } from '../../../components/events/events-panel.tsx';
import { AnchorLink } from '../../../components/links.tsx';
import { MoreMenu } from '../../../components/more-menu.tsx';
import { notifyDone } from '../../../components/notify.tsx';
import { PageHeader } from '../../../components/page-header.tsx';
import { RegistrationState } from '../../../components/registrations/registration-state.tsx';
import { Unread } from '../../../components/unread.tsx';
import { useFormMutation } from '../../../components/use-form-mutation.ts';
import { useIsMissing } from '../../../components/use-is-missing.ts';
import { usePageName } from '../../../navigation/page-name.ts';
import { useLeave } from '../../../navigation/use-leave.ts';
import { useIsAdmin } from '../../../session/session-context.ts';
import { registrations } from '../../../texts/registrations.ts';
import { HistoryPanel } from '../learning/history-panel.tsx';
import { StatementsPanel } from '../learning/statements-panel.tsx';
import { UnitsPanel } from '../learning/units-panel.tsx';
import styles from '../registrations.module.css';
import { FactsPanel } from './facts-panel.tsx';
import { LaunchPanel } from './launch-panel.tsx';
import { StatusPanel } from './status-panel.tsx';

const route = getRouteApi('/app/registrations/$registrationId');
const texts = registrations.details;

/** A learner's registration: the results, and links into the course. */
export function RegistrationPage() {
  const { registrationId } = route.useParams();
  const read = useQuery(registrationQuery(registrationId));
  const { data } = read;
  if (useIsMissing(registrationId, read)) return <MissingRegistration />;
  if (data !== undefined) return <Details key={registrationId} read={data} />;
  return <Unread query={read} />;
}

function Details({ read }: { read: Read<RegistrationWithUnits> }) {
  const { record } = read;
  const isAdmin = useIsAdmin();
  const named = useQuery(
    assetsByIdQuery([
      { type: 'ACCOUNT', id: record.account_id },
      { type: 'COURSE', id: record.course_id },
      ...(record.equivalent_id === null ? [] : [{ type: 'EQUIVALENT' as const, id: record.equivalent_id }]),
    ]),
  );
  const nameOf = (type: 'ACCOUNT' | 'COURSE' | 'EQUIVALENT') =>
    named.data?.find((asset) => asset.type === type)?.name;
  const names = {
    account: nameOf('ACCOUNT') ?? registrations.unknownAccount(record.account_id),
    course: nameOf('COURSE') ?? registrations.unknownCourse(record.course_id),
    equivalent: nameOf('EQUIVALENT') ?? null,
  };
  const { equivalent_id: equivalentId } = record;
  // Until a language is chosen, the record has the first course of the equivalent. It stays if the equivalent is deleted.
  const isUndecided =
    equivalentId !== null &&
    record.language === null &&
    (named.data === undefined || names.equivalent !== null);
  const subject = isUndecided
    ? (names.equivalent ?? registrations.unknownEquivalent(equivalentId))
    : names.course;
  // The standard of a version never changes.
  const course = useQuery({ ...courseQuery(record.course_id), refetchInterval: false });
  const version = course.data?.record.versions.find(({ version_id: id }) => id === record.version_id);
  const standard = version?.learning_standard ?? null;
  usePageName(record.learner_id);
  return (
    <>
      <PageHeader
        title={<bdi className={styles.wrapped}>{record.learner_id}</bdi>}
        back={{ link: { to: '/registrations' }, label: registrations.title }}
        badges={<RegistrationState registration={record} />}
        description={
          <>
            <bdi>{subject}</bdi> · <bdi>{names.account}</bdi>
          </>
        }
        actions={isAdmin && <RegistrationMenu registration={record} />}
      />
      <div className={styles.columns}>
        <div className={styles.side}>
          <StatusPanel read={read} />
          {!isUndecided && <UnitsPanel registration={record} />}
          <HistoryPanel registration={record} />
          <EventsPanel about={{ registration_id: record.registration_id }} />
          <ChangesPanel type="REGISTRATION" id={record.registration_id} />
          {!course.isPending && (
            <StatementsPanel
              registrationId={record.registration_id}
              standard={isUndecided ? null : standard}
            />
          )}
        </div>
        <div className={styles.side}>
          {isAdmin && <LaunchPanel registration={record} />}
          <FactsPanel registration={record} names={names} isUndecided={isUndecided} />
        </div>
      </div>
    </>
  );
}

function RegistrationMenu({ registration }: { registration: Registration }) {
  const queryClient = useQueryClient();
  const leave = useLeave();
  const [asking, setAsking] = useState(false);
  const [resetting, setResetting] = useState(false);
  const { registration_id: id, learner_id: learner } = registration;
  const remove = useFormMutation(
    {
      mutationFn: () => deleteRegistration(id),
      onSuccess: async () => {
        notifyDone(registrations.remove.done);
        await leave({ to: '/registrations', ignoreBlocker: true });
        await queryClient.invalidateQueries({ queryKey: registrationsKey });
      },
    },
    asking,
  );
  const reset = useFormMutation(
    {
      mutationFn: () => resetRegistration(id),
      onSuccess: async () => {
        notifyDone(registrations.reset.done);
        setResetting(false);
        await queryClient.invalidateQueries({ queryKey: registrationsKey });
      },
    },
    resetting,
  );
  return (
    <>
      <MoreMenu label={texts.menu} iconSize={18}>
        <Menu.Item
          leftSection={<IconRotate size={16} stroke={1.6} />}
          onClick={() => {
            reset.reset();
            setResetting(true);
          }}
        >
          {texts.reset}
        </Menu.Item>
        <Menu.Item
          color="red"
          leftSection={<IconTrash size={16} stroke={1.6} />}
          onClick={() => {
            remove.reset();
            setAsking(true);
          }}
        >
          {texts.remove}
        </Menu.Item>
      </MoreMenu>
      <ConfirmDialog
        opened={resetting}
        title={registrations.reset.title(learner)}
        confirmLabel={registrations.reset.confirm}
        pending={reset.isPending}
        error={reset.error}
        onConfirm={() => {
          if (!reset.isPending) reset.mutate();
        }}
        onClose={() => setResetting(false)}
      >
        {registrations.reset.description}
      </ConfirmDialog>
      <ConfirmDialog
        opened={asking}
        title={registrations.remove.title(learner)}
        confirmLabel={registrations.remove.confirm}
        pending={remove.isPending}
        error={remove.error}
        onConfirm={() => {
          if (!remove.isPending) remove.mutate();
        }}
        onClose={() => setAsking(false)}
      >
        {registrations.remove.description}
      </ConfirmDialog>
    </>
  );
}

function MissingRegistration() {
  return (
    <EmptyState
      heading="h1"
      icon={IconCertificateOff}
      title={registrations.missing.title}
      description={registrations.missing.description}
      action={<AnchorLink to="/registrations">{registrations.missing.action}</AnchorLink>}
    />
  );
}
