import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import {
  type ActionResult,
  actOnTheseDeliveries,
  type DeadLetter,
  type DeadLetterAction,
  deadLettersKey,
} from '../../api/dead-letters.ts';
import { webhooksKey } from '../../api/webhooks.ts';
import { deadLetters } from '../../texts/dead-letters.ts';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import { notifyDone, notifyError } from '../notify.tsx';
import type { Selection } from '../selection/use-selection.ts';
import { useFormMutation } from '../use-form-mutation.ts';
import { useQuestion } from '../use-question.ts';

/** The messages of an action. While it runs, others may be selected. */
interface Chosen<T> {
  letters: readonly T[];
  /** All that were selected, with those that the action does not concern. */
  selected: readonly T[];
  /** Follows the question. */
  note: ReactNode;
}

/**
 * Redelivers selected messages, or removes those of them that are dead letters after a question.
 *
 * @param redeliverable those that would be redelivered
 * @param removable those that would be removed
 * @param note follows the question
 */
export function useDeadLetterActions<T extends Pick<DeadLetter, 'id' | 'webhook_id' | 'status'>>({
  selection: { items, choose },
  redeliverable,
  removable,
  note,
}: {
  selection: Pick<Selection<T>, 'items' | 'choose'>;
  redeliverable: readonly T[];
  removable: readonly T[];
  note?: ReactNode;
}) {
  const queryClient = useQueryClient();
  const { asked, isOpen, ask, close } = useQuestion<'remove', Chosen<T>>((chosen) => chosen);
  const deselect = (letters: readonly T[]) => choose(letters, false);
  const actionOn = (action: DeadLetterAction) => ({
    mutationFn: ({ letters }: Chosen<T>) => actOnTheseDeliveries(action, letters, deselect),
    onSettled: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: webhooksKey }),
        queryClient.invalidateQueries({ queryKey: deadLettersKey }),
      ]),
  });
  const redelivery = useMutation({
    ...actionOn('redeliver'),
    onSuccess: (result, { selected }) => {
      deselect(selected);
      notifyResult(deadLetters.resentSome, result);
    },
    onError: notifyError,
  });
  const removal = useFormMutation(
    {
      ...actionOn('remove'),
      onSuccess: (result, chosen) => {
        deselect(chosen.selected);
        close('remove', chosen);
        notifyResult(deadLetters.removedSome, result);
      },
    },
    isOpen('remove'),
  );
  return {
    redeliver: () => redelivery.mutate({ letters: redeliverable, selected: items, note: null }),
    isRedelivering: redelivery.isPending,
    askToRemove: () => {
      removal.reset();
      ask('remove', { letters: removable, selected: items, note });
    },
    dialog: asked !== null && (
      <ConfirmDialog
        opened={isOpen('remove')}
        title={deadLetters.removal.title}
        confirmLabel={deadLetters.removal.confirm}
        pending={removal.isPending}
        error={removal.error}
        onConfirm={() => removal.mutate(asked.of)}
        onClose={() => close('remove', asked.of)}
      >
        {deadLetters.removal.description(asked.of.letters.length)}
        {asked.of.note}
      </ConfirmDialog>
    ),
  };
}

function notifyResult(words: (count: number) => string, { done, skipped }: ActionResult): void {
  notifyDone(skipped === 0 ? words(done) : `${words(done)} ${deadLetters.skipped(skipped)}`);
}
