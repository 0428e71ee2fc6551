import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { actorOf } from '../../audit/actor.ts';
import { callerOf } from '../../http/authorization.ts';
import { TOO_MANY_READS } from '../../http/caller-turns.ts';
import { entityTag, expectedRevisions } from '../../http/conditions.ts';
import type { Idempotency } from '../../http/idempotency.ts';
import { parseId } from '../../http/ids.ts';
import { PageQuery, pageRequest, pageResponse } from '../../http/paging.ts';
import { problems, type Routes } from '../../http/routes.ts';
import { PageOf, PathId } from '../../http/schemas.ts';
import { assertValidOrLookUp } from '../../http/validation.ts';
import type { Webhook } from './webhook.ts';
import { toStatisticsRecord, toWebhookRecord } from './webhook-records.ts';
import { StatisticsRecord, WebhookInput, WebhookRecord } from './webhook-schemas.ts';
import type { WebhookService } from './webhook-service.ts';

const READ = { scope: 'webhooks:read' };
const WRITE = { scope: 'webhooks:write' };
const tags = ['Webhooks'];
/** When a route that changes webhooks returns 403, besides a missing scope. */
export const READ_ONLY = 'Or webhooks are read-only because the webhooks service is disabled.';

/** The path member that names a webhook. */
export const WebhookParams = Type.Object({
  webhook_id: PathId('The id of the webhook.'),
});

/** The webhook that a path names. @throws {ProblemError} `not-found` if it is no id */
export function webhookIdOf(params: { webhook_id: string }): number {
  return parseId(params.webhook_id, 'webhook');
}

/** Webhooks and their statistics. */
export function webhookRoutes(routes: Routes, webhooks: WebhookService, idempotency: Idempotency): void {
  createRoute(routes, webhooks, idempotency);
  readRoutes(routes, webhooks);
  updateRoute(routes, webhooks);
  deleteRoute(routes, webhooks);
  statisticsRoutes(routes, webhooks, idempotency);
}

function createRoute(routes: Routes, webhooks: WebhookService, idempotency: Idempotency): void {
  routes.post(
    '/webhooks',
    {
      config: WRITE,
      attachValidation: true,
      schema: {
        tags,
        operationId: 'createWebhook',
        summary: 'Create a webhook',
        body: WebhookInput,
        response: {
          201: WebhookRecord,
          ...problems(400, { 409: 'The installation has its maximum number of webhooks.' }, 413, 415, 422),
        },
      },
    },
    async (request, reply) => {
      const by = actorOf(request);
      await assertValidOrLookUp(request, () => webhooks.inputErrors(request.body, null));
      return await idempotency.respondWithSecret(request, reply, async (tx) => {
        const webhook = await webhooks.create(request.body, by, tx);
        return {
          status: 201,
          headers: { Location: `/webhooks/${webhook.id}`, ETag: entityTag(webhook.revision) },
          body: toWebhookRecord(webhook, webhooks.readOnly),
        };
      });
    },
  );
}

function readRoutes(routes: Routes, webhooks: WebhookService): void {
  routes.get(
    '/webhooks',
    {
      config: { ...READ, hasLargeResponse: true },
      schema: {
        tags,
        operationId: 'listWebhooks',
        summary: 'List webhooks',
        querystring: PageQuery,
        response: {
          200: PageOf(WebhookRecord, 'Webhooks, ordered by id.'),
          ...problems(400, { 429: TOO_MANY_READS }),
        },
      },
    },
    async (request) =>
      pageResponse(await webhooks.list(pageRequest(request.query)), (webhook) =>
        toWebhookRecord(shownTo(request, webhook), webhooks.readOnly),
      ),
  );

  routes.get(
    '/webhooks/:webhook_id',
    {
      config: READ,
      schema: {
        tags,
        operationId: 'getWebhook',
        summary: 'Read a webhook',
        params: WebhookParams,
        response: { 200: WebhookRecord, ...problems(404) },
      },
    },
    async (request, reply) => {
      const webhook = shownTo(request, await webhooks.get(webhookIdOf(request.params)));
      return reply
        .header('ETag', entityTag(webhook.revision))
        .send(toWebhookRecord(webhook, webhooks.readOnly));
    },
  );
}

