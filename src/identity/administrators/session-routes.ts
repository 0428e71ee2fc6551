import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { actorOf } from '../../audit/actor.ts';
import { KIB } from '../../bytes.ts';
import { administratorOf } from '../../http/authorization.ts';
import { parseId } from '../../http/ids.ts';
import { assertNotFromOtherOrigin, assertSameOrigin, type ServiceOrigin } from '../../http/origin.ts';
import type { Routes } from '../../http/routes.ts';
import { ProblemError } from '../../problems/problem.ts';
import { formatDateTime } from '../../time/date-time.ts';
import { challenge } from '../bearer.ts';
import {
  PasswordInput,
  ProfileInput,
  SetupBody,
  SetupLinkBody,
  SignInInput,
} from './administrator-schemas.ts';
import type { AdministratorService } from './administrator-service.ts';
import type { AdministratorSetup, LinkOwner } from './administrator-setup.ts';
import { browserName } from './browser-name.ts';
import { isRole, scopesOfRole } from './roles.ts';
import type { ServiceCookie } from './session-cookie.ts';
import type { Sessions, SessionUse, SignedIn } from './sessions.ts';
import type { SignIn, Visitor } from './sign-in.ts';
import { isUnattended } from './unattended.ts';

/** Dependencies of the sign-in routes. */
export interface SessionRoutesOptions {
  administrators: AdministratorService;
  setup: AdministratorSetup;
  sessions: Sessions;
  signIn: SignIn;
  sessionCookie: ServiceCookie;
  /** Holds the mark of a known browser. */
  browserCookie: ServiceCookie;
  origin: ServiceOrigin;
  /** Facts about the service for the UI. */
  service: { version: string; readOnly: boolean; delivers: () => boolean; baseUrl: string | null };
}

/** The signed-in person and the service. */
export type SessionRecord = ReturnType<typeof toSession>;
/** One of an administrator's own sessions. */
export type OwnSession = ReturnType<typeof toOwnSession>;
/** Whom a one-time link is for; e-mail and name are null while they are not known. */
export type Invitation = ReturnType<typeof toInvitation>;

const HIDDEN = { hide: true } as const;
const VIEWER = { role: 'viewer' } as const;
const params = Type.Object({ id: Type.String() });
/** Maximum body without sign-in: more than the longest address and password need if every character is escaped. */
const MAX_OPEN_BODY_BYTES = 16 * KIB;

/**
 * Signing in and out, and setting up with a one-time link: the routes that require no sign-in. Changes are accepted
 * only from the service's own pages, so that no other page can sign a browser in as someone else.
 */
export function signInRoutes(server: FastifyInstance, options: SessionRoutesOptions): void {
  const routes = server as unknown as Routes;
  getSessionRoute(routes, options);
  signInRoute(routes, options);
  signOutRoute(routes, options);
  readSetupLinkRoute(routes, options);
  setUpRoute(routes, options);
}

function getSessionRoute(routes: Routes, options: SessionRoutesOptions): void {
  const { setup, sessions, sessionCookie } = options;
  routes.get('/ui/api/session', { schema: { ...HIDDEN } }, async (request) => {
    const token = sessionCookie.read(request);
    if (token !== null) assertNotFromOtherOrigin(request);
    const signedIn =
      token === null ? null : await sessions.verify(token, request.ip, { unattended: isUnattended(request) });
    if (signedIn !== null) return sessionRecord(request, signedIn, options);
    const setupRequired = await setup.needsSetup();
    throw new ProblemError('unauthorized', 'Sign in first.', {
      headers: { 'WWW-Authenticate': challenge() },
      ...(setupRequired ? { members: { setup_required: true } } : {}),
    });
  });
}

function signInRoute(routes: Routes, options: SessionRoutesOptions): void {
  const { signIn, sessionCookie, browserCookie } = options;
  routes.post(
    '/ui/api/session',
    { ...fromOwnPages(options), bodyLimit: MAX_OPEN_BODY_BYTES, schema: { ...HIDDEN, body: SignInInput } },
    async (request, reply) => {
      const visitor: Visitor = {
        ...sessionUseOf(request),
        mark: browserCookie.read(request),
        sessionToken: sessionCookie.read(request),
      };
      return begun(request, reply, { begins: await signIn.signIn(request.body, visitor), options });
    },
  );
}

function signOutRoute(routes: Routes, options: SessionRoutesOptions): void {
  const { sessions, sessionCookie } = options;
  routes.delete('/ui/api/session', { ...fromOwnPages(options), schema: HIDDEN }, async (request, reply) => {
    const token = sessionCookie.read(request);
    if (token !== null) await sessions.end(token);
    sessionCookie.clear(request, reply);
    return reply.code(204).send();
  });
}

/** The token is in the body: proxies log addresses. */
function readSetupLinkRoute(routes: Routes, options: SessionRoutesOptions): void {
  const { setup } = options;
  routes.post(
    '/ui/api/setup/link',
    { ...fromOwnPages(options), bodyLimit: MAX_OPEN_BODY_BYTES, schema: { ...HIDDEN, body: SetupLinkBody } },
    async (request) => {
      const found = await setup.readLink(request.body.token);
      if (found === null) throw new ProblemError('not-found', 'This link was used or has expired');
      return toInvitation(found);
    },
  );
}

function setUpRoute(routes: Routes, options: SessionRoutesOptions): void {
  const { setup, signIn } = options;
  routes.post(
    '/ui/api/setup',
    { ...fromOwnPages(options), bodyLimit: MAX_OPEN_BODY_BYTES, schema: { ...HIDDEN, body: SetupBody } },
    async (request, reply) => {
      const { token, email, name, password } = request.body;
      const { administrator, sessionToken, passwordHash } = await setup.setUp(
        { token, email: email ?? undefined, name: name ?? undefined, password },
        sessionUseOf(request),
      );
      const mark = signIn.markFor({ email: administrator.email, passwordHash });
      return begun(request, reply, { begins: { administrator, sessionToken, mark }, options });
    },
  );
}

