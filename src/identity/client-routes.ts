import { type Static, Type } from 'typebox';
import { callerOf } from '../http/authorization.ts';
import type { Routes } from '../http/routes.ts';
import { DateTime, OptionalDateTime } from '../http/schemas.ts';
import type { Logger } from '../observability/log.ts';
import { notFound } from '../problems/problem.ts';
import { MAX_EMAIL_CHARACTERS } from './client-input.ts';
import type { ApiClient, ClientService } from './client-service.ts';
import { SCOPES } from './scopes.ts';

const HIDDEN = { hide: true } as const;
const ADMIN = { role: 'admin' } as const;
const params = Type.Object({ client_id: Type.String() });

const said = {
  name: Type.String({ description: 'What the client is, for people.' }),
  email: Type.String({
    maxLength: MAX_EMAIL_CHARACTERS,
    description: 'Stands as `user` in the messages of events that the client causes.',
  }),
  scopes: Type.Array(Type.Enum([...SCOPES]), { maxItems: SCOPES.length, uniqueItems: true }),
};

const ClientBody = Type.Object(said, { additionalProperties: false });
const ClientChange = Type.Object({ ...said, enabled: Type.Boolean() }, { additionalProperties: false });

const recordMembers = {
  client_id: Type.String(),
  ...said,
  enabled: Type.Boolean(),
  created_dt: DateTime('When it was made.'),
  last_used_dt: OptionalDateTime('When it last got a token, to the minute.'),
};
const ClientRecord = Type.Object(recordMembers);
const ClientList = Type.Object({ data: Type.Array(ClientRecord) });
const ClientWithSecret = Type.Object({
  ...recordMembers,
  client_secret: Type.String({ description: 'Told this once.' }),
});

/** The API clients in the admin UI, for those of role admin. Under the hook of `requireScopes`. */
export function clientRoutes(
  routes: Routes,
  { clients, log }: { clients: ClientService; log: Logger },
): void {
  routes.get(
    '/ui/api/clients',
    { config: ADMIN, schema: { ...HIDDEN, response: { 200: ClientList } } },
    async () => ({ data: (await clients.list()).map(toRecord) }),
  );

  routes.post(
    '/ui/api/clients',
    { config: ADMIN, schema: { ...HIDDEN, body: ClientBody, response: { 201: ClientWithSecret } } },
    async (request, reply) => {
      const { client, clientSecret } = await clients.create(request.body);
      log.info('an API client was made', { client_id: client.clientId, by: callerOf(request).id });
      return reply.code(201).send({ ...toRecord(client), client_secret: clientSecret });
    },
  );

  routes.put(
    '/ui/api/clients/:client_id',
    { config: ADMIN, schema: { ...HIDDEN, params, body: ClientChange, response: { 200: ClientRecord } } },
    async (request) => {
      const { client_id: clientId } = request.params;
      const client = await clients.update(clientId, request.body);
      if (client === null) throw notFound('API client', clientId);
      log.info('an API client was changed', { client_id: clientId, by: callerOf(request).id });
      return toRecord(client);
    },
  );

  routes.post(
    '/ui/api/clients/:client_id/secret',
    { config: ADMIN, schema: { ...HIDDEN, params, response: { 200: ClientWithSecret } } },
    async (request) => {
      const { client_id: clientId } = request.params;
      const renewed = await clients.renewSecret(clientId);
      if (renewed === null) throw notFound('API client', clientId);
      log.info('an API client got a new secret', { client_id: clientId, by: callerOf(request).id });
      return { ...toRecord(renewed.client), client_secret: renewed.clientSecret };
    },
  );

  routes.delete(
    '/ui/api/clients/:client_id',
    { config: ADMIN, schema: { ...HIDDEN, params } },
    async (request, reply) => {
      const { client_id: clientId } = request.params;
      if (!(await clients.delete(clientId))) throw notFound('API client', clientId);
      log.info('an API client was deleted', { client_id: clientId, by: callerOf(request).id });
      return reply.code(204).send();
    },
  );
}

function toRecord(client: ApiClient): Static<typeof ClientRecord> {
  return {
    client_id: client.clientId,
    name: client.name,
    email: client.email,
    scopes: SCOPES.filter((scope) => client.scopes.has(scope)),
    enabled: client.enabled,
    created_dt: new Date(client.createdAt).toISOString(),
    last_used_dt: client.lastUsedAt === null ? null : new Date(client.lastUsedAt).toISOString(),
  };
}
