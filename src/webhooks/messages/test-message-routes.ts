import { Type } from 'typebox';
import { SUBTOPICS } from '../../events/catalogue.ts';
import { callerOf } from '../../http/authorization.ts';
import { parseId } from '../../http/ids.ts';
import { problems, type Routes } from '../../http/routes.ts';
import { describedAs } from '../../http/schemas.ts';
import { WebhookParams } from '../configuration/webhook-routes.ts';
import { SubtopicMember } from '../configuration/webhook-schemas.ts';
import { TestRecord } from '../history/delivery-schemas.ts';
import type { TestMessages } from './test-message.ts';

/** Testing the target of a webhook. */
export function testMessageRoutes(routes: Routes, tests: TestMessages): void {
  routes.post(
    '/webhooks/:webhook_id/test',
    {
      config: { scope: 'webhooks:write' },
      schema: {
        tags: ['Webhooks'],
        operationId: 'testWebhook',
        summary: 'Send a test message',
        description:
          'Sends a sample message with the header `webhook-test: true` immediately, bypassing the queue, and returns the ' +
          'response of the target. Not counted in the statistics.',
        params: WebhookParams,
        querystring: Type.Object({
          subtopic: Type.Optional(
            describedAs(
              Type.Enum([...SUBTOPICS], {
                description: 'The subtopic of the sample. Defaults to the first subtopic of the webhook.',
              }),
              SubtopicMember,
            ),
          ),
        }),
        response: { 200: TestRecord, ...problems(400, 404) },
      },
    },
    async (request) => {
      const result = await tests.send(parseId(request.params.webhook_id, 'webhook'), {
        subtopic: request.query.subtopic,
        user: callerOf(request).user,
      });
      return {
        delivered: result.delivered,
        response_status: result.responseStatus,
        response_body: result.responseBody,
        error: result.reason,
        duration_ms: Math.round(result.durationMs),
        message: JSON.parse(result.body),
      };
    },
  );
}
