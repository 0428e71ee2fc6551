import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import {
  actOnTheseDeadLetters,
  type DeadLetter,
  type DeadLetterAction,
  deadLettersKey,
} from '../../api/dead-letters.ts';
import { webhooksKey } from '../../api/webhooks.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { notifyDone, notifyError } from '../../components/notify.tsx';
import type { Selection } from '../../components/selection/use-selection.ts';
import { deadLetters } from '../../texts/dead-letters.ts';
import { formatNumber } from '../../utilities/numbers.ts';

/** Redelivers the selected dead letters, or removes them. */
export function useSelectedLetters(selection: Selection<DeadLetter>) {
  const queryClient = useQueryClient();
  const [removing, setRemoving] = useState(false);
  const { items } = selection;
  // The webhooks of the others are inactive or deleted.
  const sendable = items.filter((letter) => letter.webhook_enabled && !letter.webhook_deleted);
  const act = useMutation({
    mutationFn: (action: DeadLetterAction) =>
      actOnTheseDeadLetters(action, action === 'redeliver' ? sendable : items),
    onSuccess: (count, action) => {
      selection.clear();
      setRemoving(false);
      const words = action === 'redeliver' ? deadLetters.resentSome : deadLetters.removedSome;
      notifyDone(words(count, formatNumber(count)));
    },
    onError: (error, action) => {
      if (action === 'redeliver') notifyError(error);
    },
    onSettled: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: deadLettersKey }),
        queryClient.invalidateQueries({ queryKey: webhooksKey }),
      ]),
  });
  const buttons = (
    <>
      <Button
        variant="default"
        size="compact-sm"
        disabled={sendable.length === 0}
        title={sendable.length === 0 ? deadLetters.cannotResendTicked : undefined}
        loading={act.isPending && act.variables === 'redeliver'}
        onClick={() => act.mutate('redeliver')}
      >
        {deadLetters.resendTicked}
      </Button>
      <Button
        variant="default"
        size="compact-sm"
        onClick={() => {
          act.reset();
          setRemoving(true);
        }}
      >
        {deadLetters.removeTicked}
      </Button>
    </>
  );
  const dialog = (
    <ConfirmDialog
      opened={removing}
      title={deadLetters.removal.title}
      confirmLabel={deadLetters.removal.confirm}
      pending={act.isPending}
      error={act.variables === 'remove' ? act.error : null}
      onConfirm={() => act.mutate('remove')}
      onClose={() => setRemoving(false)}
    >
      {deadLetters.removal.description(items.length, formatNumber(items.length))}
    </ConfirmDialog>
  );
  return { buttons, dialog };
}
