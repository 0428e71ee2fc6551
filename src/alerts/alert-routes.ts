import { Type } from 'typebox';
import { actorOf } from '../audit/actor.ts';
import { callerOf } from '../http/authorization.ts';
import { entityTag, expectedRevisions } from '../http/conditions.ts';
import type { Idempotency } from '../http/idempotency.ts';
import { parseId } from '../http/ids.ts';
import { PageQuery, pageRequest, pageResponse } from '../http/paging.ts';
import { problems, type Routes } from '../http/routes.ts';
import { Id, Nullable, PageOf, PathId } from '../http/schemas.ts';
import { assertValidOrLookUp } from '../http/validation.ts';
import { isAdmin } from '../identity/administrators/roles.ts';
import type { AlertReader } from './alert-reader.ts';
import { toFiringRecord } from './alert-records.ts';
import type { AlertService } from './alert-service.ts';
import { type AlertTests, MAX_ALERT_TESTS_AT_A_TIME, MAX_ALERT_TESTS_IN_A_ROW } from './alert-tests.ts';
import { FiringRecord, FiringState } from './firings/firing-schemas.ts';
import { AlertInput, AlertRecord, ChannelMember } from './rules/alert-schemas.ts';

const READ = { scope: 'webhooks:read' };
const WRITE = { scope: 'webhooks:write' };
const tags = ['Alerts'];
const TOO_MANY =
  `${MAX_ALERT_TESTS_AT_A_TIME} tests of the caller are in progress, or the caller has sent ` +
  `${MAX_ALERT_TESTS_IN_A_ROW} without a pause.`;
const params = Type.Object({ alert_id: PathId('The id of the alert rule.') });

/** The result of a test. */
const AlertTestRecord = Type.Object(
  {
    results: Type.Array(
      Type.Object(
        {
          channel: ChannelMember,
          sent: Type.Boolean(),
          error: Nullable(Type.String({ description: 'Why it failed, or which addresses were rejected.' })),
          duration_ms: Type.Integer(),
        },
        { title: 'AlertTestResult', description: 'The result of a test over one channel.' },
      ),
    ),
  },
  { title: 'AlertTest', description: 'The result of a test of an alert rule.' },
);

/** Dependencies of the routes. */
export interface AlertRoutesDependencies {
  alerts: AlertService;
  reader: AlertReader;
  tests: AlertTests;
  idempotency: Idempotency;
}

/** Alert rules, their tests, and what has fired. */
export function alertRoutes(routes: Routes, dependencies: AlertRoutesDependencies): void {
  createAlertRoute(routes, dependencies);
  listAlertsRoute(routes, dependencies);
  getAlertRoute(routes, dependencies);
  updateAlertRoute(routes, dependencies);
  deleteAlertRoute(routes, dependencies);
  testAlertRoute(routes, dependencies);
  listAlertFiringsRoute(routes, dependencies);
}

function createAlertRoute(routes: Routes, { alerts, reader, idempotency }: AlertRoutesDependencies): void {
  routes.post(
    '/alerts',
    {
      config: WRITE,
      attachValidation: true,
      schema: {
        tags,
        operationId: 'createAlert',
        summary: 'Create an alert rule',
        body: AlertInput,
        response: {
          201: AlertRecord,
          ...problems(400, { 409: 'The installation has its maximum number of alert rules.' }, 413, 415, 422),
        },
      },
    },
    async (request, reply) => {
      await assertValidOrLookUp(request, () => alerts.inputErrors(request.body, null));
      return await idempotency.respondWithSecret(request, reply, async (tx) => {
        const rule = await alerts.create(request.body, actorOf(request), tx);
        return {
          status: 201,
          headers: { Location: `/alerts/${rule.id}`, ETag: entityTag(rule.revision) },
          body: reader.recordOfNew(rule),
        };
      });
    },
  );
}

function listAlertsRoute(routes: Routes, { alerts, reader }: AlertRoutesDependencies): void {
  routes.get(
    '/alerts',
    {
      config: READ,
      schema: {
        tags,
        operationId: 'listAlerts',
        summary: 'List alert rules',
        querystring: PageQuery,
        response: { 200: PageOf(AlertRecord, 'Alert rules, ordered by id.'), ...problems(400) },
      },
    },
    async (request) => {
      const page = await alerts.list(pageRequest(request.query));
      const records = await reader.records(page.items);
      return pageResponse({ items: records, next: page.next }, (record) => record);
    },
  );
}

