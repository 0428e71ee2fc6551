import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { actOnTheseDeadLetters, type DeadLetterAction, deadLettersKey } from '../../../api/dead-letters.ts';
import { type DeliverySummary, redeliverThese } from '../../../api/deliveries.ts';
import { webhooksKey } from '../../../api/webhooks.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { notifyDone, notifyError } from '../../../components/notify.tsx';
import { useSelection } from '../../../components/selection/use-selection.ts';
import { deadLetters } from '../../../texts/dead-letters.ts';
import { deliveries } from '../../../texts/deliveries.ts';
import { selection as selectionTexts } from '../../../texts/selection.ts';
import { formatNumber } from '../../../utilities/numbers.ts';
import styles from './history.module.css';

/** Whether a message is already waiting in its line, so that no action applies to it here. */
export function isWaiting({ status }: DeliverySummary): boolean {
  return status === 'RETRYING' || status === 'QUEUED';
}

const keyOf = ({ id }: DeliverySummary) => id;

/**
 * The selected rows among the visible ones, and their actions. All can be redelivered; dead letters can also be
 * removed.
 * @param active whether the webhook is active; others cannot redeliver
 */
export function useHistorySelection(webhookId: number, rows: readonly DeliverySummary[], active: boolean) {
  const queryClient = useQueryClient();
  const selectable = rows.filter((row) => !isWaiting(row));
  const { chosen, choose, chooseOne, clear } = useSelection(selectable, keyOf);
  const [removing, setRemoving] = useState(false);
  const items = selectable.filter(({ id }) => chosen.has(id));
  const dead = items.filter(({ status }) => status === 'DEAD_LETTERED');
  const ticked = new Set(items.map(({ id }) => id));
  const act = useMutation({
    mutationFn: async (action: DeadLetterAction) =>
      action === 'remove'
        ? await actOnTheseDeadLetters('remove', dead)
        : (await redeliverThese(webhookId, [...ticked])).redelivered,
    onSuccess: (count, action) => {
      clear();
      setRemoving(false);
      const words = action === 'remove' ? deadLetters.removedSome : deliveries.resent;
      notifyDone(words(count, formatNumber(count)));
    },
    onError: (error, action) => {
      if (action === 'redeliver') notifyError(error);
    },
    onSettled: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: [...webhooksKey, webhookId] }),
        queryClient.invalidateQueries({ queryKey: deadLettersKey }),
      ]),
  });
  const bar = ticked.size > 0 && (
    <div className={styles.ticked} role="status">
      <span>{deliveries.ticked(formatNumber(ticked.size))}</span>
      <Button
        size="xs"
        disabled={!active}
        title={active ? undefined : deliveries.details.inactive}
        loading={act.isPending && act.variables === 'redeliver'}
        onClick={() => act.mutate('redeliver')}
      >
        {deliveries.resendTicked}
      </Button>
      <Button
        variant="default"
        size="xs"
        disabled={dead.length === 0}
        title={dead.length === 0 ? deliveries.onlyDead : undefined}
        onClick={() => {
          act.reset();
          setRemoving(true);
        }}
      >
        {deadLetters.removeTicked}
      </Button>
      {items.length < selectable.length && (
        <Button variant="default" size="xs" onClick={() => choose(selectable, true)}>
          {selectionTexts.page}
        </Button>
      )}
      <Button variant="default" size="xs" onClick={clear}>
        {deliveries.untick}
      </Button>
    </div>
  );
  const kept = items.length - dead.length;
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
      {deadLetters.removal.description(dead.length, formatNumber(dead.length))}
      {kept > 0 && ` ${deliveries.kept(kept, formatNumber(kept))}`}
    </ConfirmDialog>
  );
  return { ticked, tick: chooseOne, bar, dialog };
}
