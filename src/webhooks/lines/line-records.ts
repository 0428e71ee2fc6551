import type { Static } from 'typebox';
import type { Subtopic } from '../../events/catalogue.ts';
import { isBlocked } from '../../queue/line-facts.ts';
import { formatDateTime, formatOptionalDateTime } from '../../time/date-time.ts';
import { SECOND_MS } from '../../time/units.ts';
import type { LineRecord } from './line-schemas.ts';
import type { Line } from './line-service.ts';

/** A webhook's line. */
export function toLineRecord(line: Line, now: number): Static<typeof LineRecord> {
  const { head } = line;
  return {
    webhook_id: line.webhookId,
    state: stateOf(line),
    depth: line.depth,
    oldest_dt: formatOptionalDateTime(head?.occurredAt ?? null),
    oldest_age: head === null ? null : Math.max(0, now - head.occurredAt) / SECOND_MS,
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
            unreadable: line.unreadable,
            next_attempt_dt:
              head.inFlight || !line.delivers || line.paused || line.unreadable !== null
                ? null
                : formatDateTime(head.availableAt),
          },
  };
}

function stateOf({ head, delivers, paused, unreadable }: Line): Static<typeof LineRecord>['state'] {
  if (head === null) return 'EMPTY';
  if (head.inFlight) return 'IN_FLIGHT';
  if (!delivers || paused) return 'PAUSED';
  return unreadable !== null || isBlocked(head) ? 'RETRYING' : 'DUE';
}
