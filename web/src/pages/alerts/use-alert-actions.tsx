import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type Alert, alertsKey, deleteAlert, switchAlert } from '../../api/alerts.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { notifyDone, notifyError } from '../../components/notify.tsx';
import { useFormMutation } from '../../components/use-form-mutation.ts';
import { useQuestion } from '../../components/use-question.ts';
import { useLeave } from '../../navigation/use-leave.ts';
import { alerts as texts } from '../../texts/alerts.ts';
import { shared } from '../../texts/shared.ts';

/** An action on an alert rule. Deleting asks first. */
export type AlertAction = 'enable' | 'disable' | 'delete';

/**
 * The actions on alert rules, and their dialog. It belongs to the page, not to the rows: a row is replaced by a card
 * when a phone is rotated.
 * @param leaveWhenDeleted whether the page is the rule's own
 */
export function useAlertActions(leaveWhenDeleted = false): {
  act: (action: AlertAction, on: Alert) => void;
  dialogs: ReactNode;
} {
  const queryClient = useQueryClient();
  const leave = useLeave();
  const { asked, isOpen, ask, close } = useQuestion<'delete', Alert>(({ id }) => id);
  const refresh = () => queryClient.invalidateQueries({ queryKey: alertsKey });
  const change = useMutation({
    mutationFn: ({ id, enabled }: { id: Alert['id']; enabled: boolean }) => switchAlert(id, enabled),
    onSuccess: (saved) => notifyDone(texts.switched(saved.name, saved.enabled)),
    onError: notifyError,
    onSettled: refresh,
  });
  const remove = useFormMutation(
    {
      mutationFn: ({ id }: Alert) => deleteAlert(id),
      onSuccess: async (_nothing, of) => {
        close('delete', of);
        notifyDone(texts.remove.done(of.name));
        if (leaveWhenDeleted) await leave({ to: '/administration/alerts' });
        await refresh();
      },
    },
    isOpen('delete'),
  );
  return {
    act: (action, on) => {
      if (action !== 'delete') {
        change.mutate({ id: on.id, enabled: action === 'enable' });
        return;
      }
      remove.reset();
      ask('delete', on);
    },
    dialogs: asked !== null && (
      <ConfirmDialog
        opened={isOpen('delete')}
        title={texts.remove.title(asked.of.name)}
        confirmLabel={shared.delete}
        pending={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate(asked.of)}
        onClose={() => close('delete', asked.of)}
      >
        {texts.remove.description}
      </ConfirmDialog>
    ),
  };
}
