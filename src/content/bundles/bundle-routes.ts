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
import type { Bundle, GivenBundleContent } from './bundle.ts';
import { BundleBody, BundleRecord } from './bundle-schemas.ts';
import type { BundleService } from './bundle-service.ts';

const READ = { scope: 'content:read' };
const WRITE = { scope: 'content:write' };
const tags = ['Bundles'];
const BundleParams = Type.Object({ bundle_id: PathId('The id of the bundle.') });

/** Bundles in the automation API. */
export function bundleRoutes(routes: Routes, bundles: BundleService, idempotency: Idempotency): void {
  createBundleRoute(routes, bundles, idempotency);
  listBundlesRoute(routes, bundles);
  getBundleRoute(routes, bundles);
  updateBundleRoute(routes, bundles);
  deleteBundleRoute(routes, bundles);
}

function createBundleRoute(routes: Routes, bundles: BundleService, idempotency: Idempotency): void {
  routes.post(
    '/bundles',
    {
      config: WRITE,
      attachValidation: true,
      schema: {
        tags,
        operationId: 'createBundle',
        summary: 'Create a bundle',
        body: BundleBody,
        response: { 201: BundleRecord, ...problems(400, 413, 415, 422) },
      },
    },
    async (request, reply) => {
      await assertInput(request, bundles);
      return await idempotency.respond(request, reply, async (tx) => {
        const bundle = await bundles.create(toInput(request.body), {
          by: actorOf(request),
          tx,
        });
        return {
          status: 201,
          headers: { Location: `/bundles/${bundle.id}`, ETag: entityTag(bundle.revision) },
          body: toRecord(bundle),
        };
      });
    },
  );
}

function listBundlesRoute(routes: Routes, bundles: BundleService): void {
  routes.get(
    '/bundles',
    {
      config: { ...READ, hasLargeResponse: true },
      schema: {
        tags,
        operationId: 'listBundles',
        summary: 'List bundles',
        querystring: PageQuery,
        response: {
          200: PageOf(BundleRecord, 'Bundles, ordered by id.'),
          ...problems(400, { 429: TOO_MANY_READS }),
        },
      },
    },
    async (request) => pageResponse(await bundles.list(pageRequest(request.query)), toRecord),
  );
}

function getBundleRoute(routes: Routes, bundles: BundleService): void {
  routes.get(
    '/bundles/:bundle_id',
    {
      config: READ,
      schema: {
        tags,
        operationId: 'getBundle',
        summary: 'Read a bundle',
        params: BundleParams,
        response: { 200: BundleRecord, ...problems(404) },
      },
    },
    async (request, reply) => {
      const bundle = await bundles.get(idOf(request.params));
      return reply.header('ETag', entityTag(bundle.revision)).send(toRecord(bundle));
    },
  );
}

function updateBundleRoute(routes: Routes, bundles: BundleService): void {
  routes.put(
    '/bundles/:bundle_id',
    {
      config: WRITE,
      attachValidation: true,
      schema: {
        tags,
        operationId: 'updateBundle',
        summary: 'Update a bundle',
        description:
          'Replaces name, folder and contents. Without a folder, the bundle moves to Home. ' +
          'Accounts that have the bundle get its new contents. Triggers no event.',
        params: BundleParams,
        body: BundleBody,
        response: { 200: BundleRecord, ...problems(400, 404, 412, 413, 415) },
      },
    },
    async (request, reply) => {
      await assertInput(request, bundles);
      const bundle = await bundles.update(idOf(request.params), toInput(request.body), {
        by: actorOf(request),
        expected: expectedRevisions(request),
      });
      return reply.header('ETag', entityTag(bundle.revision)).send(toRecord(bundle));
    },
  );
}

function deleteBundleRoute(routes: Routes, bundles: BundleService): void {
  routes.delete(
    '/bundles/:bundle_id',
    {
      config: WRITE,
      schema: {
        tags,
        operationId: 'deleteBundle',
        summary: 'Delete a bundle',
        description: 'Its contents are kept. A bundle that an account has cannot be deleted (409).',
        params: BundleParams,
        response: {
          204: Type.Null({ description: 'The bundle is deleted.' }),
          ...problems(404, { 409: 'An account has the bundle.' }, 412),
        },
      },
    },
    async (request, reply) => {
      await bundles.delete(idOf(request.params), {
        by: actorOf(request),
        expected: expectedRevisions(request),
      });
      return reply.code(204).send(null);
    },
  );
}

async function assertInput(request: FastifyRequest, bundles: BundleService): Promise<void> {
  await assertValidOrLookUp(request, () => bundles.inputErrors(request.body));
}

function idOf(params: { bundle_id: string }): number {
  return parseId(params.bundle_id, 'bundle');
}

function toInput(body: BundleBody): GroupInput<GivenBundleContent> {
  return {
    name: body.name,
    folderId: body.folder_id ?? null,
    contents: body.contents.map(({ type, id }) => ({ type, id })),
  };
}

function toRecord(bundle: Bundle): BundleRecord {
  return {
    id: bundle.id,
    name: bundle.name,
    folder_id: bundle.folderId,
    location: bundle.location,
    contents: bundle.contents,
    created_dt: formatDateTime(bundle.createdAt),
    updated_dt: formatDateTime(bundle.updatedAt),
  };
}
