import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { actorOf } from '../../audit/actor.ts';
import { TOO_MANY_READS } from '../../http/caller-turns.ts';
import { entityTag, expectedRevisions } from '../../http/conditions.ts';
import type { Idempotency } from '../../http/idempotency.ts';
import { parseId } from '../../http/ids.ts';
import { PageQuery, pageRequest, pageResponse } from '../../http/paging.ts';
import { problems, type Routes } from '../../http/routes.ts';
import { PageOf, PathId } from '../../http/schemas.ts';
import { assertValidOrLookUp } from '../../http/validation.ts';
import { formatDateTime } from '../../time/date-time.ts';
import type { GroupInput } from '../assets/group.ts';
import type { Equivalent, GivenEquivalentCourse } from './equivalent.ts';
import { EquivalentBody, EquivalentRecord } from './equivalent-schemas.ts';
import type { EquivalentService } from './equivalent-service.ts';

const READ = { scope: 'content:read' };
const WRITE = { scope: 'content:write' };
const tags = ['Equivalents'];
const EquivalentParams = Type.Object({
  equivalent_id: PathId('The id of the equivalent.'),
});

/** Equivalents in the automation API. */
export function equivalentRoutes(
  routes: Routes,
  equivalents: EquivalentService,
  idempotency: Idempotency,
): void {
  createEquivalentRoute(routes, equivalents, idempotency);
  listEquivalentsRoute(routes, equivalents);
  getEquivalentRoute(routes, equivalents);
  updateEquivalentRoute(routes, equivalents);
  deleteEquivalentRoute(routes, equivalents);
}

function createEquivalentRoute(
  routes: Routes,
  equivalents: EquivalentService,
  idempotency: Idempotency,
): void {
  routes.post(
    '/equivalents',
    {
      config: WRITE,
      attachValidation: true,
      schema: {
        tags,
        operationId: 'createEquivalent',
        summary: 'Create an equivalent',
        body: EquivalentBody,
        response: { 201: EquivalentRecord, ...problems(400, 413, 415, 422) },
      },
    },
    async (request, reply) => {
      await assertInput(request, equivalents);
      return await idempotency.respond(request, reply, async (tx) => {
        const equivalent = await equivalents.create(toInput(request.body), {
          by: actorOf(request),
          tx,
        });
        return {
          status: 201,
          headers: {
            Location: `/equivalents/${equivalent.id}`,
            ETag: entityTag(equivalent.revision),
          },
          body: toRecord(equivalent),
        };
      });
    },
  );
}

function listEquivalentsRoute(routes: Routes, equivalents: EquivalentService): void {
  routes.get(
    '/equivalents',
    {
      config: { ...READ, hasLargeResponse: true },
      schema: {
        tags,
        operationId: 'listEquivalents',
        summary: 'List equivalents',
        querystring: PageQuery,
        response: {
          200: PageOf(EquivalentRecord, 'Equivalents, ordered by id.'),
          ...problems(400, { 429: TOO_MANY_READS }),
        },
      },
    },
    async (request) => pageResponse(await equivalents.list(pageRequest(request.query)), toRecord),
  );
}

function getEquivalentRoute(routes: Routes, equivalents: EquivalentService): void {
  routes.get(
    '/equivalents/:equivalent_id',
    {
      config: READ,
      schema: {
        tags,
        operationId: 'getEquivalent',
        summary: 'Read an equivalent',
        params: EquivalentParams,
        response: { 200: EquivalentRecord, ...problems(404) },
      },
    },
    async (request, reply) => {
      const equivalent = await equivalents.get(idOf(request.params));
      return reply.header('ETag', entityTag(equivalent.revision)).send(toRecord(equivalent));
    },
  );
}

function updateEquivalentRoute(routes: Routes, equivalents: EquivalentService): void {
  routes.put(
    '/equivalents/:equivalent_id',
    {
      config: WRITE,
      attachValidation: true,
      schema: {
        tags,
        operationId: 'updateEquivalent',
        summary: 'Update an equivalent',
        description:
          'Replaces name, folder and courses. Without a folder, the equivalent moves to Home. ' +
          'Accounts and bundles that have the equivalent get its new courses. Triggers no event.',
        params: EquivalentParams,
        body: EquivalentBody,
        response: { 200: EquivalentRecord, ...problems(400, 404, 412, 413, 415) },
      },
    },
    async (request, reply) => {
      await assertInput(request, equivalents);
      const equivalent = await equivalents.update(idOf(request.params), toInput(request.body), {
        by: actorOf(request),
        expected: expectedRevisions(request),
      });
      return reply.header('ETag', entityTag(equivalent.revision)).send(toRecord(equivalent));
    },
  );
}

function deleteEquivalentRoute(routes: Routes, equivalents: EquivalentService): void {
  routes.delete(
    '/equivalents/:equivalent_id',
    {
      config: WRITE,
      schema: {
        tags,
        operationId: 'deleteEquivalent',
        summary: 'Delete an equivalent',
        description:
          'Its courses are kept. An equivalent that an account or a bundle has, or that has registrations, ' +
          'cannot be deleted (409).',
        params: EquivalentParams,
        response: {
          204: Type.Null({ description: 'The equivalent is deleted.' }),
          ...problems(
            404,
            { 409: 'An account or a bundle has the equivalent, or it has registrations.' },
            412,
          ),
        },
      },
    },
    async (request, reply) => {
      await equivalents.delete(idOf(request.params), {
        by: actorOf(request),
        expected: expectedRevisions(request),
      });
      return reply.code(204).send(null);
    },
  );
}

async function assertInput(request: FastifyRequest, equivalents: EquivalentService): Promise<void> {
  await assertValidOrLookUp(request, () => equivalents.inputErrors(request.body));
}

function idOf(params: { equivalent_id: string }): number {
  return parseId(params.equivalent_id, 'equivalent');
}

function toInput(body: EquivalentBody): GroupInput<GivenEquivalentCourse> {
  return {
    name: body.name,
    folderId: body.folder_id ?? null,
    contents: body.courses.map(({ course_id, language }) => ({ courseId: course_id, language })),
  };
}

function toRecord(equivalent: Equivalent): EquivalentRecord {
  return {
    id: equivalent.id,
    name: equivalent.name,
    folder_id: equivalent.folderId,
    location: equivalent.location,
    courses: equivalent.contents.map(({ courseId, language, name }) => ({
      course_id: courseId,
      language,
      name,
    })),
    created_dt: formatDateTime(equivalent.createdAt),
    updated_dt: formatDateTime(equivalent.updatedAt),
  };
}
