import { Button } from '@mantine/core';
import { actOnTheseDeliveries } from '../../../api/dead-letters.ts';
import type { DeliverySummary } from '../../../api/deliveries.ts';
import { useDeadLetterActions } from '../../../components/dead-letters/use-dead-letter-actions.tsx';
import { SelectionDock } from '../../../components/selection/selection-dock.tsx';
import { useSelection } from '../../../components/selection/use-selection.ts';
import { deadLetters } from '../../../texts/dead-letters.ts';
import { deliveries } from '../../../texts/deliveries.ts';
import { selection as selectionTexts } from '../../../texts/selection.ts';
import { formatNumber } from '../../../utilities/numbers.ts';

/** Whether a message is already waiting in its line, so that no action applies to it here. */
export function isWaiting({ status }: DeliverySummary): boolean {
  return status === 'RETRYING' || status === 'QUEUED';
}

const keyOf = ({ id }: DeliverySummary) => id;

/**
 * The selected messages, over all pages, and their actions. All can be redelivered; dead letters can also be removed.
 * Messages that newer ones push off the page stay selected.
 * @param rows the visible rows
 * @param active whether the webhook is active; others cannot redeliver
 */
export function useHistorySelection(rows: readonly DeliverySummary[], active: boolean) {
  const selectable = rows.filter((row) => !isWaiting(row));
  const waiting = new Set(rows.filter(isWaiting).map(keyOf));
  const selection = useSelection(selectable, keyOf);
  const { choose, chooseOne, clear } = selection;
  const items = selection.items.filter(({ id }) => !waiting.has(id));
  const dead = items.filter(({ status }) => status === 'DEAD_LETTERED');
  const ticked = new Set(items.map(keyOf));
  const kept = items.length - dead.length;
  const { redeliver, isRedelivering, askToRemove, dialog } = useDeadLetterActions({
    act: (action) => actOnTheseDeliveries(action, action === 'remove' ? dead : items),
    onDone: clear,
    redelivered: deliveries.resent,
    removable: dead.length,
    note: kept > 0 && ` ${deliveries.kept(kept, formatNumber(kept))}`,
  });
  const bar = ticked.size > 0 && (
    <SelectionDock>
      <span role="status">{deliveries.ticked(formatNumber(ticked.size))}</span>
      {selectable.some(({ id }) => !ticked.has(id)) && (
        <Button variant="subtle" size="compact-xs" onClick={() => choose(selectable, true)}>
          {selectionTexts.page}
        </Button>
      )}
      <Button variant="subtle" size="compact-xs" color="gray" onClick={clear}>
        {deliveries.untick}
      </Button>
      <Button
        variant="default"
        size="xs"
        disabled={dead.length === 0}
        title={dead.length === 0 ? deliveries.onlyDead : undefined}
        onClick={askToRemove}
      >
        {deadLetters.removeTicked}
      </Button>
      <Button
        size="xs"
        disabled={!active}
        title={active ? undefined : deliveries.details.inactive}
        loading={isRedelivering}
        onClick={redeliver}
      >
        {deliveries.resendTicked}
      </Button>
    </SelectionDock>
  );
  return { ticked, tick: chooseOne, bar, dialog };
}
