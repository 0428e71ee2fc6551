import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { DeadLetterAction } from '../../../api/dead-letters.ts';
import { type DeliveryStatus, hasDeadLettersQuery } from '../../../api/deliveries.ts';
import type { WebhookRecord } from '../../../api/webhook-records.ts';
import { useRedelivery } from '../../../components/dead-letters/redelivery-dialog.tsx';
import { useWebhooksReadOnly } from '../../../session/session-context.ts';
import { deadLetters } from '../../../texts/dead-letters.ts';
import { deliveries } from '../../../texts/deliveries.ts';
import type { HistoryAddress } from './use-history-address.ts';

/**
 * Redelivers or removes the dead letters of a webhook, or the messages that match the filters. Returns the buttons, if
 * the person may do so, and the dialog that asks and shows progress.
 * @param webhook null if it was deleted
 * @param address what the history shows
 * @param onRun called when messages were processed
 */
export function useHistoryActions(
  webhookId: number,
  webhook: WebhookRecord | null,
  address: HistoryAddress,
  onRun: () => void,
) {
  const { outcome, filter, isFiltered } = address;
  const readOnly = useWebhooksReadOnly();
  const { data: hasDead = true } = useQuery({ ...hasDeadLettersQuery(webhookId), enabled: !readOnly });
  const noRemoval = reasonNotToRemove({ isFiltered, outcome, hasDead });
  const noRedelivery = reasonNotToSend(webhook) ?? reasonNotToRedeliver({ isFiltered, outcome, hasDead });
  const redelivery = useRedelivery(onRun);
  const start = (action: DeadLetterAction) =>
    redelivery.ask({
      action,
      webhook: { id: webhookId, name: webhook?.name ?? deadLetters.deletedWebhook(webhookId) },
      filter: isFiltered
        ? { ...filter, ...(action === 'redeliver' ? { status: redeliverable(outcome) } : {}) }
        : null,
      ofHistory: true,
    });
  const buttons = !readOnly && (
    <>
      <Button
        variant="default"
        size="xs"
        onClick={() => start('remove')}
        disabled={noRemoval !== undefined}
        title={noRemoval}
      >
        {isFiltered ? deliveries.removeMatching : deliveries.removeDead}
      </Button>
      <Button
        variant="default"
        size="xs"
        onClick={() => start('redeliver')}
        disabled={noRedelivery !== undefined}
        title={noRedelivery}
      >
        {isFiltered ? deliveries.resendMatching : deliveries.resendDead}
      </Button>
    </>
  );
  return { buttons, dialog: redelivery.dialog };
}

/**
 * Why nothing can be sent to a webhook; undefined if it is active.
 * @param webhook null if it was deleted
 */
export function reasonNotToSend(webhook: WebhookRecord | null): string | undefined {
  if (webhook === null) return deadLetters.cannot.deleted;
  return webhook.enabled ? undefined : deadLetters.cannot.inactive;
}

/** The outcome whose messages can be redelivered together; null if they must be selected one by one, or are waiting. */
function redeliverable(outcome: DeliveryStatus | undefined): 'DEAD_LETTERED' | 'DISCARDED' | null {
  if (outcome === 'DISCARDED') return outcome;
  return mayBeDead(outcome) ? 'DEAD_LETTERED' : null;
}

function mayBeDead(outcome: DeliveryStatus | undefined): boolean {
  return outcome === undefined || outcome === 'DEAD_LETTERED';
}

/** The facts that decide which actions on several messages are possible. */
interface Shown {
  isFiltered: boolean;
  outcome: DeliveryStatus | undefined;
  /** Whether the webhook has dead letters. */
  hasDead: boolean;
}

function reasonNotToRemove({ isFiltered, outcome, hasDead }: Shown): string | undefined {
  if (isFiltered && !mayBeDead(outcome)) return deliveries.onlyDead;
  return hasDead ? undefined : deliveries.noneDead;
}

function reasonNotToRedeliver({ isFiltered, outcome, hasDead }: Shown): string | undefined {
  const what = isFiltered ? redeliverable(outcome) : 'DEAD_LETTERED';
  if (what === null) return deliveries.onlyFailed;
  return what === 'DISCARDED' || hasDead ? undefined : deliveries.noneDead;
}
