import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { deleteWebhook, switchWebhook, webhooksKey } from '../../api/webhooks.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { notifyDone, notifyError, notifyWithAction } from '../../components/notify.tsx';
import { useFormMutation } from '../../components/use-form-mutation.ts';
import { useQuestion } from '../../components/use-question.ts';
import { useLeave } from '../../navigation/use-leave.ts';
import { webhooks } from '../../texts/webhooks.ts';
import { formatNumber } from '../../utilities/numbers.ts';
import { DeactivationDialog } from './deactivation-dialog.tsx';

/** The data needed to activate, deactivate, pause, resume or delete a webhook. */
export interface WebhookToChange {
  id: number;
  name: string;
  enabled: boolean;
  paused: boolean;
  /** Waiting messages, which deactivating discards. */
  depth: number;
}

/** An action on a webhook. Deactivating and deleting ask first, because they lose messages. */
type WebhookAction = 'activate' | 'deactivate' | 'pause' | 'resume' | 'delete';

/** Performs an action on a webhook, or asks first. */
export type ActOnWebhook = (action: WebhookAction, on: WebhookToChange) => void;

interface Change {
  of: WebhookToChange;
  to: { enabled: boolean } | { paused: boolean };
}

const CHANGES = {
  activate: { enabled: true },
  pause: { paused: true },
  resume: { paused: false },
} as const;

/**
 * The actions on webhooks, and their dialogs. They belong to the page, not to the rows: a row may disappear (another
 * page, another order, a rotated phone) while somebody answers its dialog.
 * @param options `latest`: the webhooks as the page shows them now. `leaveWhenDeleted`: the page is the webhook's own.
 */
export function useWebhookActions({
  latest,
  leaveWhenDeleted = false,
}: {
  latest: readonly WebhookToChange[];
  leaveWhenDeleted?: boolean;
}): {
  act: ActOnWebhook;
  /** Whether a webhook is being activated, paused or resumed. */
  pending: boolean;
  dialogs: ReactNode;
} {
  const queryClient = useQueryClient();
  const leave = useLeave();
  const { asked, isOpen, ask, close } = useQuestion<WebhookAction, WebhookToChange>(({ id }) => id);
  const webhook = latest.find(({ id }) => id === asked?.of.id) ?? asked?.of ?? null;
  const changing = {
    mutationFn: ({ of, to }: Change) => switchWebhook(of.id, to),
    onSuccess: ({ name }: { name: string }, { of, to }: Change) => {
      close('deactivate', of);
      if ('paused' in to) notifyDone(to.paused ? webhooks.list.paused(name) : webhooks.list.resumed(name));
      else if (to.enabled) notifyDone(webhooks.list.enabled(name));
      // Not called “Undo”: discarded messages and missed events do not come back.
      else
        notifyWithAction(webhooks.list.disabled(name), webhooks.list.activateAgain, () =>
          change.mutate({ of, to: CHANGES.activate }),
        );
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: webhooksKey }),
  };
  const change = useMutation({ ...changing, onError: notifyError });
  const deactivation = useFormMutation(changing, isOpen('deactivate'));
  const remove = useFormMutation(
    {
      mutationFn: ({ id }: WebhookToChange) => deleteWebhook(id),
      onSuccess: async (_nothing, of) => {
        close('delete', of);
        notifyDone(webhooks.remove.done(of.name));
        if (leaveWhenDeleted) await leave({ to: '/administration/integrations/webhooks' });
        await queryClient.invalidateQueries({ queryKey: webhooksKey });
      },
    },
    isOpen('delete'),
  );
  const confirm = (of: WebhookToChange, to: Change['to']) => {
    if (!deactivation.isPending) deactivation.mutate({ of, to });
  };
  const act: ActOnWebhook = (action, on) => {
    const isChanging = [change, deactivation].some(
      ({ isPending, variables }) => isPending && variables.of.id === on.id,
    );
    if (action === 'deactivate' || action === 'delete') {
      if (isChanging && action === 'deactivate') return;
      deactivation.reset();
      remove.reset();
      ask(action, on);
    } else if (!isChanging) {
      change.mutate({ of: on, to: CHANGES[action] });
    }
  };
  return {
    act,
    pending: change.isPending,
    dialogs: webhook !== null && (
      <>
        <DeactivationDialog
          opened={isOpen('deactivate')}
          webhook={webhook}
          pending={deactivation.isPending}
          isPausing={deactivation.isPending && 'paused' in deactivation.variables.to}
          error={deactivation.error}
          onDeactivate={() => confirm(webhook, { enabled: false })}
          onPause={() => confirm(webhook, CHANGES.pause)}
          onClose={() => close('deactivate', webhook)}
        />
        <ConfirmDialog
          opened={isOpen('delete')}
          title={webhooks.remove.title(webhook.name)}
          confirmLabel={webhooks.remove.confirm}
          {...(webhook.depth > 0 ? { typedName: webhook.name } : {})}
          pending={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate(webhook)}
          onClose={() => close('delete', webhook)}
        >
          {webhook.depth > 0 && <>{webhooks.remove.waiting(formatNumber(webhook.depth))} </>}
          {webhooks.remove.description}
        </ConfirmDialog>
      </>
    ),
  };
}
