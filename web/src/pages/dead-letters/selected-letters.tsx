import { Button } from '@mantine/core';
import { useState } from 'react';
import type { ListResponse } from '../../../../src/ui-api/list-query.ts';
import type { DeadLetter } from '../../api/dead-letters.ts';
import { BusyButton } from '../../components/busy-button.tsx';
import { useDeadLetterActions } from '../../components/dead-letters/use-dead-letter-actions.tsx';
import type { Selection } from '../../components/selection/use-selection.ts';
import { deadLetters } from '../../texts/dead-letters.ts';

/** A page of the dead letters. */
interface LetterPage extends ListResponse<DeadLetter> {
  /** Identifies the list, by its search and filters. */
  of: string;
}

/**
 * Redelivers the selected dead letters, or removes them. Those that leave the list are no longer selected.
 * @param page what the service last returned; undefined while it is read
 */
export function useSelectedLetters(selection: Selection<DeadLetter>, page: LetterPage | undefined) {
  const hasLeft = useDepartures(page);
  const { items } = selection;
  const left = items.filter(hasLeft);
  if (left.length > 0) selection.choose(left, false);
  // The webhooks of the others are inactive or deleted.
  const sendable = items.filter((letter) => letter.webhook_enabled && !letter.webhook_deleted);
  const { redeliver, isRedelivering, askToRemove, dialog } = useDeadLetterActions({
    selection,
    redeliverable: sendable,
    removable: items,
  });
  const buttons = (
    <>
      <BusyButton
        variant="default"
        size="compact-sm"
        disabled={sendable.length === 0}
        title={sendable.length === 0 ? deadLetters.cannotResendTicked : undefined}
        isBusy={isRedelivering}
        onClick={redeliver}
      >
        {deadLetters.resendTicked}
      </BusyButton>
      <Button variant="default" size="compact-sm" onClick={askToRemove}>
        {deadLetters.removeTicked}
      </Button>
    </>
  );
  return { buttons, dialog };
}

/** Returns whether a letter was in the list before, and would be on this page if it still were. */
function useDepartures(page: LetterPage | undefined): (letter: DeadLetter) => boolean {
  /** The list in which each letter was seen last: other lists have other letters. */
  const [seenIn] = useState(() => new Map<number, string>());
  if (page === undefined) return () => false;
  const { data, offset, total, total_is_lower_bound: hasMore = false, of } = page;
  for (const { id } of data) seenIn.set(id, of);
  const here = new Set(data.map(({ id }) => id));
  const [first, last] = [data[0], data.at(-1)];
  const isAfterFirst = (letter: DeadLetter) =>
    offset === 0 || (first !== undefined && isNewer(first, letter));
  const isBeforeLast = (letter: DeadLetter) =>
    (!hasMore && offset + data.length >= total) || (last !== undefined && isNewer(letter, last));
  return (letter) =>
    seenIn.get(letter.id) === of && !here.has(letter.id) && isAfterFirst(letter) && isBeforeLast(letter);
}

/** In the order of the list. */
function isNewer(one: DeadLetter, other: DeadLetter): boolean {
  return one.dead_lettered_dt === other.dead_lettered_dt
    ? one.id > other.id
    : one.dead_lettered_dt > other.dead_lettered_dt;
}
