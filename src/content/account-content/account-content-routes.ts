import { Type } from 'typebox';
import { actorOf } from '../../audit/actor.ts';
import { CONTENT_TYPES, type ContentType } from '../../events/catalogue.ts';
import { callerOf } from '../../http/authorization.ts';
import type { Idempotency } from '../../http/idempotency.ts';
import { parseId } from '../../http/ids.ts';
import { PageQuery, pageRequest, pageResponse } from '../../http/paging.ts';
import { problems, type Routes } from '../../http/routes.ts';
import { describedAs, PageOf, PathId } from '../../http/schemas.ts';
import { assertValidOrLookUp } from '../../http/validation.ts';
import { notFound } from '../../problems/problem.ts';
import { formatDateTime } from '../../time/date-time.ts';
import { AccountParams } from '../accounts/account-schemas.ts';
import type { AccountContent } from './account-content.ts';
import {
  AccountContentRecord,
  ContentAdditionBody,
  ContentAdditionRecord,
  ContentTypeMember,
} from './account-content-schemas.ts';
import type { AccountContentService } from './account-content-service.ts';

const READ = { scope: 'content:read' };
const WRITE = { scope: 'content:write' };
const tags = ['Account content'];
const ContentParams = Type.Object({
  ...AccountParams.properties,
  type: describedAs(Type.String({ description: 'The type of the content.' }), ContentTypeMember),
  content_id: PathId('The id of the content.'),
});

/** The content of accounts in the automation API. */
export function accountContentRoutes(
  routes: Routes,
  contents: AccountContentService,
  idempotency: Idempotency,
): void {
  addAccountContentRoute(routes, contents, idempotency);
  listAccountContentRoute(routes, contents);
  removeAccountContentRoute(routes, contents);
}

function addAccountContentRoute(
  routes: Routes,
  contents: AccountContentService,
  idempotency: Idempotency,
): void {
  routes.post(
    '/accounts/:account_id/content',
    {
      config: WRITE,
      attachValidation: true,
      schema: {
        tags,
        operationId: 'addAccountContent',
        summary: 'Add content to an account',
        description:
          'Triggers CONTENT_ADDED_TO_ACCOUNT: one event for each folder that contains some of the added content. ' +
          'If you add a folder, the account also has everything in it and in its subfolders, even content that ' +
          'is added later. The events list only the current content that the account did not have.',
        params: AccountParams,
        body: ContentAdditionBody,
        response: {
          200: ContentAdditionRecord,
          ...problems(
            400,
            404,
            { 409: 'The request adds more content than one request can.' },
            413,
            415,
            422,
          ),
        },
      },
    },
    async (request, reply) => {
      await assertValidOrLookUp(request, () => contents.inputErrors(request.body));
      return await idempotency.respond(request, reply, async (tx) => {
        const added = request.body.contents.map(({ type, id }) => ({ type, id }));
        const body = await contents.add(accountIdOf(request.params), added, {
          user: callerOf(request).user,
          by: actorOf(request),
          tx,
        });
        return { status: 200, body };
      });
    },
  );
}

function listAccountContentRoute(routes: Routes, contents: AccountContentService): void {
  routes.get(
    '/accounts/:account_id/content',
    {
      config: READ,
      schema: {
        tags,
        operationId: 'listAccountContent',
        summary: 'List the content of an account',
        description:
          'Lists only what was added directly, not the contents of folders, equivalents and bundles.',
        params: AccountParams,
        querystring: PageQuery,
        response: {
          200: PageOf(AccountContentRecord, 'Content, ordered by type and id.'),
          ...problems(400, 404),
        },
      },
    },
    async (request) => {
      const page = await contents.list(accountIdOf(request.params), pageRequest(request.query));
      return pageResponse(page, toRecord);
    },
  );
}

function removeAccountContentRoute(routes: Routes, contents: AccountContentService): void {
  routes.delete(
    '/accounts/:account_id/content/:type/:content_id',
    {
      config: WRITE,
      schema: {
        tags,
        operationId: 'removeAccountContent',
        summary: 'Remove content from an account',
        description:
          'Triggers CONTENT_REMOVED_FROM_ACCOUNT for what the account no longer has, directly or through a folder. ' +
          'Removing a folder triggers one event for it and one for each subfolder, listing the current content that the account no longer has. If the account ' +
          'still has everything, there is no event. Only content that was added directly can be removed.',
        params: ContentParams,
        response: { 204: Type.Null({ description: 'The content is removed.' }), ...problems(404) },
      },
    },
    async (request, reply) => {
      const { type, content_id: id } = request.params;
      const reference = { type: parseType(type), id: parseId(id, type.toLowerCase()) };
      await contents.remove(accountIdOf(request.params), reference, {
        user: callerOf(request).user,
        by: actorOf(request),
      });
      return reply.code(204).send(null);
    },
  );
}

function accountIdOf(params: { account_id: string }): number {
  return parseId(params.account_id, 'account');
}

/** @throws {ProblemError} `not-found` for an unknown type */
export function parseType(text: string): ContentType {
  const type = CONTENT_TYPES.find((each) => each === text);
  if (type === undefined) throw notFound('type of content', text.slice(0, 40));
  return type;
}

function toRecord({ type, id, name, location, addedAt }: AccountContent): AccountContentRecord {
  return { type, id, name, location, added_dt: formatDateTime(addedAt) };
}
