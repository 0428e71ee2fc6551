/** The outcome of a message in the history. */
export const DELIVERY_STATUSES = ['RETRYING', 'QUEUED', 'DELIVERED', 'DEAD_LETTERED', 'DISCARDED'] as const;

/**
 * RETRYING: an attempt failed, another follows. QUEUED: redelivered manually, not attempted since. The others are final
 * until someone redelivers the message.
 */
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** Whether a delivery with this status waits in the line of its webhook. */
export function isWaitingStatus(status: string): boolean {
  return status === 'RETRYING' || status === 'QUEUED';
}

/** The statuses of messages that are not waiting. */
export const FINAL_STATUSES = [
  'DELIVERED',
  'DEAD_LETTERED',
  'DISCARDED',
] as const satisfies readonly DeliveryStatus[];
export type FinalStatus = (typeof FINAL_STATUSES)[number];

/** Why a message was discarded or dead-lettered. */
export const STATUS_REASONS = [
  'ATTEMPTS_EXHAUSTED',
  'SKIPPED',
  'PURGED',
  'REMOVED',
  'WEBHOOK_DELETED',
  'WEBHOOK_INACTIVE',
  'BEFORE_IGNORE_DT',
] as const;
export type StatusReason = (typeof STATUS_REASONS)[number];

/** The reasons of messages that someone discarded: from the line (PURGED) or from the dead letters (REMOVED). */
export const MANUAL_DISCARDS = ['PURGED', 'REMOVED'] as const satisfies readonly StatusReason[];

/** Reasons for which messages are discarded automatically. */
export type DiscardReason = Exclude<
  StatusReason,
  'ATTEMPTS_EXHAUSTED' | 'SKIPPED' | (typeof MANUAL_DISCARDS)[number]
>;

/** Redelivery, removal and purging count the messages that are left for further calls up to this number. */
export const MAX_REMAINING_COUNTED = 10_000;
