import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type ActionResult, type DeadLetterAction, deadLettersKey } from '../../api/dead-letters.ts';
import { webhooksKey } from '../../api/webhooks.ts';
import { deadLetters } from '../../texts/dead-letters.ts';
import { useIsShown } from '../../utilities/use-is-shown.ts';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import { notifyDone, notifyError } from '../notify.tsx';

/**
 * Redelivers selected messages, or removes those of them that are dead letters after a question.
 *
 * @param act performs an action
 * @param onDone called after success
 * @param removable the number of messages that would be removed
 * @param note follows the question
 */
export function useDeadLetterActions({
  act,
  onDone,
  removable,
  note,
}: {
  act: (action: DeadLetterAction) => Promise<ActionResult>;
  onDone: () => void;
  removable: number;
  note?: ReactNode;
}) {
  const queryClient = useQueryClient();
  const [removing, setRemoving] = useState(false);
  const isShown = useIsShown(removing);
  const mutation = useMutation({
    mutationFn: act,
    onSuccess: ({ done, skipped }, action) => {
      onDone();
      setRemoving(false);
      const text = deadLetters[action === 'remove' ? 'removedSome' : 'resentSome'](done);
      notifyDone(skipped === 0 ? text : `${text} ${deadLetters.skipped(skipped)}`);
    },
    // The dialog shows an error of a removal, unless it was cancelled in the meantime.
    onError: (error, action) => {
      if (action === 'redeliver' || !isShown()) notifyError(error);
    },
    onSettled: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: webhooksKey }),
        queryClient.invalidateQueries({ queryKey: deadLettersKey }),
      ]),
  });
  return {
    redeliver: () => mutation.mutate('redeliver'),
    isRedelivering: mutation.isPending && mutation.variables === 'redeliver',
    askToRemove: () => {
      mutation.reset();
      setRemoving(true);
    },
    dialog: (
      <ConfirmDialog
        opened={removing}
        title={deadLetters.removal.title}
        confirmLabel={deadLetters.removal.confirm}
        pending={mutation.isPending}
        error={mutation.variables === 'remove' ? mutation.error : null}
        onConfirm={() => mutation.mutate('remove')}
        onClose={() => setRemoving(false)}
      >
        {deadLetters.removal.description(removable)}
        {note}
      </ConfirmDialog>
    ),
  };
}
