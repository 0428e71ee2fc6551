import { useQueryClient } from '@tanstack/react-query';
import type { WebhookConfiguration } from '../../../api/webhook-records.ts';
import { createWebhook, webhooksKey } from '../../../api/webhooks.ts';
import { notifyDone } from '../../../components/notify.tsx';
import { PageHeader } from '../../../components/page-header.tsx';
import { useFormMutation } from '../../../components/use-form-mutation.ts';
import { useIdempotencyKey } from '../../../components/use-idempotency-key.ts';
import { useLeave } from '../../../navigation/use-leave.ts';
import { webhookEditing } from '../../../texts/webhook-editing.ts';
import { webhooks } from '../../../texts/webhooks.ts';
import { emptyDraft } from './draft.ts';
import { WebhookForm } from './webhook-form.tsx';

const LIST = { to: '/administration/integrations/webhooks' } as const;

/** Creating a webhook. */
export function AddWebhookPage() {
  const leave = useLeave();
  const queryClient = useQueryClient();
  const keyFor = useIdempotencyKey();
  const create = useFormMutation({
    mutationFn: (configuration: WebhookConfiguration) => createWebhook(configuration, keyFor(configuration)),
    onSuccess: async (record) => {
      await queryClient.invalidateQueries({ queryKey: webhooksKey });
      notifyDone(webhookEditing.created(record.name));
      await leave({
        to: '/administration/integrations/webhooks/$webhookId',
        params: { webhookId: record.id },
        ignoreBlocker: true,
      });
    },
  });
  return (
    <>
      <PageHeader title={webhookEditing.addTitle} back={{ link: LIST, label: webhooks.title }} />
      <WebhookForm
        initial={emptyDraft}
        current={null}
        saving={create.isPending || create.isSuccess}
        problem={create.error}
        cancel={LIST}
        onSave={create.mutate}
      />
    </>
  );
}
