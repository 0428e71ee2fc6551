import { type Static, Type } from 'typebox';
import { type Actor, actorOf } from '../../audit/actor.ts';
import type { Reader, Transaction } from '../../database/database.ts';
import { TOO_MANY_READS } from '../../http/caller-turns.ts';
import { given } from '../../http/given.ts';
import type { Idempotency } from '../../http/idempotency.ts';
import { parseId } from '../../http/ids.ts';
import { pageRequest, pageResponse, parseCursor, toCursor } from '../../http/paging.ts';
import { problems, type Routes } from '../../http/routes.ts';
import { PageOf, PathId } from '../../http/schemas.ts';
import { assertValid } from '../../http/validation.ts';
import type { InputError } from '../../problems/problem.ts';
import { WebhookParams, webhookIdOf } from '../configuration/webhook-routes.ts';
import type { DeadLetterRemoval } from './dead-letter-removal.ts';
import { toDeliveryRecord, toDeliverySummary } from './delivery-records.ts';
import {
  DEFAULT_REDELIVER_LIMIT,
  DeliveriesQuery,
  DeliveryRecord,
  DeliverySummary,
  deliveryFilter,
  RedeliverQuery,
  RedeliverRecord,
  RemoveQuery,
  RemoveRecord,
} from './delivery-schemas.ts';
import { FINAL_STATUSES } from './delivery-status.ts';
import { readDeliveries, readDeliveryDetails } from './read-deliveries.ts';
import type { RedeliveryResult, RedeliveryService } from './redelivery-service.ts';

const READ = { scope: 'webhooks:read' };
const WRITE = { scope: 'webhooks:write' };
const historyTags = ['Delivery history'];
const DeliveryParams = Type.Object({
  ...WebhookParams.properties,
  delivery_id: PathId('The id of the delivery.'),
});

/** Dependencies of {@link deliveryRoutes}. */
export interface DeliveryRoutesDependencies {
  reader: Reader;
  redelivery: RedeliveryService;
  removal: DeadLetterRemoval;
  idempotency: Idempotency;
}

/** The delivery history of webhooks, redelivery, and removal of dead letters. */
export function deliveryRoutes(routes: Routes, dependencies: DeliveryRoutesDependencies): void {
  listRoute(routes, dependencies);
  detailsRoute(routes, dependencies);
  redeliverOneRoute(routes, dependencies);
  redeliverManyRoute(routes, dependencies);
  removalRoute(routes, dependencies);
}

const deliveryIdOf = (params: { delivery_id: string }) => parseId(params.delivery_id, 'delivery');

function listRoute(routes: Routes, { reader }: DeliveryRoutesDependencies): void {
  routes.get(
    '/webhooks/:webhook_id/deliveries',
    {
      config: { ...READ, hasLargeResponse: true },
      schema: {
        tags: historyTags,
        operationId: 'listDeliveries',
        summary: 'List deliveries',
        description:
          'The outcomes of the webhook’s messages, newest first. Available for deleted webhooks, too, until it expires. ' +
          'With a filter other than `status` and `message_id`, a page examines at most 2,000 messages: it may have fewer items than its limit, or none, and still have a `next_cursor`.',
        params: WebhookParams,
        querystring: DeliveriesQuery,
        response: {
          200: PageOf(DeliverySummary, 'Deliveries, newest first.'),
          ...problems(400, 404, { 429: TOO_MANY_READS }),
        },
      },
    },
    async (request) => {
      const page = await readDeliveries(reader, webhookIdOf(request.params), {
        filter: deliveryFilter(request.query),
        page: pageRequest(request.query),
      });
      return pageResponse(page, toDeliverySummary);
    },
  );
}

function detailsRoute(routes: Routes, { reader }: DeliveryRoutesDependencies): void {
  routes.get(
    '/webhooks/:webhook_id/deliveries/:delivery_id',
    {
      config: { ...READ, hasLargeResponse: true },
      schema: {
        tags: historyTags,
        operationId: 'getDelivery',
        summary: 'Read a delivery',
        params: DeliveryParams,
        response: {
          200: DeliveryRecord,
          ...problems(404, { 409: 'The message cannot be read from the database.' }, { 429: TOO_MANY_READS }),
        },
      },
    },
    async (request) =>
      toDeliveryRecord(
        await readDeliveryDetails(reader, webhookIdOf(request.params), deliveryIdOf(request.params)),
      ),
  );
}

function redeliverOneRoute(routes: Routes, { redelivery, idempotency }: DeliveryRoutesDependencies): void {
  routes.post(
    '/webhooks/:webhook_id/deliveries/:delivery_id/redeliver',
    {
      config: WRITE,
      schema: {
        tags: historyTags,
        operationId: 'redeliverDelivery',
        summary: 'Redeliver a message',
        description: 'Appends the same message, with the same `webhook-id`, to the line.',
        params: DeliveryParams,
        response: {
          202: DeliverySummary,
          ...problems(
            404,
            { 409: 'The message is already waiting or cannot be read, or the webhook is inactive.' },
            422,
          ),
        },
      },
    },
    async (request, reply) =>
      idempotency.respond(request, reply, async (tx) => {
        const ids = [webhookIdOf(request.params), deliveryIdOf(request.params)] as const;
        return {
          status: 202,
          body: toDeliverySummary(await redelivery.redeliver(...ids, actorOf(request), tx)),
        };
      }),
  );
}

