import { Type } from 'typebox';
import type { Reader } from '../../database/database.ts';
import { CONTENT_TYPES } from '../../events/catalogue.ts';
import type { Routes } from '../../http/routes.ts';
import { Id } from '../../http/schemas.ts';
import { notFound } from '../../problems/problem.ts';
import { MAX_COUNTED } from '../list-limits.ts';
import {
  listPart,
  listResponse,
  partMembers,
  SearchText,
  searchText,
  TypesText,
  typesOf,
} from '../list-query.ts';
import { accountExists } from './account-content-list.ts';
import { listAddableContent } from './addable-content.ts';

const AddableContentQuery = Type.Object(
  {
    types: TypesText,
    search: SearchText,
    account_id: Type.Optional(Id()),
    ...partMembers(MAX_COUNTED),
  },
  { additionalProperties: false },
);

/** The content that can be added to an account, an equivalent or a bundle, for the admin UI's dialog. */
export function addableContentRoutes(routes: Routes, reader: Reader): void {
  routes.get(
    '/ui/api/addable-content',
    {
      config: { scope: 'content:read', hasLargeResponse: true },
      schema: { hide: true, querystring: AddableContentQuery },
    },
    async (request) => {
      const { account_id: accountId = null, types, search } = request.query;
      if (accountId !== null && !(await accountExists(reader, accountId))) {
        throw notFound('account', accountId);
      }
      const part = listPart(request.query, 'name');
      const filter = { accountId, search: searchText(search), types: typesOf(types, CONTENT_TYPES) };
      return listResponse(await listAddableContent(reader, filter, part), part, (asset) => asset);
    },
  );
}
