import { Type } from 'typebox';
import type { Reader } from '../../database/database.ts';
import { idIn } from '../../http/ids.ts';
import type { Routes } from '../../http/routes.ts';
import { invalidInput } from '../../problems/problem.ts';
import type { LineReader } from '../../queue/message-queue.ts';
import { formatOptionalDateTime } from '../../time/date-time.ts';
import { readWaitingReasons, type WaitingReason } from './waiting-reasons.ts';

/** Why the messages of a webhook wait. */
export type WaitingReasonRecord = ReturnType<typeof toRecord>;

/** A page of the webhooks of an event has as many. */
const MAX_WEBHOOKS = 50;
/** Ids have at most 16 digits. */
const MAX_IDS_LENGTH = MAX_WEBHOOKS * 17;

/** Why the messages of some webhooks wait, for the page of an event. */
export function waitingReasonRoutes(
  routes: Routes,
  { reader, lines, delivers }: { reader: Reader; lines: LineReader; delivers: () => boolean },
): void {
  routes.get(
    '/ui/api/waiting-reasons',
    {
      config: { scope: 'webhooks:read' },
      schema: {
        hide: true,
        querystring: Type.Object(
          { webhook_ids: Type.String({ maxLength: MAX_IDS_LENGTH }) },
          { additionalProperties: false },
        ),
      },
    },
    async (request) => {
      const ids = idsOf(request.query.webhook_ids);
      const reasons = await readWaitingReasons({ reader, lines, delivers: delivers() }, ids);
      return { data: reasons.map(toRecord) };
    },
  );
}

function idsOf(text: string): number[] {
  const ids = text.split(',').map((each) => idIn(each));
  const valid = ids.filter((id) => id !== null);
  if (valid.length < ids.length || valid.length > MAX_WEBHOOKS) {
    const detail = `must be up to ${MAX_WEBHOOKS} ids of webhooks, separated by commas`;
    throw invalidInput([{ pointer: '/query/webhook_ids', detail }]);
  }
  return valid;
}

function toRecord(of: WaitingReason) {
  const blocker = of.reason === 'BLOCKED' ? of.blocker : null;
  return {
    webhook_id: of.webhookId,
    /**
     * TURNED_OFF: the settings of every instance turn delivery off. UNREADABLE: the first message of the line cannot be read
     * from the database. BLOCKED: it fails.
     */
    reason: of.reason,
    /** Since when the webhook is inactive or paused, or the message of `blocker` fails. */
    since_dt: formatOptionalDateTime('since' in of ? of.since : (blocker?.since ?? null)),
    /** The first message of the line, if it fails. */
    blocker:
      blocker === null
        ? null
        : {
            message_id: blocker.messageId,
            delivery_id: blocker.deliveryId,
            attempts: blocker.attempts,
            last_error_message: blocker.lastErrorMessage,
            /** The target's explanation, from its response. */
            explanation: blocker.explanation,
            /** Null while it is in flight. */
            next_attempt_dt: formatOptionalDateTime(blocker.nextAttemptAt),
          },
  };
}
