import { Button } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { isOutdated } from '../../../api/errors.ts';
import type { Read } from '../../../api/request.ts';
import type { WebhookConfiguration, WebhookRecord } from '../../../api/webhook-records.ts';
import {
  updateWebhook,
  webhookForEditQuery,
  webhookOverviewQuery,
  webhooksKey,
} from '../../../api/webhooks.ts';
import { Callout } from '../../../components/callout.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ButtonLink } from '../../../components/links.tsx';
import { notifyDone } from '../../../components/notify.tsx';
import { PageHeader } from '../../../components/page-header.tsx';
import { Unread } from '../../../components/unread.tsx';
import { useFormMutation } from '../../../components/use-form-mutation.ts';
import { useLeave } from '../../../navigation/use-leave.ts';
import { useWebhooksReadOnly } from '../../../session/session-context.ts';
import { webhookEditing } from '../../../texts/webhook-editing.ts';
import { isolate } from '../../../utilities/isolate.ts';
import { DeactivationDialog } from '../deactivation-dialog.tsx';
import { draftOf } from './draft.ts';
import styles from './form.module.css';
import { WebhookForm } from './webhook-form.tsx';

const route = getRouteApi('/app/admin/administration/integrations/webhooks/$webhookId/edit');

/** Editing a webhook. */
export function EditWebhookPage() {
  const { webhookId } = route.useParams();
  const readOnly = useWebhooksReadOnly();
  const read = useQuery(webhookForEditQuery(webhookId));
  if (readOnly) {
    return (
      <EmptyState
        heading="h1"
        icon={IconLock}
        title={webhookEditing.readOnly.title}
        description={webhookEditing.readOnly.description}
        action={
          <ButtonLink
            variant="default"
            to="/administration/integrations/webhooks/$webhookId"
            params={{ webhookId }}
          >
            {webhookEditing.readOnly.back}
          </ButtonLink>
        }
      />
    );
  }
  const { data, refetch } = read;
  if (data === undefined) return <Unread query={read} />;
  return <EditForm key={webhookId} read={data} readAgain={async () => (await refetch()).data} />;
}

type ForEdit = Read<WebhookRecord>;

function EditForm({ read, readAgain }: { read: ForEdit; readAgain: () => Promise<ForEdit | undefined> }) {
  const { record, etag } = read;
  const leave = useLeave();
  const queryClient = useQueryClient();
  // The record with which the form starts, and the version that saving replaces.
  const [start, setStart] = useState({ record, number: 0 });
  const [base, setBase] = useState(etag);
  // A configuration that deactivates the webhook, and waits for confirmation.
  const [asked, setAsked] = useState<WebhookConfiguration | null>(null);
  const details = {
    to: '/administration/integrations/webhooks/$webhookId',
    params: { webhookId: record.id },
  } as const;
  const save = useFormMutation({
    mutationFn: (configuration: WebhookConfiguration) => updateWebhook(record.id, configuration, base),
    onSuccess: async (saved) => {
      await queryClient.invalidateQueries({ queryKey: webhooksKey, refetchType: 'none' });
      notifyDone(webhookEditing.saved(saved.name));
      await leave({ ...details, ignoreBlocker: true });
    },
    onError: async (error) => {
      setAsked(null);
      if (isOutdated(error)) await readAgain();
    },
  });
  const waiting = useQuery({ ...webhookOverviewQuery(record.id), enabled: asked !== null });
  const ask = (configuration: WebhookConfiguration) => {
    if (record.enabled && !configuration.enabled) setAsked(configuration);
    else save.mutate(configuration);
  };
  const deactivate = () => asked !== null && save.mutate(asked);
  const pauseInstead = () => asked !== null && save.mutate({ ...asked, enabled: true, paused: true });
  const rebase = () => {
    save.reset();
    setBase(etag);
  };
  const startAgain = () => {
    rebase();
    setStart(({ number }) => ({ record, number: number + 1 }));
  };
  const conflict = base !== etag && (
    <div className={styles.notice}>
      <Callout tone="warn" title={webhookEditing.conflict.title} live>
        {webhookEditing.conflict.description}
        <div className={styles.noticeActions}>
          <Button variant="default" size="xs" onClick={startAgain}>
            {webhookEditing.conflict.startAgain}
          </Button>
          <Button variant="default" size="xs" onClick={rebase}>
            {webhookEditing.conflict.keep}
          </Button>
        </div>
      </Callout>
    </div>
  );
  return (
    <>
      <PageHeader
        title={webhookEditing.editTitle(record.name)}
        back={{ link: details, label: isolate(record.name) }}
      />
      <WebhookForm
        key={start.number}
        initial={draftOf(start.record)}
        current={record}
        saving={save.isPending || save.isSuccess}
        // Without a difference to show, such as after a failed read, the error itself is shown.
        problem={isOutdated(save.error) && conflict ? null : save.error}
        notice={conflict}
        cancel={details}
        onSave={ask}
      />
      <DeactivationDialog
        opened={asked !== null}
        webhook={{ name: record.name, paused: record.paused, depth: waiting.data?.depth ?? null }}
        pending={save.isPending || save.isSuccess || (asked !== null && waiting.isPending)}
        isPausing={save.variables?.enabled === true}
        onDeactivate={deactivate}
        onPause={pauseInstead}
        onClose={() => setAsked(null)}
      />
    </>
  );
}