function getAlertRoute(routes: Routes, { alerts, reader }: AlertRoutesDependencies): void {
  routes.get(
    '/alerts/:alert_id',
    {
      config: READ,
      schema: {
        tags,
        operationId: 'getAlert',
        summary: 'Read an alert rule',
        params,
        response: { 200: AlertRecord, ...problems(404) },
      },
    },
    async (request, reply) => {
      const rule = await alerts.get(idOf(request.params));
      return reply.header('ETag', entityTag(rule.revision)).send(await reader.record(rule));
    },
  );
}

function updateAlertRoute(routes: Routes, { alerts, reader }: AlertRoutesDependencies): void {
  routes.put(
    '/alerts/:alert_id',
    {
      config: WRITE,
      attachValidation: true,
      schema: {
        tags,
        operationId: 'updateAlert',
        summary: 'Update an alert rule',
        description:
          'Replaces the whole configuration: omitted members get their defaults, but the URL of the target is kept. ' +
          'If you change what the rule watches, alerts that are firing end. They begin again if the problem ' +
          'continues.',
        params,
        body: AlertInput,
        response: { 200: AlertRecord, ...problems(400, 404, 412, 413, 415) },
      },
    },
    async (request, reply) => {
      const id = idOf(request.params);
      await assertValidOrLookUp(request, () => alerts.inputErrors(request.body, id));
      const rule = await alerts.update(id, request.body, {
        by: actorOf(request),
        expected: expectedRevisions(request),
      });
      return reply.header('ETag', entityTag(rule.revision)).send(await reader.record(rule));
    },
  );
}

function deleteAlertRoute(routes: Routes, { alerts }: AlertRoutesDependencies): void {
  routes.delete(
    '/alerts/:alert_id',
    {
      config: WRITE,
      schema: {
        tags,
        operationId: 'deleteAlert',
        summary: 'Delete an alert rule',
        description: 'The rule sends nothing more. Its firings stay in the list until they expire.',
        params,
        response: { 204: Type.Null({ description: 'The alert rule is deleted.' }), ...problems(404, 412) },
      },
    },
    async (request, reply) => {
      await alerts.delete(idOf(request.params), {
        by: actorOf(request),
        expected: expectedRevisions(request),
      });
      return reply.code(204).send(null);
    },
  );
}

function testAlertRoute(routes: Routes, { alerts, tests }: AlertRoutesDependencies): void {
  routes.post(
    '/alerts/:alert_id/test',
    {
      config: { ...WRITE, waitsForOthers: true },
      schema: {
        tags,
        operationId: 'testAlert',
        summary: 'Send a test notice',
        description:
          'Sends a test over every channel of the rule immediately, even in quiet hours or if the rule is disabled, and ' +
          'returns the results.',
        params,
        response: { 200: AlertTestRecord, ...problems(404, { 429: TOO_MANY }) },
      },
    },
    async (request) => ({
      results: (await tests.send(await alerts.get(idOf(request.params)), callerOf(request).id)).map(
        (result) => ({
          channel: result.channel,
          sent: result.sent,
          error: result.error,
          duration_ms: Math.round(result.durationMs),
        }),
      ),
    }),
  );
}

function listAlertFiringsRoute(routes: Routes, { reader }: AlertRoutesDependencies): void {
  routes.get(
    '/alert-firings',
    {
      config: READ,
      schema: {
        tags,
        operationId: 'listAlertFirings',
        summary: 'List firing and past alerts',
        querystring: Type.Object({
          ...PageQuery.properties,
          state: Type.Optional({
            ...FiringState,
            description: 'Only those that are firing, or that have ended.',
          }),
          alert_id: Type.Optional(Id('Only those of this alert rule.')),
          webhook_id: Type.Optional(Id('Only those about this webhook.')),
        }),
        response: { 200: PageOf(FiringRecord, 'Alerts, newest first.'), ...problems(400) },
      },
    },
    async (request) => {
      const { state, alert_id: ruleId, webhook_id: webhookId } = request.query;
      const { items, next, notices } = await reader.firings(pageRequest(request.query), {
        state,
        ruleId,
        webhookId,
      });
      const showsInside = isAdmin(callerOf(request));
      return pageResponse({ items, next }, (firing) => toFiringRecord(firing, { notices, showsInside }));
    },
  );
}

function idOf(given: { alert_id: string }): number {
  return parseId(given.alert_id, 'alert rule');
}