function updateRoute(routes: Routes, webhooks: WebhookService): void {
  routes.put(
    '/webhooks/:webhook_id',
    {
      config: WRITE,
      attachValidation: true,
      schema: {
        tags,
        operationId: 'updateWebhook',
        summary: 'Update a webhook',
        description:
          'Replaces the whole configuration: omitted members get their defaults. Any update clears the error state. ' +
          'With `If-Match`, the update is made only if the webhook has not changed since you read it.',
        params: WebhookParams,
        querystring: Type.Object({
          resetStatistics: Type.Optional(
            Type.Boolean({ description: 'If true, also resets the statistics.' }),
          ),
        }),
        body: WebhookInput,
        response: { 200: WebhookRecord, ...problems(400, { 403: READ_ONLY }, 404, 412, 413, 415) },
      },
    },
    async (request, reply) => {
      webhooks.assertWritable();
      const id = webhookIdOf(request.params);
      await assertValidOrLookUp(request, () => webhooks.inputErrors(request.body, id));
      const webhook = await webhooks.update(id, request.body, {
        by: actorOf(request),
        resetStatistics: request.query.resetStatistics ?? false,
        expected: expectedRevisions(request),
      });
      return reply
        .header('ETag', entityTag(webhook.revision))
        .send(toWebhookRecord(webhook, webhooks.readOnly));
    },
  );
}

function deleteRoute(routes: Routes, webhooks: WebhookService): void {
  routes.delete(
    '/webhooks/:webhook_id',
    {
      config: WRITE,
      schema: {
        tags,
        operationId: 'deleteWebhook',
        summary: 'Delete a webhook',
        description: 'Discards its waiting messages. Its delivery history stays readable until it expires.',
        params: WebhookParams,
        response: {
          204: Type.Null({ description: 'The webhook is deleted.' }),
          ...problems({ 403: READ_ONLY }, 404, 412),
        },
      },
    },
    async (request, reply) => {
      await webhooks.delete(webhookIdOf(request.params), {
        by: actorOf(request),
        expected: expectedRevisions(request),
      });
      return reply.code(204).send(null);
    },
  );
}

function statisticsRoutes(routes: Routes, webhooks: WebhookService, idempotency: Idempotency): void {
  routes.get(
    '/webhooks/:webhook_id/statistics',
    {
      config: READ,
      schema: {
        tags,
        operationId: 'getWebhookStatistics',
        summary: 'Read the statistics of a webhook',
        params: WebhookParams,
        response: { 200: StatisticsRecord, ...problems(404) },
      },
    },
    async (request) => toStatisticsRecord(await webhooks.statistics(webhookIdOf(request.params))),
  );

  routes.post(
    '/webhooks/:webhook_id/statistics/reset',
    {
      config: WRITE,
      schema: {
        tags,
        operationId: 'resetWebhookStatistics',
        summary: 'Reset the statistics of a webhook',
        params: WebhookParams,
        response: { 200: StatisticsRecord, ...problems(404, 422) },
      },
    },
    async (request, reply) =>
      idempotency.respond(request, reply, async (tx) => ({
        status: 200,
        body: toStatisticsRecord(
          await webhooks.resetStatistics(webhookIdOf(request.params), actorOf(request), tx),
        ),
      })),
  );
}

/** Administrators who only look at webhooks see no credentials, not even the key. */
function shownTo(request: FastifyRequest, webhook: Webhook): Webhook {
  const { kind, scopes } = callerOf(request);
  if (kind === 'client' || scopes.has('webhooks:write') || webhook.authentication.type === 'NONE') {
    return webhook;
  }
  return { ...webhook, authentication: { type: 'BASIC', key: '' } };
}
