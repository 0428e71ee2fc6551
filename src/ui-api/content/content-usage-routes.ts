import { Type } from 'typebox';
import type { Reader } from '../../database/database.ts';
import { CONTENT_TYPES } from '../../events/catalogue.ts';
import { parseId } from '../../http/ids.ts';
import { problems, type Routes } from '../../http/routes.ts';
import { Id } from '../../http/schemas.ts';
import { invalidInput, notFound } from '../../problems/problem.ts';
import { isContentType, readContentUsage, type Users } from './content-usage.ts';

const READ = { scope: 'content:read' };

const Count = Type.Object({
  total: Type.Integer(),
  total_is_lower_bound: Type.Boolean({ description: 'True: there are more than `total`.' }),
});
const UserList = Type.Object({
  data: Type.Array(Type.Object({ id: Id('Its id.'), name: Type.String() }), {
    description: 'The first of them, by id.',
  }),
  ...Count.properties,
});
const Usage = Type.Object({
  accounts: UserList,
  equivalents: UserList,
  bundles: UserList,
  registrations: Count,
});

/** What uses an asset, and so keeps it from being deleted, for the admin UI. */
export function contentUsageRoutes(routes: Routes, reader: Reader): void {
  routes.get(
    '/ui/api/usage/:type/:id',
    {
      config: READ,
      schema: {
        hide: true,
        params: Type.Object({ type: Type.String(), id: Type.String() }),
        response: { 200: Usage, ...problems(400, 404) },
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
      const { accounts, equivalents, bundles, registrations } = usage;
      return {
        accounts: toUserList(accounts),
        equivalents: toUserList(equivalents),
        bundles: toUserList(bundles),
        registrations: {
          total: registrations.total,
          total_is_lower_bound: registrations.totalIsLowerBound,
        },
      };
    },
  );
}

function toUserList({ items, total, totalIsLowerBound }: Users) {
  return { data: items, total, total_is_lower_bound: totalIsLowerBound };
}
