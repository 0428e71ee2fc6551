import { HELD_UNTIL, type ReceivedMessage } from '../queue/message-queue.ts';
import { isTooOld } from '../webhooks/configuration/head-due.ts';
import type { DeliveryTarget } from '../webhooks/delivery-targets.ts';
import type { DiscardReason } from '../webhooks/history/delivery-status.ts';
import { postbackFailureMessage } from '../webhooks/history/postback-failure.ts';
import type {
  AttemptOutcome,
  AttemptSettlement,
  DeliverySettlement,
} from '../webhooks/history/record-outcomes.ts';
import type { PostbackResult } from './postback-sender.ts';
import { type RetryDelayInput, retryDelay } from './retry-schedule.ts';

/** A settlement with its webhook; null if the webhook was deleted. */
export type FinishedMessage = DeliverySettlement & { target: DeliveryTarget | null };

/** The rules for whether and when a failed attempt is repeated. */
export interface RetryRules extends Omit<RetryDelayInput, 'attempt'> {
  /** The maximum attempts of the webhook. */
  maxAttempts: number;
  /** The maximum receives of the queue's redrive policy. */
  maxReceives: number;
}

/** The outcome of an attempt, for the history, with the headers to keep. */
export function attemptOutcome(
  target: DeliveryTarget,
  result: PostbackResult,
  headers: string | null,
): AttemptOutcome {
  const succeeded = result.outcome === 'DELIVERED';
  return {
    kind: 'attempt',
    succeeded,
    endedAt: result.endedAt,
    durationMs: result.durationMs,
    responseStatus: result.status,
    responseBody: result.responseBody,
    resent: result.resent,
    headers,
    error: succeeded ? null : postbackFailureMessage(target.targetUrl, result.reason ?? 'unknown'),
  };
}

/**
 * Settles an attempt: deletes a delivered message, retries a failed one, and dead-letters it after the last attempt.
 * The effective attempts are the smaller of the webhook's and the queue's redrive maximum.
 */
export function settleAttempt(
  message: ReceivedMessage,
  outcome: AttemptOutcome,
  rules: RetryRules,
): AttemptSettlement {
  if (outcome.succeeded) return { message, outcome, action: 'delete' };
  const effectiveAttempts = Math.min(rules.maxAttempts, rules.maxReceives);
  if (message.receiveCount >= effectiveAttempts) return { message, outcome, action: 'dead-letter' };
  const wait = retryDelay({ ...rules, attempt: message.receiveCount });
  return { message, outcome, action: 'retry', availableAt: outcome.endedAt + wait };
}

/** Why a message is discarded instead of sent, decided right before it would be sent; null if it is sent or held. */
export function discardReason(
  message: ReceivedMessage,
  target: DeliveryTarget | undefined,
): DiscardReason | null {
  if (target === undefined || target.state === 'DELETED') return 'WEBHOOK_DELETED';
  if (target.state === 'INACTIVE') return 'WEBHOOK_INACTIVE';
  // While a webhook is paused, its messages are not discarded either.
  if (target.state === 'PAUSED') return null;
  if (isTooOld(message.occurredAt, target)) return 'BEFORE_IGNORE_DT';
  return null;
}

/** Discards a message at the time `at`, with the messages behind it to which the same reason applies. */
export function discard(
  message: ReceivedMessage,
  target: DeliveryTarget | undefined,
  reason: DiscardReason,
  at: number,
): FinishedMessage {
  return {
    message,
    target: target ?? null,
    action: 'discard',
    outcome: { kind: 'discard', reason, at },
    followersBefore: reason === 'BEFORE_IGNORE_DT' ? (target?.ignoreBefore ?? 0) : at,
  };
}

/**
 * Discards followers only as far as the webhook still requires it. The webhook may have changed since the message was
 * received, and the line may have messages that were confirmed after that change.
 * @param current the webhook at the time of settling; undefined if it was erased
 */
export function withCurrentFollowers(
  settlement: FinishedMessage,
  current: DeliveryTarget | undefined,
): FinishedMessage {
  if (settlement.action !== 'discard') return settlement;
  const { message, outcome } = settlement;
  if (discardReason(message, current) !== outcome.reason) return { ...settlement, followersBefore: 0 };
  if (outcome.reason !== 'BEFORE_IGNORE_DT') return settlement;
  return {
    ...settlement,
    followersBefore: Math.min(settlement.followersBefore, current?.ignoreBefore ?? 0),
  };
}

/** Dead-letters a message at the time `at`, without another attempt, because it has had all of its attempts. */
export function deadLetter(message: ReceivedMessage, target: DeliveryTarget, at: number): FinishedMessage {
  return { message, target, action: 'dead-letter', outcome: { kind: 'exhausted', at } };
}

/** Returns a message to the head of its line without an attempt, due at `availableAt` or at once. */
export function release(message: ReceivedMessage, availableAt?: number): FinishedMessage {
  const when = availableAt === undefined ? {} : { availableAt };
  return { message, target: null, action: 'release', outcome: { kind: 'release' }, ...when };
}

/** Puts the head of a paused webhook on hold, without an attempt, until the webhook is resumed. */
export function hold(message: ReceivedMessage): FinishedMessage {
  return release(message, HELD_UNTIL);
}

/** Whether a settlement puts the head of a paused webhook on hold. */
export function isHeld(settlement: FinishedMessage): boolean {
  return settlement.action === 'release' && settlement.availableAt === HELD_UNTIL;
}
