import { Type } from 'typebox';
import { TOO_MANY_READS } from '../http/caller-turns.ts';
import { givenTime } from '../http/given.ts';
import { parseId } from '../http/ids.ts';
import { pageRequest, pageResponse } from '../http/paging.ts';
import { problems, type Routes } from '../http/routes.ts';
import { PageOf, PathId } from '../http/schemas.ts';
import { assertValid } from '../http/validation.ts';
import type { AuditLog } from './audit-log.ts';
import { AuditEntry, AuditQuery, toAuditRecord } from './audit-schemas.ts';
import type { AuditFilter } from './audit-store.ts';

const config = { scope: 'audit:read' };
const tags = ['Audit log'];

/** The audit log. */
export function auditRoutes(routes: Routes, audit: AuditLog): void {
  routes.get(
    '/audit-log',
    {
      config: { ...config, hasLargeResponse: true },
      attachValidation: true,
      schema: {
        tags,
        operationId: 'listAuditEntries',
        summary: 'List changes',
        description:
          'Who changed which webhook, alert rule, API client, administrator, account, content or registration, newest first, ' +
          'with the values before and after, but never a secret. Also sign-ins, redeliveries, replays and purges. ' +
          'A page examines 10,000 entries: with a filter, it may be short or empty although `next_cursor` is not null.',
        querystring: AuditQuery,
        response: {
          200: PageOf(AuditEntry, 'Entries, newest first.'),
          ...problems(400, { 429: TOO_MANY_READS }),
        },
      },
    },
    async (request) => {
      const { query } = request;
      const requires = { pointer: '/query/object_id', detail: 'requires object_type' };
      const isAlone = query.object_id !== undefined && query.object_type === undefined;
      assertValid(request, isAlone ? [requires] : []);
      return pageResponse(await audit.list(toFilter(query), pageRequest(query)), toAuditRecord);
    },
  );

  routes.get(
    '/audit-log/:entry_id',
    {
      config,
      schema: {
        tags,
        operationId: 'getAuditEntry',
        summary: 'Read an entry of the audit log',
        params: Type.Object({ entry_id: PathId('The id of the entry.') }),
        response: { 200: AuditEntry, ...problems(404) },
      },
    },
    async ({ params }) => toAuditRecord(await audit.get(parseId(params.entry_id, 'audit entry'))),
  );
}

function toFilter(query: AuditQuery): AuditFilter {
  const { object_id: objectId = null, object_type: objectType = null, from_dt, to_dt } = query;
  return {
    user: query.user ?? null,
    actorType: query.actor_type ?? null,
    actions: query.action ?? null,
    objectType,
    objectId,
    from: givenTime(from_dt),
    to: givenTime(to_dt),
  };
}
