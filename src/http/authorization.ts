import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ProblemError } from '../problems/problem.ts';

/** Who makes a request. */
export interface Caller {
  /** The API client. */
  clientId: string;
  /** Stands as `user` in the messages of events that the request causes: an e-mail address. */
  user: string;
}

/** What an authorizer decided: the caller, or how to refuse (RFC 6750 section 3). */
export type Authorization =
  | { caller: Caller }
  | { refusal: { status: 401 | 403; wwwAuthenticate: string; detail: string } };

/** Decides by the Authorization header whether a request may use a scope. */
export type Authorize = (authorizationHeader: string | undefined, scope: string) => Promise<Authorization>;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The scope that a caller needs. Every route of the API names one. */
    scope?: string;
  }
  interface FastifyRequest {
    caller: Caller | null;
  }
}

/**
 * Lets only callers with the route's scope through, before a byte of the body is read. A route without a
 * scope is refused at start: forgetting one must not open a door.
 */
export function requireScopes(app: FastifyInstance, authorize: Authorize): void {
  app.decorateRequest('caller', null);
  app.addHook('onRoute', (route) => {
    if (route.config?.scope === undefined) {
      throw new Error(`the route ${String(route.method)} ${route.url} names no scope`);
    }
  });
  app.addHook('onRequest', async (request) => {
    const { scope } = request.routeOptions.config;
    if (scope === undefined) return;
    const decision = await authorize(request.headers.authorization, scope);
    if ('caller' in decision) {
      request.caller = decision.caller;
      return;
    }
    const { status, wwwAuthenticate, detail } = decision.refusal;
    throw new ProblemError(status === 401 ? 'unauthorized' : 'forbidden', detail, {
      headers: { 'WWW-Authenticate': wwwAuthenticate },
    });
  });
}

/** The caller of a route that has a scope. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new Error('this route has no scope');
  return request.caller;
}
