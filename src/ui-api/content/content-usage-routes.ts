import { Type } from 'typebox';
import type { Reader } from '../../database/database.ts';
import { CONTENT_TYPES } from '../../events/catalogue.ts';
import { parseId } from '../../http/ids.ts';
import type { Routes } from '../../http/routes.ts';
import { invalidInput, notFound } from '../../problems/problem.ts';
import { type AssetUsers, type ContentUsage, isContentType, readContentUsage } from './content-usage.ts';

const READ = { scope: 'content:read' };

/** Direct users of an asset, which prevent its deletion. */
export type ContentUsageRecord = ReturnType<typeof toRecord>;
/** Users of one kind: the first of them by id, and how many there are. */
export type UserList = ReturnType<typeof toUserList>;

/** Users of an asset, which prevent its deletion, for the admin UI. */
export function contentUsageRoutes(routes: Routes, reader: Reader): void {
  routes.get(
    '/ui/api/usage/:type/:id',
    {
      config: READ,
      schema: {
        hide: true,
        params: Type.Object({ type: Type.String(), id: Type.String() }),
      },
    },
    async (request) => {
      const { type } = request.params;
      if (!isContentType(type)) {
        throw invalidInput([{ pointer: '/type', detail: `must be one of ${CONTENT_TYPES.join(', ')}` }]);
      }
      const what = type.toLowerCase();
      const id = parseId(request.params.id, what);
      const usage = await readContentUsage(reader, type, id);
      if (usage === null) throw notFound(what, id);
      return toRecord(usage);
    },
  );
}

function toRecord({ accounts, equivalents, bundles, registrations }: ContentUsage) {
  return {
    accounts: toUserList(accounts),
    equivalents: toUserList(equivalents),
    bundles: toUserList(bundles),
    registrations: {
      total: registrations.total,
      total_is_lower_bound: registrations.totalIsLowerBound,
    },
  };
}

function toUserList({ items, total, totalIsLowerBound }: AssetUsers) {
  return { data: items, total, total_is_lower_bound: totalIsLowerBound };
}