function redeliverManyRoute(routes: Routes, { redelivery, idempotency }: DeliveryRoutesDependencies): void {
  routes.post(
    '/webhooks/:webhook_id/deliveries/redeliver',
    {
      config: WRITE,
      attachValidation: true,
      schema: {
        tags: historyTags,
        operationId: 'redeliverDeliveries',
        summary: 'Redeliver dead-lettered or discarded messages',
        description:
          'Appends them to the line in their original order. Repeat the call with the `next_cursor` of the ' +
          'response as `cursor`, until it is null. Without `cursor`, each call starts from the beginning, and ' +
          'repeats messages that have failed again. Messages that cannot be read from the database are omitted.',
        params: WebhookParams,
        querystring: RedeliverQuery,
        response: {
          202: RedeliverRecord,
          ...problems(
            400,
            404,
            { 409: 'The webhook is inactive, or none of the given messages can be read.' },
            422,
          ),
        },
      },
    },
    async (request, reply) => {
      assertValid(request, combinationErrors(request.query, ['status']));
      return await idempotency.respond(request, reply, async (tx) => {
        const result = await redeliverRequested(
          redelivery,
          webhookIdOf(request.params),
          request.query,
          actorOf(request),
          tx,
        );
        return { status: 202, body: toRedelivery(result) };
      });
    },
  );
}

function removalRoute(routes: Routes, { removal, idempotency }: DeliveryRoutesDependencies): void {
  routes.post(
    '/webhooks/:webhook_id/deliveries/remove',
    {
      config: WRITE,
      attachValidation: true,
      schema: {
        tags: historyTags,
        operationId: 'removeDeadLetters',
        summary: 'Remove dead letters',
        description:
          'Removes messages from the dead-letter queue. Until the history expires, it lists them as DISCARDED with the reason REMOVED, ' +
          'and they can be redelivered from there. Repeat with the `next_cursor` of the call before until it is null. Works for ' +
          'deleted webhooks, too.',
        params: WebhookParams,
        querystring: RemoveQuery,
        response: { 200: RemoveRecord, ...problems(400, 404, 422) },
      },
    },
    async (request, reply) => {
      assertValid(request, combinationErrors(request.query));
      return await idempotency.respond(request, reply, async (tx) => {
        const { limit, cursor, delivery_id: ids, ...filter } = request.query;
        const webhookId = webhookIdOf(request.params);
        const result =
          ids === undefined
            ? await removal.removeMatching(
                webhookId,
                deliveryFilter(filter),
                { limit: limit ?? DEFAULT_REDELIVER_LIMIT, after: given(parseCursor, cursor) },
                actorOf(request),
                tx,
              )
            : await removal.removeThese(webhookId, ids, actorOf(request), tx);
        const { removed, remaining, next } = result;
        return {
          status: 200,
          body: { removed, remaining, next_cursor: next === null ? null : toCursor(next) },
        };
      });
    },
  );
}

/** Redelivers the messages that a query names: by their ids or by a filter. */
async function redeliverRequested(
  redelivery: RedeliveryService,
  webhookId: number,
  query: Static<typeof RedeliverQuery>,
  by: Actor,
  tx: Transaction | undefined,
): Promise<RedeliveryResult> {
  const { status, limit, cursor, delivery_id: ids, ...filter } = query;
  const statuses = status ?? (['DEAD_LETTERED', 'DISCARDED'] as const);
  if (ids !== undefined)
    return await redelivery.redeliverThese(webhookId, { ids, statuses: status ?? FINAL_STATUSES }, by, tx);
  const page = { limit: limit ?? DEFAULT_REDELIVER_LIMIT, after: given(parseCursor, cursor) };
  const matching = {
    ...deliveryFilter(filter),
    statuses,
    ...(status === undefined ? { withoutManualDiscards: true } : {}),
  };
  return await redelivery.redeliverMatching(webhookId, matching, page, by, tx);
}

/** Ids can only be combined with the members in `allowed`. */
function combinationErrors(query: { delivery_id?: unknown }, allowed: readonly string[] = []): InputError[] {
  if (query.delivery_id === undefined) return [];
  const others = Object.keys(query).filter((name) => name !== 'delivery_id' && !allowed.includes(name));
  return others.map((name) => ({ pointer: `/query/${name}`, detail: 'cannot be combined with delivery_id' }));
}

function toRedelivery({ redelivered, remaining, next }: RedeliveryResult): Static<typeof RedeliverRecord> {
  return { redelivered, remaining, next_cursor: next === null ? null : toCursor(next) };
}
