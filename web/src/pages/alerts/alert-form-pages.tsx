import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import {
  type Alert,
  type AlertConfiguration,
  alertForEditQuery,
  alertsKey,
  createAlert,
  updateAlert,
} from '../../api/alerts.ts';
import { isOutdated } from '../../api/errors.ts';
import { type Read, readRecord } from '../../api/request.ts';
import { Callout } from '../../components/callout.tsx';
import { notifyDone } from '../../components/notify.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Unread } from '../../components/unread.tsx';
import { useFormMutation } from '../../components/use-form-mutation.ts';
import { useIdempotencyKey } from '../../components/use-idempotency-key.ts';
import { useLeave } from '../../navigation/use-leave.ts';
import { alerts } from '../../texts/alerts.ts';
import { shared } from '../../texts/shared.ts';
import { alertChanges } from './alert-changes.ts';
import { draftOf, newDraft } from './alert-draft.ts';
import { AlertForm } from './alert-form.tsx';
import styles from './alerts.module.css';

const texts = alerts.form;
const route = getRouteApi('/app/admin/administration/alerts/$alertId/edit');

/** Creating an alert rule. */
export function CreateAlertPage() {
  const leave = useLeave();
  const queryClient = useQueryClient();
  const [initial] = useState(newDraft);
  const keyFor = useIdempotencyKey();
  const create = useFormMutation({
    mutationFn: (configuration: AlertConfiguration) => createAlert(configuration, keyFor(configuration)),
    onSuccess: async ({ id, name }) => {
      notifyDone(texts.created(name));
      await queryClient.invalidateQueries({ queryKey: alertsKey });
      await leave({ to: '/administration/alerts/$alertId', params: { alertId: id }, ignoreBlocker: true });
    },
  });
  return (
    <>
      <PageHeader
        title={texts.create}
        back={{ link: { to: '/administration/alerts' }, label: alerts.title }}
      />
      <AlertForm
        initial={initial}
        storedOrigin={null}
        submitLabel={texts.create}
        error={create.error}
        pending={create.isPending}
        onSubmit={create.mutateAsync}
        onCancel={() => void leave({ to: '/administration/alerts' })}
      />
    </>
  );
}

/** Editing an alert rule. */
export function EditAlertPage() {
  const { alertId } = route.useParams();
  const read = useQuery(alertForEditQuery(alertId));
  if (read.data !== undefined) return <EditForm key={alertId} read={read.data} />;
  return <Unread query={read} />;
}

function EditForm({ read: latest }: { read: Read<Alert> }) {
  // The form keeps the record that it started with. Saving, and signing in again, read it again.
  const [read] = useState(latest);
  const { id, name } = read.record;
  const leave = useLeave();
  const queryClient = useQueryClient();
  const [basis, setBasis] = useState(read);
  const open = (ignoreBlocker = false) =>
    leave({ to: '/administration/alerts/$alertId', params: { alertId: id }, ignoreBlocker });
  const edit = useFormMutation({
    mutationFn: async (configuration: AlertConfiguration) => {
      try {
        return await updateAlert(basis, configuration);
      } catch (error) {
        // The next attempt is based on the current record.
        if (isOutdated(error)) setBasis(await readRecord<Alert>(`/alerts/${id}`));
        throw error;
      }
    },
    onSuccess: async (saved) => {
      notifyDone(texts.saved(saved.name));
      await queryClient.invalidateQueries({ queryKey: alertsKey });
      await open(true);
    },
  });
  return (
    <>
      <PageHeader
        title={texts.edit}
        back={{ link: { to: '/administration/alerts/$alertId', params: { alertId: id } }, label: name }}
      />
      <AlertForm
        initial={draftOf(read.record)}
        // Saving keeps the URL of this record.
        storedOrigin={basis.record.target?.origin ?? null}
        submitLabel={shared.save}
        notice={
          basis !== read && (
            <Callout tone="warn" title={texts.conflict.title} live>
              <ul className={styles.changes}>
                {alertChanges(read.record, basis.record).map((change) => (
                  <li key={change}>{change}</li>
                ))}
              </ul>
              {texts.conflict.description}
            </Callout>
          )
        }
        error={isOutdated(edit.error) ? null : edit.error}
        pending={edit.isPending}
        onSubmit={edit.mutateAsync}
        onCancel={() => void open()}
      />
    </>
  );
}
