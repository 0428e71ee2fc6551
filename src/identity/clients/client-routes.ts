import { Type } from 'typebox';
import { actorOf } from '../../audit/actor.ts';
import { callerOf } from '../../http/authorization.ts';
import { entityTag, expectedRevisions } from '../../http/conditions.ts';
import type { Idempotency } from '../../http/idempotency.ts';
import type { Routes } from '../../http/routes.ts';
import { assertValid } from '../../http/validation.ts';
import type { Logger } from '../../observability/log.ts';
import { notFound } from '../../problems/problem.ts';
import { nameAndEmailErrors } from './client-input.ts';
import { ClientBody, ClientChange, toClientRecord } from './client-schemas.ts';
import type { ClientService } from './client-service.ts';

const HIDDEN = { hide: true } as const;
const ADMIN = { role: 'admin' } as const;
const params = Type.Object({ client_id: Type.String() });

/** Dependencies of {@link clientRoutes}. */
export interface ClientRoutesDependencies {
  clients: ClientService;
  idempotency: Idempotency;
  log: Logger;
}

/** The API clients in the admin UI, for administrators with the role admin. Under the hook of `requireScopes`. */
export function clientRoutes(routes: Routes, dependencies: ClientRoutesDependencies): void {
  createClientRoute(routes, dependencies);
  getClientRoute(routes, dependencies);
  updateClientRoute(routes, dependencies);
  renewSecretRoute(routes, dependencies);
  deleteClientRoute(routes, dependencies);
}

function createClientRoute(routes: Routes, { clients, idempotency, log }: ClientRoutesDependencies): void {
  routes.post(
    '/ui/api/clients',
    {
      config: ADMIN,
      attachValidation: true,
      schema: {
        ...HIDDEN,
        body: ClientBody,
      },
    },
    async (request, reply) => {
      assertValid(request, nameAndEmailErrors(request.body));
      let madeId: string | null = null;
      const client = await idempotency.respondWithSecret(request, reply, async (tx) => {
        const { client, clientSecret } = await clients.create(request.body, actorOf(request), tx);
        madeId = client.clientId;
        const headers = { ETag: entityTag(client.revision) };
        return { status: 201, headers, body: { ...toClientRecord(client), client_secret: clientSecret } };
      });
      if (madeId !== null)
        log.info('an API client was created', { client_id: madeId, by: callerOf(request).id });
      return client;
    },
  );
}

function getClientRoute(routes: Routes, { clients }: ClientRoutesDependencies): void {
  routes.get(
    '/ui/api/clients/:client_id',
    { config: ADMIN, schema: { ...HIDDEN, params } },
    async (request, reply) => {
      const { client_id: clientId } = request.params;
      const client = await clients.get(clientId);
      if (client === null) throw notFound('API client', clientId);
      return reply.header('ETag', entityTag(client.revision)).send(toClientRecord(client));
    },
  );
}

function updateClientRoute(routes: Routes, { clients, log }: ClientRoutesDependencies): void {
  routes.put(
    '/ui/api/clients/:client_id',
    {
      config: ADMIN,
      attachValidation: true,
      schema: {
        ...HIDDEN,
        params,
        body: ClientChange,
      },
    },
    async (request, reply) => {
      assertValid(request, nameAndEmailErrors(request.body));
      const { client_id: clientId } = request.params;
      const client = await clients.update(
        clientId,
        request.body,
        actorOf(request),
        expectedRevisions(request),
      );
      if (client === null) throw notFound('API client', clientId);
      log.info('an API client was changed', { client_id: clientId, by: callerOf(request).id });
      return reply.header('ETag', entityTag(client.revision)).send(toClientRecord(client));
    },
  );
}

function renewSecretRoute(routes: Routes, { clients, log }: ClientRoutesDependencies): void {
  routes.post(
    '/ui/api/clients/:client_id/secret',
    { config: ADMIN, schema: { ...HIDDEN, params } },
    async (request, reply) => {
      const { client_id: clientId } = request.params;
      const renewed = await clients.renewSecret(clientId, actorOf(request));
      if (renewed === null) throw notFound('API client', clientId);
      log.info('an API client got a new secret', { client_id: clientId, by: callerOf(request).id });
      reply.header('ETag', entityTag(renewed.client.revision));
      return { ...toClientRecord(renewed.client), client_secret: renewed.clientSecret };
    },
  );
}

function deleteClientRoute(routes: Routes, { clients, log }: ClientRoutesDependencies): void {
  routes.delete(
    '/ui/api/clients/:client_id',
    { config: ADMIN, schema: { ...HIDDEN, params } },
    async (request, reply) => {
      const { client_id: clientId } = request.params;
      if (!(await clients.delete(clientId, actorOf(request), expectedRevisions(request)))) {
        throw notFound('API client', clientId);
      }
      log.info('an API client was deleted', { client_id: clientId, by: callerOf(request).id });
      return reply.code(204).send();
    },
  );
}
