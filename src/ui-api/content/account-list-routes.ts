import { Type } from 'typebox';
import type { Completion, Success } from '../../content/registrations/registration.ts';
import type { Reader } from '../../database/database.ts';
import { CONTENT_TYPES } from '../../events/catalogue.ts';
import { parseId } from '../../http/ids.ts';
import type { Routes } from '../../http/routes.ts';
import { Id, PLAIN_TEXT_PATTERN } from '../../http/schemas.ts';
import { notFound } from '../../problems/problem.ts';
import { MAX_LEARNER_ID_LENGTH } from '../../text-lengths.ts';
import { formatDateTime, formatOptionalDateTime } from '../../time/date-time.ts';
import { MAX_COUNTED } from '../list-limits.ts';
import { ListQuery, listPart, listResponse, SearchText, searchText } from '../list-query.ts';
import { accountExists, type ListedAccountContent, listAccountContents } from './account-content-list.ts';
import { type ListedAccount, listAccounts } from './account-list.ts';
import { ACCOUNT_CONTENT_SORTS, ACCOUNT_SORTS } from './account-list-choices.ts';
import { type ListedRegistration, listRegistrations } from './registration-list.ts';
import { REGISTRATION_SORTS, REGISTRATION_STATES } from './registration-list-choices.ts';

/** A search may examine every row. */
const READ = { scope: 'content:read', hasLargeResponse: true };

/** An account in the list. */
export type AccountOverview = ReturnType<typeof toAccount>;
/** An asset that an account has directly. */
export type AccountContent = ReturnType<typeof toAccountContent>;
/** A registration in the list. */
export type RegistrationOverview = ReturnType<typeof toRegistration>;

const AccountsQuery = ListQuery(ACCOUNT_SORTS, {
  search: SearchText,
  enabled: Type.Optional(Type.Boolean()),
});
const AccountContentsQuery = ListQuery(ACCOUNT_CONTENT_SORTS, {
  search: SearchText,
  type: Type.Optional(Type.Enum([...CONTENT_TYPES])),
});
const RegistrationsQuery = ListQuery(
  REGISTRATION_SORTS,
  {
    account_id: Type.Optional(Id()),
    course_id: Type.Optional(Id()),
    equivalent_id: Type.Optional(Id()),
    learner_id: Type.Optional(
      Type.String({ minLength: 1, maxLength: MAX_LEARNER_ID_LENGTH, pattern: PLAIN_TEXT_PATTERN }),
    ),
    search: SearchText,
    status: Type.Optional(Type.Enum([...REGISTRATION_STATES])),
  },
  MAX_COUNTED,
);

/** The lists of accounts, their content, and registrations, for the admin UI. */
export function accountListRoutes(routes: Routes, reader: Reader): void {
  accountsRoute(routes, reader);
  accountContentsRoute(routes, reader);
  registrationsRoute(routes, reader);
}

function accountsRoute(routes: Routes, reader: Reader): void {
  routes.get(
    '/ui/api/accounts',
    {
      config: READ,
      schema: {
        hide: true,
        querystring: AccountsQuery,
      },
    },
    async (request) => {
      const part = listPart(request.query, 'name');
      const { search, enabled } = request.query;
      const filter = { search: searchText(search), enabled: enabled ?? null };
      return listResponse(await listAccounts(reader, filter, part), part, toAccount);
    },
  );
}

function accountContentsRoute(routes: Routes, reader: Reader): void {
  routes.get(
    '/ui/api/accounts/:account_id/contents',
    {
      config: READ,
      schema: {
        hide: true,
        params: Type.Object({ account_id: Type.String() }),
        querystring: AccountContentsQuery,
      },
    },
    async (request) => {
      const accountId = parseId(request.params.account_id, 'account');
      if (!(await accountExists(reader, accountId))) throw notFound('account', accountId);
      const part = listPart(request.query, 'name');
      const { search, type } = request.query;
      const filter = { accountId, search: searchText(search), type: type ?? null };
      return listResponse(await listAccountContents(reader, filter, part), part, toAccountContent);
    },
  );
}

function registrationsRoute(routes: Routes, reader: Reader): void {
  routes.get(
    '/ui/api/registrations',
    {
      config: READ,
      schema: {
        hide: true,
        querystring: RegistrationsQuery,
      },
    },
    async (request) => {
      const part = listPart(request.query, 'created');
      const { account_id, course_id, equivalent_id, learner_id, search, status } = request.query;
      const filter = {
        accountId: account_id ?? null,
        courseId: course_id ?? null,
        equivalentId: equivalent_id ?? null,
        learnerId: learner_id ?? null,
        search: searchText(search),
        status: status ?? null,
      };
      return listResponse(await listRegistrations(reader, filter, part), part, toRegistration);
    },
  );
}

function toAccount(account: ListedAccount) {
  return {
    id: account.id,
    name: account.name,
    enabled: account.enabled === 1,
    /** Number of assets that it has directly. */
    content_count: account.content_count,
    created_dt: formatDateTime(account.created_at),
    updated_dt: formatDateTime(account.updated_at),
  };
}

function toAccountContent({ type, id, name, location, added_at }: ListedAccountContent) {
  return { type, id, name, location, added_dt: formatDateTime(added_at) };
}

function toRegistration(registration: ListedRegistration) {
  const { completed_at, launched_at, created_at, updated_at, ...rest } = registration;
  return {
    ...rest,
    completion: rest.completion as Completion,
    success: rest.success as Success,
    completion_dt: formatOptionalDateTime(completed_at),
    launched_dt: formatOptionalDateTime(launched_at),
    created_dt: formatDateTime(created_at),
    updated_dt: formatDateTime(updated_at),
  };
}
