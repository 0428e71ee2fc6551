import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { switchWebhook, webhooksKey } from '../../api/webhooks.ts';
import { notifyDone, notifyError, notifyUndoable } from '../../components/notify.tsx';
import { webhooks } from '../../texts/webhooks.ts';
import { DeactivationDialog } from './deactivation-dialog.tsx';

/** The data needed to activate, deactivate, pause or resume a webhook. */
export interface SwitchedWebhook {
  id: number;
  name: string;
  enabled: boolean;
  paused: boolean;
  /** Waiting messages, which deactivating discards. */
  depth: number;
}

type Change = { enabled: boolean } | { paused: boolean };

/**
 * Activating, deactivating, pausing and resuming a webhook. Deactivating asks first, because events that occur while it
 * is inactive are lost.
 */
export function useWebhookSwitch(webhook: SwitchedWebhook): {
  pending: boolean;
  activate: () => void;
  askToDeactivate: () => void;
  pause: () => void;
  resume: () => void;
  /** Render it next to the control that opens it. */
  dialog: ReactNode;
} {
  const queryClient = useQueryClient();
  const [asking, setAsking] = useState(false);
  const change = useMutation({
    mutationFn: (to: Change) => switchWebhook(webhook.id, to),
    onSuccess: ({ name }, to) => {
      setAsking(false);
      if ('paused' in to) notifyDone(to.paused ? webhooks.list.paused(name) : webhooks.list.resumed(name));
      else if (to.enabled) notifyDone(webhooks.list.enabled(name));
      else notifyUndoable(webhooks.list.disabled(name), () => change.mutate({ enabled: true }));
    },
    onError: (error) => {
      if (!asking) notifyError(error);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: webhooksKey }),
  });
  const start = (to: Change) => {
    if (!change.isPending) change.mutate(to);
  };
  const isPausing = change.isPending && 'paused' in change.variables;
  return {
    pending: change.isPending,
    activate: () => start({ enabled: true }),
    askToDeactivate: () => {
      if (change.isPending) return;
      change.reset();
      setAsking(true);
    },
    pause: () => start({ paused: true }),
    resume: () => start({ paused: false }),
    dialog: (
      <DeactivationDialog
        opened={asking}
        webhook={webhook}
        pending={change.isPending}
        isPausing={isPausing}
        error={change.error}
        onDeactivate={() => start({ enabled: false })}
        onPause={() => start({ paused: true })}
        onClose={() => setAsking(false)}
      />
    ),
  };
}
