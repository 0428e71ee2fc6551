import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ProblemError } from '../problems/problem.ts';
// Declares which routes are uploads.
import type {} from './request-deadline.ts';

/** Who makes a request: a program with an access token, or a person who has signed in. */
export type Caller = ClientCaller | AdministratorCaller;

interface CallerCommon {
  /** Identifies callers of both kinds. The idempotency keys of a caller belong to it. */
  id: string;
  /** Sent as `user` in the messages about the request: an e-mail address. */
  user: string;
  /** The name of the client, or of the administrator once it is known. */
  name: string | null;
  /**
   * The scopes of the access token or the role. They decide what a response may contain, in addition to the requirement
   * of the route.
   */
  scopes: ReadonlySet<string>;
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

/** What a route requires: any one of some scopes of the automation API, or a role, which no access token has. */
export type Need = { scopes: readonly [string, ...string[]] } | { role: string };

/** The decision of an authorizer: the caller, or the challenge (RFC 6750 section 3). */
export type Authorization =
  | { caller: Caller }
  | { refusal: { status: 401 | 403; detail: string; wwwAuthenticate?: string } };

/** How a request is decided. */
export interface AuthorizeOptions {
  /**
   * Whether the request was allowed before and is decided again because it takes long. A token or session that has
   * expired in the meantime is accepted, but not one that has been ended. @defaultValue false
   */
  again?: boolean;
  /** The value of Authorization if it is not in the header of the request. @defaultValue that of the header */
  authorization?: string | undefined;
}

/** Decides from the headers of a request whether it has the required scope or role. */
export type Authorize = (
  request: FastifyRequest,
  need: Need,
  options?: AuthorizeOptions,
) => Promise<Authorization>;

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * The scope that a caller needs, whether it comes with an access token or a session. One of several is enough:
     * what the response then contains is decided by the caller's scopes.
     */
    scope?: string | readonly [string, ...string[]];
    /** The role that a signed-in administrator needs at least. A route names this or a scope. */
    role?: string;
  }
  interface FastifyRequest {
    caller: Caller | null;
    /**
     * Fails if the caller may no longer use the route. For requests that take long: uploads. Null for other routes.
     * @throws {ProblemError} `unauthorized` or `forbidden`
     */
    authorizeAgain: (() => Promise<void>) | null;
  }
}

/**
 * Accepts only callers with the scope or role of the route, before a byte of the body is read. The hook of every
 * protected route, both of the automation API and of the admin UI's own interface. A route has `config: { scope:
 * 'webhooks:read' }` or `config: { role: 'admin' }`. A route with neither, or both, prevents the startup: a forgotten
 * scope must not open a route to everyone.
 */
export function requireScopes(app: FastifyInstance, authorize: Authorize): void {
  app.decorateRequest('caller', null);
  app.decorateRequest('authorizeAgain', null);
  app.addHook('onRoute', (route) => {
    const { scope, role } = route.config ?? {};
    if ((scope === undefined) === (role === undefined)) {
      const named = scope === undefined ? 'no scope and no role' : 'a scope and a role';
      throw new Error(`the route ${String(route.method)} ${route.url} names ${named}`);
    }
  });
  app.addHook('onRequest', async (request) => {
    const { scope, role, isUpload } = request.routeOptions.config;
    const need = scope !== undefined ? { scopes: listOf(scope) } : role !== undefined ? { role } : null;
    if (need === null) return;
    request.caller = callerIn(await authorize(request, need));
    if (isUpload === true)
      request.authorizeAgain = async () => void callerIn(await authorize(request, need, { again: true }));
  });
}

/** @throws {ProblemError} if the request was refused */
function callerIn(decision: Authorization): Caller {
  if ('caller' in decision) return decision.caller;
  const { status, wwwAuthenticate, detail } = decision.refusal;
  throw new ProblemError(status === 401 ? 'unauthorized' : 'forbidden', detail, {
    headers: wwwAuthenticate === undefined ? {} : { 'WWW-Authenticate': wwwAuthenticate },
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

function listOf(scope: string | readonly [string, ...string[]]): readonly [string, ...string[]] {
  return typeof scope === 'string' ? [scope] : scope;
}
