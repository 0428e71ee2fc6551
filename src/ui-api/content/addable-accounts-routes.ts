import { Type } from 'typebox';
import type { Reader } from '../../database/database.ts';
import { CONTENT_TYPES, type ContentType } from '../../events/catalogue.ts';
import type { Routes } from '../../http/routes.ts';
import { Id } from '../../http/schemas.ts';
import { invalidInput } from '../../problems/problem.ts';
import { listPart, listResponse, MAX_OFFSET, partMembers, SearchText, searchText } from '../list-query.ts';
import { listAccounts } from './account-list.ts';

const AddableAccountsQuery = Type.Object(
  {
    search: SearchText,
    content_type: Type.Optional(Type.Enum([...CONTENT_TYPES])),
    content_id: Type.Optional(Id()),
    ...partMembers(MAX_OFFSET),
  },
  { additionalProperties: false },
);

/** An account that content can be added to. */
export interface AddableAccount {
  type: 'ACCOUNT';
  id: number;
  name: string;
  location: '';
  /** Whether it already has the content directly; false if the request names none. */
  held: boolean;
}

/** The accounts that content can be added to, ordered by name, for the admin UI's dialog. */
export function addableAccountsRoutes(routes: Routes, reader: Reader): void {
  routes.get(
    '/ui/api/addable-accounts',
    {
      config: { scope: 'content:read', hasLargeResponse: true },
      schema: { hide: true, querystring: AddableAccountsQuery },
    },
    async (request) => {
      const { content_type: type, content_id: id, search } = request.query;
      if ((type === undefined) !== (id === undefined)) {
        throw invalidInput([
          { pointer: '/query/content_type', detail: 'requires content_id, and vice versa' },
        ]);
      }
      const part = listPart(request.query, 'name');
      const listed = await listAccounts(reader, { search: searchText(search), enabled: null }, part);
      const ids = listed.items.map((account) => account.id);
      const held =
        type === undefined || id === undefined ? new Set() : await readHolders(reader, type, id, ids);
      return listResponse(
        listed,
        part,
        (account): AddableAccount => ({
          type: 'ACCOUNT',
          id: account.id,
          name: account.name,
          location: '',
          held: held.has(account.id),
        }),
      );
    },
  );
}

/** The given accounts that have an asset directly. */
async function readHolders(
  reader: Reader,
  type: ContentType,
  id: number,
  accountIds: readonly number[],
): Promise<Set<number>> {
  if (accountIds.length === 0) return new Set();
  const rows = await reader.query
    .selectFrom('account_contents')
    .select('account_contents.account_id')
    .where('account_contents.account_id', 'in', accountIds)
    .where('account_contents.content_type', '=', type)
    .where('account_contents.content_id', '=', id)
    .execute();
  return new Set(rows.map(({ account_id }) => account_id));
}
