import { Type } from 'typebox';
import { actorOf } from '../../audit/actor.ts';
import { given, givenTime } from '../../http/given.ts';
import type { Idempotency } from '../../http/idempotency.ts';
import { PageQuery, pairCursor, parseReplayCursor } from '../../http/paging.ts';
import { problems, type Routes } from '../../http/routes.ts';
import { Nullable, READ_AS, RequiredTimeQuery, TimeQuery } from '../../http/schemas.ts';
import { assertValid } from '../../http/validation.ts';
import { WebhookParams, webhookIdOf } from '../configuration/webhook-routes.ts';
import type { ReplayService } from './replay-service.ts';

const ReplayQuery = Type.Object({
  from_dt: RequiredTimeQuery('Events at or after this time: ISO 8601 with a time zone.'),
  to_dt: TimeQuery('Events before this time. By default, all that have occurred before the first call.'),
  again: Type.Optional(
    Type.Boolean({
      description:
        'If true, also sends events for which the webhook already got a message, with the same `webhook-id`. Waiting messages are not sent again.',
    }),
  ),
  dry_run: Type.Optional(
    Type.Boolean({
      description: 'If true, nothing is queued: the call only counts the messages.',
    }),
  ),
  cursor: Type.Optional(Type.String({ ...PageQuery.properties.cursor, [READ_AS]: 'replay-cursor' })),
});

const ReplayRecord = Type.Object(
  {
    replayed: Type.Integer({
      description: 'Number of queued messages. With `dry_run`, the number of messages that would be queued.',
    }),
    next_cursor: Nullable(
      Type.String({
        description:
          'Repeat the call with this `cursor` until it is null: a call reads a part of the events.',
      }),
    ),
  },
  { title: 'Replay', description: 'What replaying events did.' },
);

/** Replaying events to a webhook. */
export function replayRoutes(
  routes: Routes,
  { replays, idempotency }: { replays: ReplayService; idempotency: Idempotency },
): void {
  routes.post(
    '/webhooks/:webhook_id/replay',
    {
      config: { scope: 'webhooks:write' },
      attachValidation: true,
      schema: {
        tags: ['Events'],
        operationId: 'replayEvents',
        summary: 'Replay events to a webhook',
        description:
          'Appends messages of past events to the line, in the order of the events. These are the events that the webhook now matches ' +
          'and for which it got no message. Messages have the `timestamp` of their event.',
        params: WebhookParams,
        querystring: ReplayQuery,
        response: {
          202: ReplayRecord,
          ...problems(
            400,
            404,
            { 409: 'The webhook is inactive, or an event of the period cannot be read from the database.' },
            422,
          ),
        },
      },
    },
    async (request, reply) => {
      assertValid(request);
      const { again = false, dry_run: dryRun = false, cursor, from_dt, to_dt } = request.query;
      const from = givenTime(from_dt)!;
      const to = givenTime(to_dt);
      const [after, upTo] = given(parseReplayCursor, cursor) ?? [null, null];
      // With a cursor, an earlier call has waited. A count need not be that exact.
      if (after === null && !dryRun) await replays.untilChangesEnded();
      return await idempotency.respond(request, reply, async (tx) => {
        const id = webhookIdOf(request.params);
        const step = await replays.step(id, { from, to, again, dryRun, after, upTo }, actorOf(request), tx);
        const next = step.next === null ? null : pairCursor(step.next, step.upTo);
        return { status: 202, body: { replayed: step.replayed, next_cursor: next } };
      });
    },
  );
}
