import { Button } from '@mantine/core';
import { actOnTheseDeliveries, type DeadLetter } from '../../api/dead-letters.ts';
import { useDeadLetterActions } from '../../components/dead-letters/use-dead-letter-actions.tsx';
import type { Selection } from '../../components/selection/use-selection.ts';
import { deadLetters } from '../../texts/dead-letters.ts';

/** Redelivers the selected dead letters, or removes them. */
export function useSelectedLetters(selection: Selection<DeadLetter>) {
  const { items } = selection;
  // The webhooks of the others are inactive or deleted.
  const sendable = items.filter((letter) => letter.webhook_enabled && !letter.webhook_deleted);
  const { redeliver, isRedelivering, askToRemove, dialog } = useDeadLetterActions({
    act: (action) => actOnTheseDeliveries(action, action === 'redeliver' ? sendable : items),
    onDone: () => selection.clear(),
    redelivered: deadLetters.resentSome,
    removable: items.length,
  });
  const buttons = (
    <>
      <Button
        variant="default"
        size="compact-sm"
        disabled={sendable.length === 0}
        title={sendable.length === 0 ? deadLetters.cannotResendTicked : undefined}
        loading={isRedelivering}
        onClick={redeliver}
      >
        {deadLetters.resendTicked}
      </Button>
      <Button variant="default" size="compact-sm" onClick={askToRemove}>
        {deadLetters.removeTicked}
      </Button>
    </>
  );
  return { buttons, dialog };
}
