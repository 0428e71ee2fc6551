import type { Static } from 'typebox';
import type { Subtopic } from '../../events/catalogue.ts';
import { formatDateTime } from '../../time/date-time.ts';
import { messageSubject } from '../messages/message-subject.ts';
import { parseHeaders } from './attempt-headers.ts';
import type { DeliveryAttempt, DeliveryRecord, DeliverySummary } from './delivery-schemas.ts';
import type { DeliveryStatus } from './delivery-status.ts';
import type { DeliveryDetails, DeliveryInBrief } from './read-deliveries.ts';

/** A delivery in a list. */
export function toDeliverySummary({ delivery, about }: DeliveryInBrief): Static<typeof DeliverySummary> {
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
    about,
  };
}

/** A complete delivery. */
export function toDeliveryRecord({
  delivery,
  body,
  attempts,
}: DeliveryDetails): Static<typeof DeliveryRecord> {
  return {
    ...toDeliverySummary({ delivery, about: messageSubject(body) }),
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
