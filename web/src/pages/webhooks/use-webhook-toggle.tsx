import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { setWebhookEnabled, webhooksKey } from '../../api/webhooks.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { notifyDone, notifyError } from '../../components/notify.tsx';
import { webhooks } from '../../texts/webhooks.ts';
import { formatNumber } from '../../utilities/numbers.ts';

/** What must be known of a webhook to (de)activate it. */
export interface ToggledWebhook {
  id: number;
  name: string;
  enabled: boolean;
  /** Messages that wait: deactivating discards them. */
  depth: number;
}

/** (De)activating a webhook; asks first where messages would be lost. */
export function useWebhookToggle(webhook: ToggledWebhook): {
  pending: boolean;
  ask: (enabled: boolean) => void;
  /** To be rendered beside what asks. */
  dialog: ReactNode;
} {
  const queryClient = useQueryClient();
  const [asking, setAsking] = useState(false);
  const toggle = useMutation({
    mutationFn: (enabled: boolean) => setWebhookEnabled(webhook.id, enabled),
    onSuccess: (record) => {
      setAsking(false);
      notifyDone(record.enabled ? webhooks.list.enabled(record.name) : webhooks.list.disabled(record.name));
    },
    onError: (error, enabled) => {
      if (enabled || !asking) notifyError(error);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: webhooksKey }),
  });
  return {
    pending: toggle.isPending,
    ask: (enabled) => {
      if (toggle.isPending) return;
      toggle.reset();
      if (enabled || webhook.depth === 0) toggle.mutate(enabled);
      else setAsking(true);
    },
    dialog: (
      <ConfirmDialog
        opened={asking}
        title={webhooks.toggle.title(webhook.name)}
        confirmLabel={webhooks.toggle.disable}
        pending={toggle.isPending}
        error={toggle.error}
        onConfirm={() => toggle.mutate(false)}
        onClose={() => setAsking(false)}
      >
        {webhooks.toggle.discards(formatNumber(webhook.depth))}
      </ConfirmDialog>
    ),
  };
}
