/** The outcome of a message in the history. */
export const DELIVERY_STATUSES = ['RETRYING', 'QUEUED', 'DELIVERED', 'DEAD_LETTERED', 'DISCARDED'] as const;

/**
 * RETRYING: an attempt failed, another follows. QUEUED: sent again manually, not tried since. The others are
 * final until someone sends the message again.
 */
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** Why a message was discarded or dead-lettered. */
export const STATUS_REASONS = [
  'ATTEMPTS_EXHAUSTED',
  'SKIPPED',
  'WEBHOOK_DELETED',
  'WEBHOOK_INACTIVE',
  'BEFORE_IGNORE_DT',
] as const;
export type StatusReason = (typeof STATUS_REASONS)[number];

/** Reasons for which messages are discarded. */
export type DiscardReason = Exclude<StatusReason, 'ATTEMPTS_EXHAUSTED' | 'SKIPPED'>;

/** Characters of a target's answer that the history keeps of each attempt. */
export const MAX_RESPONSE_KEPT = 8_192;

/** An attempt that was made. */
export interface AttemptOutcome {
  kind: 'attempt';
  succeeded: boolean;
  /** Epoch milliseconds at which it ended. */
  endedAt: number;
  durationMs: number;
  responseStatus: number | null;
  responseBody: string | null;
  /** The target closed a kept connection as the request was written, so the request was sent once more. */
  resent: boolean;
  /** The whole message for `last_error_message`; null when it succeeded. */
  error: string | null;
}

/** A message that goes without being tried. */
export interface DiscardOutcome {
  kind: 'discard';
  reason: DiscardReason;
  at: number;
}

/** An attempt that was cut off by the service's own stop: it counts for nothing. */
export interface ReleaseOutcome {
  kind: 'release';
}

export type DeliveryOutcome = AttemptOutcome | DiscardOutcome | ReleaseOutcome;
