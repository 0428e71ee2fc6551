import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { actorOf } from '../../audit/actor.ts';
import { entityTag, expectedRevisions } from '../../http/conditions.ts';
import type { Idempotency } from '../../http/idempotency.ts';
import { parseId } from '../../http/ids.ts';
import { PageQuery, pageRequest, pageResponse } from '../../http/paging.ts';
import { problems, type Routes } from '../../http/routes.ts';
import { PageOf, PathId } from '../../http/schemas.ts';
import { assertValidOrLookUp } from '../../http/validation.ts';
import { formatDateTime } from '../../time/date-time.ts';
import { FolderInput, FolderRecord } from './folder-schemas.ts';
import type { Folder, FolderService } from './folder-service.ts';

const READ = { scope: 'content:read' };
const WRITE = { scope: 'content:write' };
const tags = ['Folders'];
const FolderParams = Type.Object({ folder_id: PathId('The id of the folder.') });

/** Folders in the automation API. */
export function folderRoutes(routes: Routes, folders: FolderService, idempotency: Idempotency): void {
  createFolderRoute(routes, folders, idempotency);
  listFoldersRoute(routes, folders);
  getFolderRoute(routes, folders);
  updateFolderRoute(routes, folders);
  deleteFolderRoute(routes, folders);
}

function createFolderRoute(routes: Routes, folders: FolderService, idempotency: Idempotency): void {
  routes.post(
    '/folders',
    {
      config: WRITE,
      attachValidation: true,
      schema: {
        tags,
        operationId: 'createFolder',
        summary: 'Create a folder',
        description: 'Folders can be nested up to 50 levels below Home. Deeper nesting is rejected (409).',
        body: FolderInput,
        response: {
          201: FolderRecord,
          ...problems(400, { 409: 'The folder would be nested too deeply.' }, 413, 415, 422),
        },
      },
    },
    async (request, reply) => {
      await assertInput(request, folders);
      return await idempotency.respond(request, reply, async (tx) => {
        const folder = await folders.create(toInput(request.body), { by: actorOf(request), tx });
        const headers = { Location: `/folders/${folder.id}`, ETag: entityTag(folder.revision) };
        return { status: 201, headers, body: toRecord(folder) };
      });
    },
  );
}

function listFoldersRoute(routes: Routes, folders: FolderService): void {
  routes.get(
    '/folders',
    {
      config: READ,
      schema: {
        tags,
        operationId: 'listFolders',
        summary: 'List folders',
        querystring: PageQuery,
        response: { 200: PageOf(FolderRecord, 'Folders, ordered by id.'), ...problems(400) },
      },
    },
    async (request) => pageResponse(await folders.list(pageRequest(request.query)), toRecord),
  );
}

function getFolderRoute(routes: Routes, folders: FolderService): void {
  routes.get(
    '/folders/:folder_id',
    {
      config: READ,
      schema: {
        tags,
        operationId: 'getFolder',
        summary: 'Read a folder',
        params: FolderParams,
        response: { 200: FolderRecord, ...problems(404) },
      },
    },
    async (request, reply) => {
      const folder = await folders.get(idOf(request.params));
      return reply.header('ETag', entityTag(folder.revision)).send(toRecord(folder));
    },
  );
}

function updateFolderRoute(routes: Routes, folders: FolderService): void {
  routes.put(
    '/folders/:folder_id',
    {
      config: WRITE,
      attachValidation: true,
      schema: {
        tags,
        operationId: 'updateFolder',
        summary: 'Rename or move a folder',
        description:
          'Replaces name and parent. Without a parent, the folder moves to Home. Its contents move with it. ' +
          'A folder cannot be moved into itself or one of its subfolders, and Home cannot be changed (409).',
        params: FolderParams,
        body: FolderInput,
        response: {
          200: FolderRecord,
          ...problems(400, 404, { 409: 'The folder cannot be moved there.' }, 412, 413, 415),
        },
      },
    },
    async (request, reply) => {
      await assertInput(request, folders);
      const folder = await folders.update(idOf(request.params), toInput(request.body), {
        by: actorOf(request),
        expected: expectedRevisions(request),
      });
      return reply.header('ETag', entityTag(folder.revision)).send(toRecord(folder));
    },
  );
}

function deleteFolderRoute(routes: Routes, folders: FolderService): void {
  routes.delete(
    '/folders/:folder_id',
    {
      config: WRITE,
      schema: {
        tags,
        operationId: 'deleteFolder',
        summary: 'Delete an empty folder',
        description: 'Only empty folders that no account has can be deleted. Home cannot be deleted (409).',
        params: FolderParams,
        response: {
          204: Type.Null({ description: 'The folder is deleted.' }),
          ...problems(404, { 409: 'The folder is not empty, an account has it, or it is Home.' }, 412),
        },
      },
    },
    async (request, reply) => {
      await folders.delete(idOf(request.params), {
        by: actorOf(request),
        expected: expectedRevisions(request),
      });
      return reply.code(204).send(null);
    },
  );
}

async function assertInput(request: FastifyRequest, folders: FolderService): Promise<void> {
  await assertValidOrLookUp(request, () => folders.inputErrors(request.body));
}

function idOf(params: { folder_id: string }): number {
  return parseId(params.folder_id, 'folder');
}

function toInput(body: FolderInput): { name: string; parentId: number | null } {
  return { name: body.name, parentId: body.parent_id ?? null };
}

function toRecord(folder: Folder): Static<typeof FolderRecord> {
  return {
    id: folder.id,
    name: folder.name,
    parent_id: folder.parentId,
    location: folder.location,
    created_dt: formatDateTime(folder.createdAt),
    updated_dt: formatDateTime(folder.updatedAt),
  };
}
