import type { Static } from 'typebox';
import type { Subtopic } from '../../events/catalogue.ts';
import { isBlocked } from '../../queue/line-facts.ts';
import { formatDateTime, formatOptionalDateTime } from '../../time/date-time.ts';
import { messageSubject } from '../messages/message-subject.ts';
import { parseHeaders } from './attempt-headers.ts';
import type { DeliveryStatus } from './delivery-history.ts';
import type { DeliveryAttempt, DeliveryRecord, DeliverySummary, LineRecord } from './delivery-schemas.ts';
import type { Line } from './line-service.ts';
import type { DeliveryDetails, DeliveryInBrief } from './read-deliveries.ts';

const MS_PER_SECOND = 1_000;

/** A delivery in a list. */
export function toDeliverySummary({ delivery, body }: DeliveryInBrief): Static<typeof DeliverySummary> {
  return {
    id: delivery.id,
    webhook_id: delivery.webhook_id,
    message_id: delivery.message_id,
    subtopic: delivery.subtopic as Subtopic,
    status: delivery.status as DeliveryStatus,
    status_reason: delivery.status_reason,
    attempts: delivery.attempts,
    event_dt: formatDateTime(delivery.enqueued_at),
    updated_dt: formatDateTime(delivery.updated_at),
    duration_ms: delivery.duration_ms,
    response_status: delivery.response_status,
    error: delivery.error,
    about: messageSubject(body),
  };
}

/** A complete delivery. */
export function toDeliveryRecord({
  delivery,
  body,
  attempts,
}: DeliveryDetails): Static<typeof DeliveryRecord> {
  return {
    ...toDeliverySummary({ delivery, body }),
    message: JSON.parse(body),
    attempt_history: attempts.map((attempt) => toAttempt(attempt)),
  };
}

function toAttempt(attempt: DeliveryDetails['attempts'][number]): DeliveryAttempt {
  const headers = parseHeaders(attempt.headers);
  return {
    attempt: attempt.attempt,
    attempted_dt: formatDateTime(attempt.attempted_at),
    duration_ms: attempt.duration_ms,
    response_status: attempt.response_status,
    response_body: attempt.response_body,
    error: attempt.error,
    resent: attempt.resent === 1,
    request_headers: headers?.request ?? null,
    response_headers: headers?.response ?? null,
  };
}

/** A webhook's line. */
export function toLineRecord(line: Line, now: number): Static<typeof LineRecord> {
  const { head } = line;
  return {
    webhook_id: line.webhookId,
    state: stateOf(line),
    depth: line.depth,
    oldest_dt: formatOptionalDateTime(head?.occurredAt ?? null),
    oldest_age: head === null ? null : Math.max(0, now - head.occurredAt) / MS_PER_SECOND,
    head:
      head === null
        ? null
        : {
            message_id: head.messageId,
            subtopic: head.label as Subtopic,
            attempts: head.receiveCount,
            max_attempts: line.effectiveAttempts,
            in_flight: head.inFlight,
            last_error_message: line.lastErrorMessage,
            next_attempt_dt:
              head.inFlight || !line.delivers || line.paused ? null : formatDateTime(head.availableAt),
          },
  };
}

function stateOf({ head, delivers, paused }: Line): Static<typeof LineRecord>['state'] {
  if (head === null) return 'EMPTY';
  if (head.inFlight) return 'IN_FLIGHT';
  if (!delivers || paused) return 'PAUSED';
  return isBlocked(head) ? 'RETRYING' : 'DUE';
}
