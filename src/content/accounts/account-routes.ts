import { type Static, Type } from 'typebox';
import { actorOf } from '../../audit/actor.ts';
import { callerOf } from '../../http/authorization.ts';
import { entityTag, expectedRevisions } from '../../http/conditions.ts';
import type { Idempotency } from '../../http/idempotency.ts';
import { parseId } from '../../http/ids.ts';
import { PageQuery, pageRequest, pageResponse } from '../../http/paging.ts';
import { problems, type Routes } from '../../http/routes.ts';
import { PageOf } from '../../http/schemas.ts';
import { formatDateTime } from '../../time/date-time.ts';
import { AccountInput, AccountParams, AccountRecord } from './account-schemas.ts';
import type { Account, AccountService } from './account-service.ts';

const READ = { scope: 'content:read' };
const WRITE = { scope: 'content:write' };
const tags = ['Accounts'];

/** Accounts in the automation API. */
export function accountRoutes(routes: Routes, accounts: AccountService, idempotency: Idempotency): void {
  createAccountRoute(routes, accounts, idempotency);
  listAccountsRoute(routes, accounts);
  getAccountRoute(routes, accounts);
  updateAccountRoute(routes, accounts);
  deleteAccountRoute(routes, accounts);
}

function createAccountRoute(routes: Routes, accounts: AccountService, idempotency: Idempotency): void {
  routes.post(
    '/accounts',
    {
      config: WRITE,
      schema: {
        tags,
        operationId: 'createAccount',
        summary: 'Create an account',
        description: 'Triggers ACCOUNT_CREATED.',
        body: AccountInput,
        response: { 201: AccountRecord, ...problems(400, 413, 415, 422) },
      },
    },
    async (request, reply) =>
      idempotency.respond(request, reply, async (tx) => {
        const account = await accounts.create(toInput(request.body), {
          user: callerOf(request).user,
          by: actorOf(request),
          tx,
        });
        return {
          status: 201,
          headers: { Location: `/accounts/${account.id}`, ETag: entityTag(account.revision) },
          body: toRecord(account),
        };
      }),
  );
}

function listAccountsRoute(routes: Routes, accounts: AccountService): void {
  routes.get(
    '/accounts',
    {
      config: READ,
      schema: {
        tags,
        operationId: 'listAccounts',
        summary: 'List accounts',
        querystring: PageQuery,
        response: { 200: PageOf(AccountRecord, 'Accounts, ordered by id.'), ...problems(400) },
      },
    },
    async (request) => pageResponse(await accounts.list(pageRequest(request.query)), toRecord),
  );
}

function getAccountRoute(routes: Routes, accounts: AccountService): void {
  routes.get(
    '/accounts/:account_id',
    {
      config: READ,
      schema: {
        tags,
        operationId: 'getAccount',
        summary: 'Read an account',
        params: AccountParams,
        response: { 200: AccountRecord, ...problems(404) },
      },
    },
    async (request, reply) => {
      const account = await accounts.get(idOf(request.params));
      return reply.header('ETag', entityTag(account.revision)).send(toRecord(account));
    },
  );
}

function updateAccountRoute(routes: Routes, accounts: AccountService): void {
  routes.put(
    '/accounts/:account_id',
    {
      config: WRITE,
      schema: {
        tags,
        operationId: 'updateAccount',
        summary: 'Update an account',
        description:
          'Replaces name and activation. Triggers ACCOUNT_ACTIVATION_UPDATED only if `enabled` changes.',
        params: AccountParams,
        body: AccountInput,
        response: { 200: AccountRecord, ...problems(400, 404, 412, 413, 415) },
      },
    },
    async (request, reply) => {
      const account = await accounts.update(idOf(request.params), toInput(request.body), {
        user: callerOf(request).user,
        by: actorOf(request),
        expected: expectedRevisions(request),
      });
      return reply.header('ETag', entityTag(account.revision)).send(toRecord(account));
    },
  );
}

function deleteAccountRoute(routes: Routes, accounts: AccountService): void {
  routes.delete(
    '/accounts/:account_id',
    {
      config: WRITE,
      schema: {
        tags,
        operationId: 'deleteAccount',
        summary: 'Delete an account',
        description:
          'Triggers ACCOUNT_DELETED, which shows the account as it was before. Also deletes its registrations and ' +
          'content assignments, without further events. If there are many registrations, most of them are deleted ' +
          'first, which can take minutes. If the deletion then fails, the account still exists without them: delete ' +
          'it again. The deletion continues if the client stops waiting. A repetition returns 404 once the account is ' +
          'deleted.',
        params: AccountParams,
        response: { 204: Type.Null({ description: 'The account is deleted.' }), ...problems(404, 412) },
      },
    },
    async (request, reply) => {
      await accounts.delete(idOf(request.params), {
        user: callerOf(request).user,
        by: actorOf(request),
        expected: expectedRevisions(request),
      });
      return reply.code(204).send(null);
    },
  );
}

function idOf(params: { account_id: string }): number {
  return parseId(params.account_id, 'account');
}

function toInput(body: AccountInput): { name: string; enabled: boolean } {
  return { name: body.name, enabled: body.enabled ?? true };
}

function toRecord(account: Account): Static<typeof AccountRecord> {
  return {
    id: account.id,
    name: account.name,
    enabled: account.enabled,
    created_dt: formatDateTime(account.createdAt),
    updated_dt: formatDateTime(account.updatedAt),
  };
}
