import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ProblemError } from '../problems/problem.ts';

/** Who makes a request: a program with an access token, or a person who has signed in. */
export type Caller = ClientCaller | AdministratorCaller;

interface CallerCommon {
  /** Tells callers of both kinds apart: what a caller's idempotency keys belong to. */
  id: string;
  /** Stands as `user` in the messages of events that the request causes: an e-mail address. */
  user: string;
}

/** An API client. Its `id` is the client id. */
export interface ClientCaller extends CallerCommon {
  kind: 'client';
}

/** An administrator. `user` is the administrator's e-mail address. */
export interface AdministratorCaller extends CallerCommon {
  kind: 'administrator';
  administratorId: number;
  /** The name of a role. */
  role: string;
  /** The session that the request came with. */
  sessionId: number;
}

/** What a route asks of its caller: a scope of the automation API, or a role, which no access token has. */
export type Need = { scope: string } | { role: string };

/** What an authorizer decided: the caller, or how to refuse (RFC 6750 section 3). */
export type Authorization =
  | { caller: Caller }
  | { refusal: { status: 401 | 403; detail: string; wwwAuthenticate?: string } };

/** Decides by a request's header fields whether it may do what the route needs. */
export type Authorize = (request: FastifyRequest, need: Need) => Promise<Authorization>;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The scope that a caller needs, whether it comes with an access token or a session. */
    scope?: string;
    /** The role that a signed-in administrator needs at least. A route names this or a scope. */
    role?: string;
  }
  interface FastifyRequest {
    caller: Caller | null;
  }
}

/**
 * Lets only callers through that have the route's scope or role, before a byte of the body is read. The one
 * hook of every protected route, of the automation API and of the admin UI's own interface alike: a route says
 * `config: { scope: 'webhooks:read' }` or `config: { role: 'admin' }`. One that names neither, or both, is refused at
 * start: forgetting it must not open a door.
 */
export function requireScopes(app: FastifyInstance, authorize: Authorize): void {
  app.decorateRequest('caller', null);
  app.addHook('onRoute', (route) => {
    const { scope, role } = route.config ?? {};
    if ((scope === undefined) === (role === undefined)) {
      const named = scope === undefined ? 'no scope and no role' : 'a scope and a role';
      throw new Error(`the route ${String(route.method)} ${route.url} names ${named}`);
    }
  });
  app.addHook('onRequest', async (request) => {
    const { scope, role } = request.routeOptions.config;
    const need = scope !== undefined ? { scope } : role !== undefined ? { role } : null;
    if (need === null) return;
    const decision = await authorize(request, need);
    if ('caller' in decision) {
      request.caller = decision.caller;
      return;
    }
    const { status, wwwAuthenticate, detail } = decision.refusal;
    throw new ProblemError(status === 401 ? 'unauthorized' : 'forbidden', detail, {
      headers: wwwAuthenticate === undefined ? {} : { 'WWW-Authenticate': wwwAuthenticate },
    });
  });
}

/** The caller of a route that has a scope or a role. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new Error('this route has no scope');
  return request.caller;
}

/** The caller of a route that has a role. */
export function administratorOf(request: FastifyRequest): AdministratorCaller {
  const caller = callerOf(request);
  if (caller.kind !== 'administrator') throw new Error('this route has no role');
  return caller;
}
