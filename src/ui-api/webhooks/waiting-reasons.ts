import type { Reader } from '../../database/database.ts';
import { isBlocked } from '../../queue/line-facts.ts';
import type { LineReader } from '../../queue/message-queue.ts';
import { existingWebhookState } from '../../webhooks/configuration/webhook-state.ts';
import { readMessageDelivery } from '../../webhooks/history/read-deliveries.ts';
import { type HeadFailure, readHeadFailure } from './head-failure.ts';

/** The failing message that blocks a line. */
export interface Blocker extends HeadFailure {
  messageId: string;
  deliveryId: number;
  /** In epoch milliseconds; null while it is in flight. */
  nextAttemptAt: number | null;
}

/** Why the messages of a webhook wait. Times are in epoch milliseconds. */
export type WaitingReason = { webhookId: number } & (
  | { reason: 'INACTIVE' | 'PAUSED'; since: number | null }
  | { reason: 'TURNED_OFF' | 'UNREADABLE' }
  | { reason: 'BLOCKED'; blocker: Blocker }
);

/**
 * Why the messages of webhooks wait, by webhook. Webhooks whose messages are only about to be sent are omitted. The
 * reads per webhook are the same for every length of its line.
 * @param delivers whether any instance delivers
 */
export async function readWaitingReasons(
  { reader, lines, delivers }: { reader: Reader; lines: LineReader; delivers: boolean },
  webhookIds: readonly number[],
): Promise<WaitingReason[]> {
  const reasons: WaitingReason[] = [];
  for (const webhook of await readStates(reader, webhookIds)) {
    const { id: webhookId, inactive_at: inactiveAt, paused_at: pausedAt } = webhook;
    const state = existingWebhookState(webhook);
    if (state === 'INACTIVE') reasons.push({ webhookId, reason: state, since: inactiveAt });
    else if (state === 'PAUSED') reasons.push({ webhookId, reason: state, since: pausedAt });
    else if (!delivers) reasons.push({ webhookId, reason: 'TURNED_OFF' });
    else {
      const blocker = await readBlocker(reader, lines, webhookId);
      if (blocker === 'unreadable') reasons.push({ webhookId, reason: 'UNREADABLE' });
      else if (blocker !== null) reasons.push({ webhookId, reason: 'BLOCKED', blocker });
    }
  }
  return reasons;
}

async function readStates(reader: Reader, ids: readonly number[]) {
  return await reader.query
    .selectFrom('webhooks')
    .select(['webhooks.id', 'webhooks.enabled', 'webhooks.inactive_at', 'webhooks.paused_at'])
    .where('webhooks.id', 'in', ids)
    .where('webhooks.deleted_at', 'is', null)
    .execute();
}

async function readBlocker(
  reader: Reader,
  lines: LineReader,
  webhookId: number,
): Promise<Blocker | 'unreadable' | null> {
  const { head } = await lines.line(webhookId);
  if (head === null) return null;
  if ((await lines.whyHeadIsUnreadable(webhookId)) !== null) return 'unreadable';
  if (!isBlocked(head)) return null;
  const failed = await readMessageDelivery(reader, head.messageId);
  // Its outcome is not stored yet.
  if (failed === undefined) return null;
  return {
    ...(await readHeadFailure(reader, head, failed)),
    messageId: head.messageId,
    deliveryId: failed.id,
    nextAttemptAt: head.inFlight ? null : head.availableAt,
  };
}
