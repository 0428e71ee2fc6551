import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { actorOf } from '../../audit/actor.ts';
import { parseId } from '../../http/ids.ts';
import type { Routes } from '../../http/routes.ts';
import { assertValid } from '../../http/validation.ts';
import { formatDateTime } from '../../time/date-time.ts';
import { nameAndEmailErrors } from '../clients/client-input.ts';
import { AdministratorInput, InvitationInput, toAdministratorRecord } from './administrator-schemas.ts';
import type { AdministratorService } from './administrator-service.ts';
import { type IssuedLink, setupUrl } from './setup-links.ts';

/** A one-time link for setting a password. No later response contains it. */
export type OneTimeLink = ReturnType<typeof toLink>;

const HIDDEN = { hide: true } as const;
const ADMIN = { role: 'admin' } as const;
const params = Type.Object({ id: Type.String() });

/** Dependencies of {@link administratorRoutes}. */
export interface AdministratorRoutesDependencies {
  administrators: AdministratorService;
  /** The address at which the caller reaches the service. Links start with it. */
  baseUrl: (request: FastifyRequest) => string;
}

/** The administrators, for administrators with the role admin. Under the hook of `requireScopes`. */
export function administratorRoutes(routes: Routes, dependencies: AdministratorRoutesDependencies): void {
  listAdministratorsRoute(routes, dependencies);
  inviteAdministratorRoute(routes, dependencies);
  issueLinkRoute(routes, dependencies);
  updateAdministratorRoute(routes, dependencies);
  deleteAdministratorRoute(routes, dependencies);
}

function listAdministratorsRoute(routes: Routes, { administrators }: AdministratorRoutesDependencies): void {
  routes.get('/ui/api/administrators', { config: ADMIN, schema: { ...HIDDEN } }, async () => ({
    data: (await administrators.list()).map(toAdministratorRecord),
  }));
}

function inviteAdministratorRoute(
  routes: Routes,
  { administrators, baseUrl }: AdministratorRoutesDependencies,
): void {
  routes.post(
    '/ui/api/administrators',
    { config: ADMIN, attachValidation: true, schema: { ...HIDDEN, body: InvitationInput } },
    async (request, reply) => {
      assertValid(request, nameAndEmailErrors(request.body));
      const { email, role, name } = request.body;
      const { administrator, link } = await administrators.invite(
        { email, role, ...(name === undefined || name === null ? {} : { name }) },
        actorOf(request),
      );
      return reply
        .code(201)
        .send({ ...toAdministratorRecord(administrator), ...toLink(link, baseUrl(request)) });
    },
  );
}

function issueLinkRoute(routes: Routes, { administrators, baseUrl }: AdministratorRoutesDependencies): void {
  routes.post(
    '/ui/api/administrators/:id/link',
    { config: ADMIN, schema: { ...HIDDEN, params } },
    async (request) =>
      toLink(await administrators.issueLink(idOf(request.params), actorOf(request)), baseUrl(request)),
  );
}

function updateAdministratorRoute(routes: Routes, { administrators }: AdministratorRoutesDependencies): void {
  routes.put(
    '/ui/api/administrators/:id',
    {
      config: ADMIN,
      attachValidation: true,
      schema: { ...HIDDEN, params, body: AdministratorInput },
    },
    async (request) => {
      assertValid(request, nameAndEmailErrors(request.body));
      const { role, enabled, name } = request.body;
      const change = {
        ...(role === undefined ? {} : { role }),
        ...(enabled === undefined ? {} : { enabled }),
        ...(name === undefined || name === null ? {} : { name }),
      };
      return toAdministratorRecord(
        await administrators.update(idOf(request.params), change, actorOf(request)),
      );
    },
  );
}

function deleteAdministratorRoute(routes: Routes, { administrators }: AdministratorRoutesDependencies): void {
  routes.delete(
    '/ui/api/administrators/:id',
    { config: ADMIN, schema: { ...HIDDEN, params } },
    async (request, reply) => {
      await administrators.delete(idOf(request.params), actorOf(request));
      return reply.code(204).send();
    },
  );
}

function idOf({ id }: { id: string }): number {
  return parseId(id, 'administrator');
}

function toLink({ token, expiresAt }: IssuedLink, baseUrl: string) {
  return {
    invitation_url: setupUrl(baseUrl, token),
    invitation_expires_dt: formatDateTime(expiresAt),
  };
}
