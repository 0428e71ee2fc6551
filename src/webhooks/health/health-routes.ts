import { type Static, Type } from 'typebox';
import type { Subtopic } from '../../events/catalogue.ts';
import { problems, type Routes } from '../../http/routes.ts';
import { Id, Nullable, OptionalDateTime } from '../../http/schemas.ts';
import { formatOptionalDateTime } from '../../time/date-time.ts';
import { WebhookParams, webhookIdOf } from '../configuration/webhook-routes.ts';
import { SubtopicMember } from '../configuration/webhook-schemas.ts';
import { postbackFailureReason } from '../history/postback-failure.ts';
import { explanationOf } from './last-failure.ts';
import type { WebhookFailure, WebhookHealth, WebhookHealthService } from './webhook-health.ts';

const Failure = Type.Object(
  {
    reason: Nullable(Type.String({ description: 'Why the last attempt failed: `403 Forbidden`.' })),
    explanation: Nullable(
      Type.String({
        description:
          'What the target said about it in its response, as one line: a member such as `message`, or its text.',
      }),
    ),
    error_message: Nullable(Type.String({ description: 'The complete last error.' })),
    failures: Type.Integer({ description: 'Failed attempts since the last success or edit.' }),
    since_dt: OptionalDateTime('When the first of them ended.'),
    last_dt: OptionalDateTime('When the last of them ended. Null after a reset of the statistics.'),
    max_attempts: Type.Integer({
      description:
        'Effective attempts: the smaller of the webhook’s `max_attempts` and the limit of the queue. If the last one ' +
        'fails, the message is dead-lettered and the next one is sent.',
    }),
    delivery: Type.Union(
      [
        Type.Object(
          {
            id: Id('The id of the delivery.'),
            message_id: Type.String(),
            subtopic: SubtopicMember,
            status: Type.Enum(['RETRYING', 'DEAD_LETTERED'], { title: 'FailedDeliveryStatus' }),
            attempts: Type.Integer({ description: 'Attempts so far.' }),
            response_status: Nullable(Type.Integer()),
            response_body: Nullable(
              Type.String({ description: 'The first 8,192 characters of the response body.' }),
            ),
          },
          { title: 'FailedDelivery', description: 'A message that could not be delivered.' },
        ),
        Type.Null(),
      ],
      { description: 'The message that failed last. Null if it is no longer known.' },
    ),
  },
  { title: 'WebhookFailure', description: 'Why and for how long a webhook has been failing.' },
);

/** How well a webhook delivers. */
export const HealthRecord = Type.Object(
  {
    webhook_id: Id('The webhook.'),
    in_error: Type.Boolean({ description: 'Whether an attempt has failed since the last success or edit.' }),
    attempts: Type.Integer({ description: 'Attempts within the last 24 hours, to the hour.' }),
    success_rate: Nullable(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description: 'The share of these attempts that succeeded. Null without attempts.',
      }),
    ),
    failure: Type.Union([Failure, Type.Null()], { description: 'Null unless the webhook is in error.' }),
  },
  { title: 'WebhookHealth', description: 'How well a webhook delivers.' },
);
export type HealthRecord = Static<typeof HealthRecord>;

/** How well webhooks deliver. */
export function healthRoutes(routes: Routes, health: WebhookHealthService): void {
  routes.get(
    '/webhooks/:webhook_id/health',
    {
      config: { scope: 'webhooks:read' },
      schema: {
        tags: ['Webhooks'],
        operationId: 'getWebhookHealth',
        summary: 'Read the health of a webhook',
        description:
          'The success rate of the last 24 hours. If the webhook is in error, also why and since when.',
        params: WebhookParams,
        response: { 200: HealthRecord, ...problems(404) },
      },
    },
    async (request) => toHealthRecord(await health.of(webhookIdOf(request.params))),
  );
}

function toHealthRecord({ webhookId, successes, failures, failure }: WebhookHealth): HealthRecord {
  const attempts = successes + failures;
  return {
    webhook_id: webhookId,
    in_error: failure !== null,
    attempts,
    success_rate: attempts === 0 ? null : successes / attempts,
    failure: failure === null ? null : toFailureRecord(failure),
  };
}

function toFailureRecord(failure: WebhookFailure): NonNullable<HealthRecord['failure']> {
  const { delivery, errorMessage } = failure;
  return {
    reason: errorMessage === null ? null : postbackFailureReason(errorMessage),
    explanation: explanationOf(failure),
    error_message: errorMessage,
    failures: failure.failures,
    since_dt: formatOptionalDateTime(failure.since),
    last_dt: formatOptionalDateTime(failure.lastAt),
    max_attempts: failure.effectiveAttempts,
    delivery:
      delivery === null
        ? null
        : {
            id: delivery.id,
            message_id: delivery.message_id,
            subtopic: delivery.subtopic as Subtopic,
            status: delivery.status as 'RETRYING' | 'DEAD_LETTERED',
            attempts: delivery.attempts,
            response_status: delivery.response_status,
            response_body: delivery.response_body,
          },
  };
}
