import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify';
import { type InputError, invalidInput, pointerTo } from '../problems/problem.ts';
import { inputErrorsOf } from './validation.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The query members that the route knows, or undefined if it accepts any. */
    queryMembers?: ReadonlySet<string>;
  }
}

const UI_INTERFACE = '/ui/api/';
const MAX_ERRORS_TOLD = 100;

/**
 * Rejects query members that a route does not know, because a typing error (`resetstatistics=true`) must not
 * silently do nothing. Applies to the automation API and the interface of the UI. Pages, files, health checks
 * and metrics accept any query, because links get members added on their way. So does the token endpoint (RFC
 * 6749 section 3.2).
 */
export function refuseUnknownQuery(server: FastifyInstance): void {
  server.addHook('onRoute', (route) => {
    const { scope, role } = route.config ?? {};
    if (scope === undefined && role === undefined && !route.url.startsWith(UI_INTERFACE)) return;
    const query = route.schema?.querystring as { properties?: object } | undefined;
    route.config = { ...route.config, queryMembers: new Set(Object.keys(query?.properties ?? {})) };
  });
  // After validation: a route that does not attach validation errors has already responded, with these members,
  // too.
  server.addHook('preHandler', (request, _reply, done) => {
    const unknown = unknownQueryErrors(request);
    if (unknown.length === 0) return done();
    // An upload's body is not read yet.
    const found = request.routeOptions.config.isUpload === true ? undefined : request.validationError;
    done(invalidInput(withUnknownQuery(request, inputErrorsOf(found as FastifyError | undefined))));
  });
}

/** The errors of a request, including query members that its route does not know. */
export function withUnknownQuery(request: FastifyRequest, found: readonly InputError[]): InputError[] {
  const reported = new Set(found.map(({ pointer }) => pointer));
  const unknown = unknownQueryErrors(request).filter(({ pointer }) => !reported.has(pointer));
  return [...found, ...unknown].slice(0, MAX_ERRORS_TOLD);
}

function unknownQueryErrors(request: FastifyRequest): InputError[] {
  const known = request.routeOptions.config.queryMembers;
  if (known === undefined) return [];
  const names = Object.keys((request.query ?? {}) as object);
  return names
    .filter((name) => !known.has(name))
    .map((name) => ({ pointer: pointerTo('/query', name), detail: 'is not a known member' }));
}
