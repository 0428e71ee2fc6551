import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { actorOf } from '../../audit/actor.ts';
import { callerOf } from '../../http/authorization.ts';
import type { Idempotency } from '../../http/idempotency.ts';
import { parseId } from '../../http/ids.ts';
import { PageQuery, pageRequest, pageResponse } from '../../http/paging.ts';
import { problems, type Routes } from '../../http/routes.ts';
import { describedAs, PageOf, PathId } from '../../http/schemas.ts';
import { assertValid, assertValidOrLookUp } from '../../http/validation.ts';
import { formatDateTime } from '../../time/date-time.ts';
import { givenMembers } from '../assets/given-members.ts';
import { parseType } from './account-content-routes.ts';
import {
  AccountWithContentRecord,
  ContentTypeMember,
  MAX_PAIRS_AT_ONCE,
  ManyAccountsBody,
  ManyAccountsRecord,
} from './account-content-schemas.ts';
import type { AccountChange } from './change-content.ts';
import type { AccountWithAsset, ManyAccountsService } from './many-accounts-service.ts';

const READ = { scope: 'content:read' };
const WRITE = { scope: 'content:write' };
const tags = ['Account content'];
const ContentParams = Type.Object({
  type: describedAs(Type.String({ description: 'The type of the content.' }), ContentTypeMember),
  content_id: PathId('The id of the content.'),
});
const CHANGED = {
  200: ManyAccountsRecord,
  ...problems(400, { 409: 'The request changes more content than one request can.' }, 413, 415, 422),
};
const WHOLE =
  'The call makes all changes or none. An account or a piece of content that is unknown or repeated is an error.';

/** The content of many accounts at once in the automation API. */
export function manyAccountsRoutes(
  routes: Routes,
  service: ManyAccountsService,
  idempotency: Idempotency,
): void {
  addContentToAccountsRoute(routes, service, idempotency);
  removeContentFromAccountsRoute(routes, service, idempotency);
  listAccountsWithContentRoute(routes, service);
}

function addContentToAccountsRoute(
  routes: Routes,
  service: ManyAccountsService,
  idempotency: Idempotency,
): void {
  routes.post(
    '/account-content/add',
    {
      config: WRITE,
      attachValidation: true,
      schema: {
        tags,
        operationId: 'addContentToAccounts',
        summary: 'Add content to many accounts',
        description:
          'Triggers the events that adding the content to each account would trigger, in the order of `account_ids`: ' +
          `CONTENT_ADDED_TO_ACCOUNT for what was added to each. ${WHOLE}`,
        body: ManyAccountsBody,
        response: CHANGED,
      },
    },
    async (request, reply) => {
      await assertInput(request, service);
      const { account_ids: ids, contents } = request.body;
      return await idempotency.respond(request, reply, async (tx) => {
        const changes = await service.add(ids, contents.map(toReference), {
          user: callerOf(request).user,
          by: actorOf(request),
          tx,
        });
        return { status: 200, body: { data: changes.map(toChangeRecord) } };
      });
    },
  );
}

function removeContentFromAccountsRoute(
  routes: Routes,
  service: ManyAccountsService,
  idempotency: Idempotency,
): void {
  routes.post(
    '/account-content/remove',
    {
      config: WRITE,
      attachValidation: true,
      schema: {
        tags,
        operationId: 'removeContentFromAccounts',
        summary: 'Remove content from many accounts',
        description:
          'Triggers CONTENT_REMOVED_FROM_ACCOUNT, in the order of `account_ids`: for each account, one event for each ' +
          'folder that contains something that the account no longer has. Only content that was added directly can be ' +
          'removed. ' +
          WHOLE,
        body: ManyAccountsBody,
        response: CHANGED,
      },
    },
    async (request, reply) => {
      await assertInput(request, service);
      const { account_ids: ids, contents } = request.body;
      return await idempotency.respond(request, reply, async (tx) => {
        const changes = await service.remove(ids, contents.map(toReference), {
          user: callerOf(request).user,
          by: actorOf(request),
          tx,
        });
        return { status: 200, body: { data: changes.map(toChangeRecord) } };
      });
    },
  );
}

function listAccountsWithContentRoute(routes: Routes, service: ManyAccountsService): void {
  routes.get(
    '/content/:type/:content_id/accounts',
    {
      config: READ,
      schema: {
        tags,
        operationId: 'listAccountsWithContent',
        summary: 'List the accounts that have a piece of content',
        description:
          'Lists each account that has the content, directly or through a folder, a bundle or an equivalent. `through` says how. ' +
          'Learners of these accounts can be registered for a course.',
        params: ContentParams,
        querystring: PageQuery,
        response: {
          200: PageOf(AccountWithContentRecord, 'Accounts, ordered by id.'),
          ...problems(400, 404),
        },
      },
    },
    async (request) => {
      const { type: text, content_id } = request.params;
      const type = parseType(text);
      const reference = { type, id: parseId(content_id, type.toLowerCase()) };
      return pageResponse(await service.accountsWith(reference, pageRequest(request.query)), toAccountRecord);
    },
  );
}

async function assertInput(request: FastifyRequest, service: ManyAccountsService): Promise<void> {
  // The references of an overlong list are not looked up.
  assertSize(request);
  await assertValidOrLookUp(request, () => service.inputErrors(request.body));
}

/** @throws {ProblemError} `invalid-request` if a body changes too many pairs of an account and a piece of content */
function assertSize(request: FastifyRequest): void {
  const { account_ids: ids, contents } = givenMembers(request.body);
  if (!Array.isArray(ids) || !Array.isArray(contents)) return;
  const pairs = ids.length * contents.length;
  if (pairs <= MAX_PAIRS_AT_ONCE) return;
  const detail =
    `times the number of contents must be at most ${MAX_PAIRS_AT_ONCE}, but ` +
    `${ids.length} × ${contents.length} = ${pairs}: split the request`;
  assertValid(request, [{ pointer: '/account_ids', detail }]);
}

function toReference({ type, id }: ManyAccountsBody['contents'][number]) {
  return { type, id };
}

function toChangeRecord({ account, changed, unchanged }: AccountChange): ManyAccountsRecord['data'][number] {
  return { account_id: account.id, account_name: account.name, changed, unchanged };
}

function toAccountRecord({ account, through }: AccountWithAsset): AccountWithContentRecord {
  return {
    account_id: account.id,
    account_name: account.name,
    enabled: account.enabled,
    through: through.map(({ type, id, name, path, addedAt }) => ({
      type,
      id,
      name,
      path,
      added_dt: formatDateTime(addedAt),
    })),
  };
}