/** The option of a route that accepts requests only from the service's own pages. */
function fromOwnPages({ origin }: SessionRoutesOptions) {
  return { onRequest: async (request: FastifyRequest) => assertSameOrigin(request, origin) };
}

/** Sets the cookies of a new session. */
function begun(
  request: FastifyRequest,
  reply: FastifyReply,
  { begins, options }: { begins: Awaited<ReturnType<SignIn['signIn']>>; options: SessionRoutesOptions },
): SessionRecord {
  const { administrator, sessionToken, mark } = begins;
  options.sessionCookie.write(request, reply, sessionToken);
  options.browserCookie.write(request, reply, mark);
  const { id, email, name, role } = administrator;
  return sessionRecord(request, { administratorId: id, email, name, role }, options);
}

function sessionRecord(
  request: FastifyRequest,
  signedIn: Omit<SignedIn, 'sessionId'>,
  { service: { baseUrl, ...service }, origin }: SessionRoutesOptions,
): SessionRecord {
  return toSession(signedIn, { ...service, baseUrl: baseUrl ?? origin(request) });
}

/** An administrator's own sessions, password and name. Under the hook of `requireScopes`. */
export function ownSessionRoutes(routes: Routes, dependencies: SessionRoutesOptions): void {
  listSessionsRoute(routes, dependencies);
  endAllSessionsRoute(routes, dependencies);
  endSessionRoute(routes, dependencies);
  changePasswordRoute(routes, dependencies);
  updateProfileRoute(routes, dependencies);
}

function listSessionsRoute(routes: Routes, { sessions }: SessionRoutesOptions): void {
  routes.get('/ui/api/sessions', { config: VIEWER, schema: { ...HIDDEN } }, async (request) => {
    const { administratorId, sessionId } = administratorOf(request);
    const own = await sessions.list(administratorId);
    return { data: own.map((session) => toOwnSession(session, sessionId)) };
  });
}

function endAllSessionsRoute(routes: Routes, { sessions, sessionCookie }: SessionRoutesOptions): void {
  routes.delete('/ui/api/sessions', { config: VIEWER, schema: HIDDEN }, async (request, reply) => {
    await sessions.endEverywhere(administratorOf(request).administratorId, actorOf(request));
    sessionCookie.clear(request, reply);
    return reply.code(204).send();
  });
}

function endSessionRoute(routes: Routes, { sessions, sessionCookie }: SessionRoutesOptions): void {
  routes.delete(
    '/ui/api/sessions/:id',
    { config: VIEWER, schema: { ...HIDDEN, params } },
    async (request, reply) => {
      const { administratorId, sessionId } = administratorOf(request);
      const id = parseId(request.params.id, 'session');
      await sessions.endOne(administratorId, id, actorOf(request));
      if (id === sessionId) sessionCookie.clear(request, reply);
      return reply.code(204).send();
    },
  );
}

function changePasswordRoute(
  routes: Routes,
  { signIn, sessionCookie, browserCookie }: SessionRoutesOptions,
): void {
  routes.put(
    '/ui/api/password',
    { config: VIEWER, schema: { ...HIDDEN, body: PasswordInput } },
    async (request, reply) => {
      const { current_password: current, new_password: next } = request.body;
      const { administratorId } = administratorOf(request);
      const change = { current, next };
      const begun = await signIn.changePassword(administratorId, change, sessionUseOf(request));
      sessionCookie.write(request, reply, begun.sessionToken);
      browserCookie.write(request, reply, begun.mark);
      return reply.code(204).send();
    },
  );
}

function updateProfileRoute(routes: Routes, { administrators }: SessionRoutesOptions): void {
  routes.put(
    '/ui/api/profile',
    { config: VIEWER, schema: { ...HIDDEN, body: ProfileInput } },
    async (request, reply) => {
      const { administratorId } = administratorOf(request);
      await administrators.update(administratorId, { name: request.body.name }, actorOf(request));
      return reply.code(204).send();
    },
  );
}

function toSession(
  { administratorId, email, name, role }: Omit<SignedIn, 'sessionId'>,
  service: { version: string; readOnly: boolean; delivers: () => boolean; baseUrl: string },
) {
  const { version, readOnly, delivers, baseUrl } = service;
  return {
    /** `scopes`: what the role allows; the UI shows nothing else. */
    administrator: {
      id: administratorId,
      email,
      name: name ?? email,
      role: roleOf(role),
      scopes: [...scopesOfRole(role)],
    },
    /** `read_only`: whether webhooks are read-only; `base_url`: where people and programs reach the service. */
    service: { version, read_only: readOnly, delivers: delivers(), base_url: baseUrl },
  };
}

function toOwnSession(
  { id, createdAt, lastSeenAt, userAgent, address }: Awaited<ReturnType<Sessions['list']>>[number],
  currentId: number,
) {
  return {
    id,
    created_dt: formatDateTime(createdAt),
    /** To the minute. */
    last_seen_dt: formatDateTime(lastSeenAt),
    /** Such as `Firefox on Linux`. */
    browser: browserName(userAgent),
    /** The address of its last use, or null if unknown. */
    address,
    current: id === currentId,
  };
}

function toInvitation({ email, name, role, hasPassword }: LinkOwner) {
  return { email, name, role: roleOf(role), has_password: hasPassword };
}

function sessionUseOf(request: FastifyRequest): SessionUse {
  return { address: request.ip, userAgent: request.headers['user-agent'] };
}

function roleOf(role: string) {
  return isRole(role) ? role : 'viewer';
}
