import { actorOf } from '../../audit/actor.ts';
import type { Idempotency } from '../../http/idempotency.ts';
import { passing, problems, type Routes } from '../../http/routes.ts';
import { WebhookParams, webhookIdOf } from '../configuration/webhook-routes.ts';
import { toLineRecord } from './line-records.ts';
import { HeadQuery, LineRecord } from './line-schemas.ts';
import type { LineService } from './line-service.ts';

const READ = { scope: 'webhooks:read' };
const WRITE = { scope: 'webhooks:write' };
const lineTags = ['Lines'];
const HEAD_ACTIONS = [
  { path: 'retry', action: 'retry', operationId: 'retryHead', summary: 'Retry the head of a line now' },
  {
    path: 'skip',
    action: 'dead-letter',
    operationId: 'skipHead',
    summary: 'Move the head of a line to the dead-letter queue',
  },
] as const;

/** Dependencies of {@link lineRoutes}. */
export interface LineRoutesDependencies {
  lines: LineService;
  idempotency: Idempotency;
  now: () => number;
}

/** The lines of webhooks, and actions on their heads. */
export function lineRoutes(routes: Routes, dependencies: LineRoutesDependencies): void {
  getLineRoute(routes, dependencies);
  for (const action of HEAD_ACTIONS) headActionRoute(routes, action, dependencies);
}

function getLineRoute(routes: Routes, { lines, now }: LineRoutesDependencies): void {
  routes.get(
    '/webhooks/:webhook_id/line',
    {
      config: { ...READ, everChangingMember: 'oldest_age' satisfies keyof LineRecord },
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
}

function headActionRoute(
  routes: Routes,
  { path, action, operationId, summary }: (typeof HEAD_ACTIONS)[number],
  { lines, idempotency, now }: LineRoutesDependencies,
): void {
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
            { 409: passing('The line is empty, or its head is in flight or another message.') },
            422,
          ),
        },
      },
    },
    async (request, reply) =>
      idempotency.respond(request, reply, async (tx) => {
        const { message_id: messageId } = request.query;
        // A UUID may be written with capitals (RFC 9562 section 4).
        const line = await lines.actOnHead(
          webhookIdOf(request.params),
          action,
          messageId?.toLowerCase(),
          actorOf(request),
          tx,
        );
        return { status: 200, body: toLineRecord(line, now()) };
      }),
  );
}
