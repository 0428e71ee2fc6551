import { Type } from 'typebox';
import type { Idempotency } from '../../http/idempotency.ts';
import { parseId } from '../../http/ids.ts';
import { pageAnswer, pageRequest } from '../../http/paging.ts';
import { problems, type Routes } from '../../http/routes.ts';
import { PageOf, PathId } from '../../http/schemas.ts';
import { WebhookParams } from '../configuration/webhook-routes.ts';
import { toDeliveryRecord, toDeliverySummary, toLineRecord } from './delivery-records.ts';
import {
  DEFAULT_REDELIVER_LIMIT,
  DeliveriesQuery,
  DeliveryRecord,
  DeliverySummary,
  HeadQuery,
  LineRecord,
  RedeliverQuery,
  RedeliverRecord,
} from './delivery-schemas.ts';
import type { LineService } from './line-service.ts';

const READ = { scope: 'webhooks:read' };
const WRITE = { scope: 'webhooks:write' };
const historyTags = ['Delivery history'];
const lineTags = ['Lines'];
const DeliveryParams = Type.Object({
  ...WebhookParams.properties,
  delivery_id: PathId('The id of the delivery.'),
});

/** The delivery history of webhooks, sending messages again, and what waits. */
export function deliveryRoutes(
  routes: Routes,
  { lines, idempotency, now }: { lines: LineService; idempotency: Idempotency; now: () => number },
): void {
  const webhookIdOf = (params: { webhook_id: string }) => parseId(params.webhook_id, 'webhook');
  const deliveryIdOf = (params: { delivery_id: string }) => parseId(params.delivery_id, 'delivery');

  routes.get(
    '/webhooks/:webhook_id/deliveries',
    {
      config: READ,
      schema: {
        tags: historyTags,
        operationId: 'listDeliveries',
        summary: 'List deliveries',
        description:
          'The outcomes of the webhook’s messages, newest first. Available for deleted webhooks, too, until it expires.',
        params: WebhookParams,
        querystring: DeliveriesQuery,
        response: { 200: PageOf(DeliverySummary, 'Deliveries, newest first.'), ...problems(400, 404) },
      },
    },
    async (request) => {
      const statuses = request.query.status ?? null;
      const page = await lines.deliveries(webhookIdOf(request.params), statuses, pageRequest(request.query));
      return pageAnswer(page, toDeliverySummary);
    },
  );

  routes.get(
    '/webhooks/:webhook_id/deliveries/:delivery_id',
    {
      config: READ,
      schema: {
        tags: historyTags,
        operationId: 'getDelivery',
        summary: 'Read a delivery',
        params: DeliveryParams,
        response: { 200: DeliveryRecord, ...problems(404) },
      },
    },
    async (request) =>
      toDeliveryRecord(await lines.delivery(webhookIdOf(request.params), deliveryIdOf(request.params))),
  );

  routes.post(
    '/webhooks/:webhook_id/deliveries/:delivery_id/redeliver',
    {
      config: WRITE,
      schema: {
        tags: historyTags,
        operationId: 'redeliverDelivery',
        summary: 'Send a message again',
        description: 'Appends the same message, with the same `webhook-id`, to the line.',
        params: DeliveryParams,
        response: {
          202: DeliverySummary,
          ...problems(404, { 409: 'The message is already waiting, or can no longer be sent.' }, 422),
        },
      },
    },
    async (request, reply) =>
      idempotency.answer(request, reply, async (tx) => {
        const ids = [webhookIdOf(request.params), deliveryIdOf(request.params)] as const;
        return { status: 202, body: toDeliverySummary(await lines.redeliver(...ids, tx)) };
      }),
  );

  routes.post(
    '/webhooks/:webhook_id/deliveries/redeliver',
    {
      config: WRITE,
      schema: {
        tags: historyTags,
        operationId: 'redeliverDeliveries',
        summary: 'Send dead-lettered or discarded messages again',
        description: 'Appends them to the line in their original order. Repeat until `remaining` is 0.',
        params: WebhookParams,
        querystring: RedeliverQuery,
        response: { 202: RedeliverRecord, ...problems(400, 404, { 409: 'The webhook was deleted.' }, 422) },
      },
    },
    async (request, reply) =>
      idempotency.answer(request, reply, async (tx) => {
        const { status = ['DEAD_LETTERED', 'DISCARDED'], limit = DEFAULT_REDELIVER_LIMIT } = request.query;
        return {
          status: 202,
          body: await lines.redeliverAll(webhookIdOf(request.params), status, limit, tx),
        };
      }),
  );

  routes.get(
    '/webhooks/:webhook_id/line',
    {
      config: READ,
      schema: {
        tags: lineTags,
        operationId: 'getLine',
        summary: 'Read the line of a webhook',
        params: WebhookParams,
        response: { 200: LineRecord, ...problems(404) },
      },
    },
    async (request) => toLineRecord(await lines.line(webhookIdOf(request.params)), now()),
  );

  const headActions = [
    { path: 'retry', action: 'retry', operationId: 'retryHead', summary: 'Retry the head of a line now' },
    {
      path: 'skip',
      action: 'dead-letter',
      operationId: 'skipHead',
      summary: 'Move the head of a line to the dead-letter queue',
    },
  ] as const;
  for (const { path, action, operationId, summary } of headActions) {
    routes.post(
      `/webhooks/:webhook_id/line/${path}`,
      {
        config: WRITE,
        schema: {
          tags: lineTags,
          operationId,
          summary,
          params: WebhookParams,
          querystring: HeadQuery,
          response: {
            200: LineRecord,
            ...problems(
              400,
              404,
              { 409: 'The line is empty, or its head is in flight or another message.' },
              422,
            ),
          },
        },
      },
      async (request, reply) =>
        idempotency.answer(request, reply, async (tx) => {
          const { message_id: messageId } = request.query;
          const line = await lines.actOnHead(webhookIdOf(request.params), action, messageId, tx);
          return { status: 200, body: toLineRecord(line, now()) };
        }),
    );
  }
}
