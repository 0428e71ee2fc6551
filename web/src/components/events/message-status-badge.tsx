import type { EventWebhookRecord } from '../../api/events.ts';
import { events } from '../../texts/events.ts';
import { StatusBadge, type Tone } from '../status-badge.tsx';

type Status = NonNullable<EventWebhookRecord['message']>['status'];

const TONES: Readonly<Record<Status, Tone>> = {
  WAITING: 'info',
  DELIVERED: 'good',
  RETRYING: 'warn',
  QUEUED: 'info',
  DEAD_LETTERED: 'bad',
  DISCARDED: 'quiet',
  EXPIRED: 'quiet',
};

/** The status of the message of an event for one webhook. */
export function MessageStatusBadge({ status }: { status: Status }) {
  return <StatusBadge tone={TONES[status]}>{events.statuses[status]}</StatusBadge>;
}
