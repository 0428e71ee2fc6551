import { type Static, Type } from 'typebox';
import { isSubtopic, isTopic, SUBTOPICS } from '../../events/catalogue.ts';
import { callerOf } from '../../http/authorization.ts';
import { problems, type Routes } from '../../http/routes.ts';
import { describedAs, Id, Nullable } from '../../http/schemas.ts';
import { assertValid, assertValidOrLookUp, schemaErrorsOf } from '../../http/validation.ts';
import { READ_ONLY, WebhookParams, webhookIdOf } from '../configuration/webhook-routes.ts';
import { SubtopicMember, WebhookInput } from '../configuration/webhook-schemas.ts';
import type { WebhookService } from '../configuration/webhook-service.ts';
import { MessageMember } from '../messages/message-schemas.ts';
import { MAX_TESTS_AT_A_TIME, sampleErrors, type TestMessages, type TestResult } from './test-message.ts';

const TEST = { scope: 'webhooks:write', waitsForOthers: true };
const tags = ['Webhooks'];
const TOO_MANY = `${MAX_TESTS_AT_A_TIME} test messages of the caller are waiting for their targets.`;

const SampleQuery = Type.Object({
  subtopic: Type.Optional(
    describedAs(
      Type.Enum([...SUBTOPICS], {
        description: 'The subtopic of the sample. Defaults to the first subtopic of the webhook.',
      }),
      SubtopicMember,
    ),
  ),
});

/** The result of a test message. */
export const TestRecord = Type.Object(
  {
    delivered: Type.Boolean(),
    response_status: Nullable(Type.Integer()),
    response_body: Nullable(Type.String()),
    error: Nullable(Type.String()),
    duration_ms: Type.Integer(),
    signed: Type.Boolean({ description: 'Whether the message had the header `webhook-signature`.' }),
    message: MessageMember('The message that was sent.'),
  },
  { title: 'TestResult', description: 'The response of the target to a test message.' },
);
export type TestRecord = Static<typeof TestRecord>;

/** Dependencies of {@link testMessageRoutes}. */
export interface TestMessageRoutesDependencies {
  tests: TestMessages;
  webhooks: WebhookService;
}

/** Testing the target of a webhook, before and after it is saved. */
export function testMessageRoutes(routes: Routes, dependencies: TestMessageRoutesDependencies): void {
  testConfigurationRoute(routes, dependencies);
  testWebhookRoute(routes, dependencies);
}

function testConfigurationRoute(routes: Routes, { tests, webhooks }: TestMessageRoutesDependencies): void {
  routes.post(
    '/webhooks/test',
    {
      config: TEST,
      attachValidation: true,
      schema: {
        tags,
        operationId: 'testWebhookConfiguration',
        summary: 'Test a configuration before it is saved',
        description:
          'Sends a sample message as a webhook with this configuration would, with the header `webhook-test: true`, and ' +
          'returns the response of the target. Stores nothing. The `subscription_id` of a new webhook is 0.',
        querystring: Type.Object({
          webhook_id: Type.Optional(
            Id(
              'The webhook that the configuration would replace. Its stored secret is used under the same conditions as in ' +
                'an update. Its signing secret signs the message if `target_url` has the origin of the stored target.',
            ),
          ),
          ...SampleQuery.properties,
        }),
        body: WebhookInput,
        response: {
          200: TestRecord,
          ...problems(400, { 403: READ_ONLY, 404: 'The webhook of `webhook_id` does not exist.' }, 413, 415, {
            429: TOO_MANY,
          }),
        },
      },
    },
    async (request) => {
      webhooks.assertWritable();
      const bySchema = schemaErrorsOf(request);
      const { webhook_id: webhookId = null, subtopic } = request.query;
      // An invalid id names no webhook, so what the configuration keeps is not known.
      const isKnown = bySchema.every(({ pointer }) => pointer !== '/query/webhook_id');
      const configured = isKnown ? await webhooks.inputErrors(request.body, webhookId) : [];
      // The body may have any form.
      const topic: unknown = request.body?.topic;
      const sample = isTopic(topic) && isSubtopic(subtopic) ? sampleErrors(topic, subtopic) : [];
      assertValid(request, [...configured, ...sample]);
      return toTestRecord(
        await tests.sendUnsaved(request.body, webhookId, { subtopic, caller: callerOf(request) }),
      );
    },
  );
}

function testWebhookRoute(routes: Routes, { tests, webhooks }: TestMessageRoutesDependencies): void {
  routes.post(
    '/webhooks/:webhook_id/test',
    {
      config: TEST,
      attachValidation: true,
      schema: {
        tags,
        operationId: 'testWebhook',
        summary: 'Send a test message',
        description:
          'Sends a sample message with the header `webhook-test: true` immediately, bypassing the line, and returns the ' +
          'response of the target. Not counted in the statistics.',
        params: WebhookParams,
        querystring: SampleQuery,
        response: { 200: TestRecord, ...problems(400, { 403: READ_ONLY }, 404, { 429: TOO_MANY }) },
      },
    },
    async (request) => {
      webhooks.assertWritable();
      const id = webhookIdOf(request.params);
      const { subtopic } = request.query;
      await assertValidOrLookUp(request, async () =>
        isSubtopic(subtopic) ? sampleErrors((await webhooks.get(id)).topic, subtopic) : [],
      );
      return toTestRecord(await tests.send(id, { subtopic, caller: callerOf(request) }));
    },
  );
}

function toTestRecord(result: TestResult): TestRecord {
  return {
    delivered: result.delivered,
    response_status: result.responseStatus,
    response_body: result.responseBody,
    error: result.reason,
    duration_ms: Math.round(result.durationMs),
    signed: result.signed,
    message: JSON.parse(result.body),
  };
}
