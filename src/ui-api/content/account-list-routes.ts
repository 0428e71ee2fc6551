import { Type } from 'typebox';
import type { Reader } from '../../database/database.ts';
import { CONTENT_TYPES } from '../../events/catalogue.ts';
import { parseId } from '../../http/ids.ts';
import { problems, type Routes } from '../../http/routes.ts';
import { DateTime, Id, Nullable, OptionalDateTime, PLAIN_TEXT_PATTERN } from '../../http/schemas.ts';
import { notFound } from '../../problems/problem.ts';
import { formatDateTime, formatOptionalDateTime } from '../../time/date-time.ts';
import {
  ListOf,
  ListQuery,
  LongListOf,
  listAnswer,
  listPart,
  longListAnswer,
  MAX_COUNTED,
  partMembers,
  SearchText,
  searchText,
} from '../list-query.ts';
import {
  ACCOUNT_CONTENT_SORTS,
  accountExists,
  type ListedAccountContent,
  listAccountContents,
} from './account-content-list.ts';
import { ACCOUNT_SORTS, type ListedAccount, listAccounts } from './account-list.ts';
import { listAddableContent } from './addable-content.ts';
import {
  type ListedRegistration,
  listRegistrations,
  REGISTRATION_SORTS,
  REGISTRATION_STATES,
} from './registration-list.ts';

const READ = { scope: 'content:read' };
const MAX_LEARNER_ID_LENGTH = 255;

const AccountOverview = Type.Object({
  id: Id('The id of the account.'),
  name: Type.String(),
  enabled: Type.Boolean(),
  content_count: Type.Integer({ description: 'Assets that it was given.' }),
  created_dt: DateTime('When it was created.'),
  updated_dt: DateTime('When it was last changed.'),
});
const AccountContentOverview = Type.Object({
  type: Type.Enum([...CONTENT_TYPES]),
  id: Id('The id of the content.'),
  name: Type.String(),
  location: Type.String(),
  added_dt: DateTime('When the account was given it.'),
});
const AddableContent = Type.Object({
  type: Type.Enum([...CONTENT_TYPES]),
  id: Id('The id of the content.'),
  name: Type.String(),
  location: Type.String(),
  held: Type.Boolean({ description: 'Whether the account was given it already, itself.' }),
});
const RegistrationOverview = Type.Object({
  registration_id: Type.String(),
  account_id: Type.Integer(),
  account_name: Nullable(Type.String()),
  course_id: Type.Integer(),
  course_name: Nullable(Type.String()),
  version_id: Type.Integer(),
  learner_id: Type.String(),
  completion: Type.String(),
  success: Type.String(),
  score: Nullable(Type.Number()),
  duration: Type.Integer({ description: 'Seconds.' }),
  completion_dt: OptionalDateTime('When it was first completed.'),
  launched_dt: OptionalDateTime('Its first launch.'),
  created_dt: DateTime('When it was created.'),
  updated_dt: DateTime('When it was last changed.'),
});

const AccountsQuery = ListQuery(ACCOUNT_SORTS, {
  search: SearchText,
  enabled: Type.Optional(Type.Boolean()),
});
const AccountContentsQuery = ListQuery(ACCOUNT_CONTENT_SORTS, {
  search: SearchText,
  type: Type.Optional(Type.Enum([...CONTENT_TYPES])),
});
const AddableContentQuery = Type.Object(
  {
    search: SearchText,
    type: Type.Optional(Type.Enum([...CONTENT_TYPES])),
    ...partMembers(MAX_COUNTED),
  },
  { additionalProperties: false },
);
const RegistrationsQuery = ListQuery(
  REGISTRATION_SORTS,
  {
    account_id: Type.Optional(Id('Only those of this account.')),
    course_id: Type.Optional(Id('Only those to this course.')),
    learner_id: Type.Optional(
      Type.String({ minLength: 1, maxLength: MAX_LEARNER_ID_LENGTH, pattern: PLAIN_TEXT_PATTERN }),
    ),
    search: SearchText,
    status: Type.Optional(Type.Enum([...REGISTRATION_STATES])),
  },
  MAX_COUNTED,
);

/** The lists of accounts, what they were given, and registrations, for the admin UI. */
export function accountListRoutes(routes: Routes, reader: Reader): void {
  routes.get(
    '/ui/api/accounts',
    {
      config: READ,
      schema: {
        hide: true,
        querystring: AccountsQuery,
        response: { 200: ListOf(AccountOverview), ...problems(400) },
      },
    },
    async (request) => {
      const part = listPart(request.query, 'name');
      const { search, enabled } = request.query;
      const filter = { search: searchText(search), enabled: enabled ?? null };
      return listAnswer(await listAccounts(reader, filter, part), part, toAccount);
    },
  );

  routes.get(
    '/ui/api/accounts/:account_id/contents',
    {
      config: READ,
      schema: {
        hide: true,
        params: Type.Object({ account_id: Type.String() }),
        querystring: AccountContentsQuery,
        response: { 200: ListOf(AccountContentOverview), ...problems(400, 404) },
      },
    },
    async (request) => {
      const accountId = parseId(request.params.account_id, 'account');
      if (!(await accountExists(reader, accountId))) throw notFound('account', accountId);
      const part = listPart(request.query, 'name');
      const { search, type } = request.query;
      const filter = { accountId, search: searchText(search), type: type ?? null };
      return listAnswer(await listAccountContents(reader, filter, part), part, toAccountContent);
    },
  );

  routes.get(
    '/ui/api/accounts/:account_id/addable',
    {
      config: READ,
      schema: {
        hide: true,
        params: Type.Object({ account_id: Type.String() }),
        querystring: AddableContentQuery,
        response: { 200: LongListOf(AddableContent), ...problems(400, 404) },
      },
    },
    async (request) => {
      const accountId = parseId(request.params.account_id, 'account');
      if (!(await accountExists(reader, accountId))) throw notFound('account', accountId);
      const { search, type } = request.query;
      const part = listPart(request.query, 'name');
      const filter = { accountId, search: searchText(search), type: type ?? null };
      return longListAnswer(await listAddableContent(reader, filter, part), part, (asset) => asset);
    },
  );

  routes.get(
    '/ui/api/registrations',
    {
      config: READ,
      schema: {
        hide: true,
        querystring: RegistrationsQuery,
        response: { 200: LongListOf(RegistrationOverview), ...problems(400) },
      },
    },
    async (request) => {
      const part = listPart(request.query, 'created');
      const { account_id, course_id, learner_id, search, status } = request.query;
      const filter = {
        accountId: account_id ?? null,
        courseId: course_id ?? null,
        learnerId: learner_id ?? null,
        search: searchText(search),
        status: status ?? null,
      };
      return longListAnswer(await listRegistrations(reader, filter, part), part, toRegistration);
    },
  );
}

function toAccount(account: ListedAccount) {
  return {
    id: account.id,
    name: account.name,
    enabled: account.enabled === 1,
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
    completion_dt: formatOptionalDateTime(completed_at),
    launched_dt: formatOptionalDateTime(launched_at),
    created_dt: formatDateTime(created_at),
    updated_dt: formatDateTime(updated_at),
  };
}
