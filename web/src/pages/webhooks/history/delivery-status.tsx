import type { DeliveryStatus } from '../../../api/deliveries.ts';
import { StatusBadge, type Tone } from '../../../components/status-badge.tsx';
import { deliveries } from '../../../texts/deliveries.ts';

const TONES: Readonly<Record<DeliveryStatus, Tone>> = {
  DELIVERED: 'good',
  RETRYING: 'warn',
  QUEUED: 'info',
  DEAD_LETTERED: 'bad',
  DISCARDED: 'quiet',
};

/** The outcome of a message, in a word. */
export function DeliveryStatusBadge({ status }: { status: DeliveryStatus }) {
  return <StatusBadge tone={TONES[status]}>{deliveries.statuses[status]}</StatusBadge>;
}

/** Why it was dead-lettered or discarded; null if there is no reason to show. */
export function reasonText(reason: string | null): string | null {
  return reason === null ? null : (deliveries.reasons[reason] ?? reason);
}
