import { Button } from '@mantine/core';
import { useState } from 'react';
import type { DeliverySummary } from '../../../api/deliveries.ts';
import type { CursorPage } from '../../../api/queries.ts';
import type { WebhookRecord } from '../../../api/webhook-records.ts';
import { BusyButton } from '../../../components/busy-button.tsx';
import { useDeadLetterActions } from '../../../components/dead-letters/use-dead-letter-actions.tsx';
import { SelectionDock } from '../../../components/selection/selection-dock.tsx';
import { useSelection } from '../../../components/selection/use-selection.ts';
import { deadLetters } from '../../../texts/dead-letters.ts';
import { deliveries } from '../../../texts/deliveries.ts';
import { selection as selectionTexts } from '../../../texts/selection.ts';
import { formatNumber } from '../../../utilities/numbers.ts';
import { reasonNotToSend } from './use-history-actions.tsx';

/** Whether a message is already waiting in its line, so that no action applies to it here. */
export function isWaiting({ status }: DeliverySummary): boolean {
  return status === 'RETRYING' || status === 'QUEUED';
}

/** A page of a history. */
interface HistoryPage extends CursorPage<DeliverySummary> {
  /** Where it starts; undefined for the first one. */
  cursor: string | undefined;
  /** Identifies the list, by its filters. */
  of: string;
}

const keyOf = ({ id }: DeliverySummary) => id;

/**
 * The selected messages, over all pages of one list, and their actions. All can be redelivered; dead letters can also
 * be removed. Messages that newer ones push off the page stay selected. A message whose outcome changes does not,
 * because the same action would send it a second time.
 * @param rows the visible rows
 * @param page what the service last returned; undefined while it is read
 * @param webhook null if it was deleted
 */
export function useHistorySelection(
  rows: readonly DeliverySummary[],
  page: HistoryPage | undefined,
  webhook: WebhookRecord | null,
) {
  const hasChanged = useChanges(page);
  const noTarget = reasonNotToSend(webhook);
  const selectable = rows.filter((row) => !isWaiting(row) && !hasChanged(row));
  const selection = useSelection(selectable, keyOf);
  const { choose, chooseOne, clear, items } = selection;
  const changed = selection.marked.filter(hasChanged);
  if (changed.length > 0) choose(changed, false);
  const dead = items.filter(({ status }) => status === 'DEAD_LETTERED');
  const ticked = new Set(items.map(keyOf));
  const kept = items.length - dead.length;
  const { redeliver, isRedelivering, askToRemove, dialog } = useDeadLetterActions({
    selection,
    redeliverable: items,
    removable: dead,
    note: kept > 0 && ` ${deliveries.kept(kept)}`,
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
      <BusyButton
        size="xs"
        disabled={noTarget !== undefined}
        title={noTarget}
        isBusy={isRedelivering}
        onClick={redeliver}
      >
        {deliveries.resendTicked}
      </BusyButton>
    </SelectionDock>
  );
  return { ticked, tick: chooseOne, clear, bar, dialog };
}

/** Returns whether a message no longer has the outcome with which it was shown, or has left the list. */
function useChanges(page: HistoryPage | undefined): (row: DeliverySummary) => boolean {
  const [of, setOf] = useState(page?.of);
  /** The newest message of each page that starts at a cursor. */
  const [newestOf] = useState(() => new Map<string, number>());
  if (page === undefined) return () => false;
  const { data, next_cursor, cursor } = page;
  if (page.of !== of) {
    setOf(page.of);
    newestOf.clear();
    return () => of !== undefined;
  }
  const now = new Map(data.map((row) => [row.id, row.status]));
  if (cursor !== undefined) newestOf.set(cursor, Math.max(newestOf.get(cursor) ?? 0, data[0]?.id ?? 0));
  const newest = cursor === undefined ? Number.POSITIVE_INFINITY : (newestOf.get(cursor) ?? 0);
  const oldest = next_cursor === null ? 0 : (data.at(-1)?.id ?? 0);
  return ({ id, status }) => (now.has(id) ? now.get(id) !== status : oldest < id && id <= newest);
}
