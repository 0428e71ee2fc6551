import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type InputError, invalidInput, pointerTo, withFurther } from '../problems/problem.ts';
import { hasBody as announcesBody } from './request-deadline.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The query members that the route knows, or undefined if it accepts any. */
    queryMembers?: ReadonlySet<string>;
    /** Whether the route has a body. Its schema rejects unknown members. */
    hasBody?: boolean;
  }
}

const UI_INTERFACE = '/ui/api/';

/**
 * Rejects query members that a route does not know, because a typing error (`resetstatistics=true`) must not
 * silently do nothing. Rejects members of a body if the route has none, because a lost filter means "all". Rejects a
 * query that cannot be decoded, because its literal text would find nothing.
 * Applies to the automation API and the interface of the UI. Pages, files, health checks and metrics accept any
 * query, because links get members added on their way. So does the token endpoint (RFC 6749 section 3.2).
 */
export function refuseUnknownMembers(server: FastifyInstance): void {
  server.addHook('onRoute', (route) => {
    const { scope, role } = route.config ?? {};
    if (scope === undefined && role === undefined && !route.url.startsWith(UI_INTERFACE)) return;
    const { querystring, body } = route.schema ?? {};
    const { properties = {} } = (querystring ?? {}) as { properties?: object };
    const queryMembers = new Set(Object.keys(properties));
    route.config = { ...route.config, queryMembers, hasBody: body !== undefined };
  });
  // After validation: a request that does not fit its schema already has a response, with these members, too.
  server.addHook('preHandler', (request, _reply, done) => {
    const { attachValidation, config } = request.routeOptions;
    // A route that attaches validation errors reports these members with what it finds itself. But an upload, whose body
    // is not read yet, is refused before it arrives.
    if (attachValidation === true && config.isUpload !== true) return done();
    const unknown = unknownMemberErrors(request);
    if (unknown.length === 0) return done();
    done(invalidInput(unknown));
  });
}

/** The members of a request that its route does not know and no schema has checked. */
export function unknownMemberErrors(request: FastifyRequest): InputError[] {
  const { queryMembers, hasBody } = request.routeOptions.config;
  if (queryMembers === undefined) return [];
  const errors = withFurther(encodingErrors(request.url), unknownQueryErrors(request.query, queryMembers));
  if (hasBody === true) return errors;
  return [
    ...errors,
    ...(isBodyRead(request) ? bodyErrors(request.body, queryMembers) : unreadBodyErrors(request)),
  ];
}

/** The parts of a query that are not percent-encoded UTF-8. Fastify takes them literally. */
function encodingErrors(url: string): InputError[] {
  const at = url.indexOf('?');
  const query = at < 0 ? '' : url.slice(at + 1);
  if (!query.includes('%')) return [];
  const names = query.split('&').flatMap((part) => {
    const [name = ''] = part.split('=', 1);
    return decoded(part) === null ? [decoded(name) ?? name] : [];
  });
  return [...new Set(names)].map((name) => ({ pointer: pointerTo('/query', name), detail: NOT_ENCODED }));
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return null;
  }
}

function unknownQueryErrors(query: unknown, known: ReadonlySet<string>): InputError[] {
  const names = Object.keys((query ?? {}) as object);
  return names
    .filter((name) => !known.has(name))
    .map((name) => ({ pointer: pointerTo('/query', name), detail: 'is not a known member' }));
}

/** Whether Fastify reads the body of a request. */
function isBodyRead({ method }: FastifyRequest): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

/** The body of a request for which nobody reads one. It may still be arriving, so its members are not known. */
function unreadBodyErrors(request: FastifyRequest): InputError[] {
  return announcesBody(request)
    ? [{ pointer: '', detail: 'must be empty: filters belong in the query' }]
    : [];
}

/** The members of a body where none belongs. Many clients send an empty one with every call. */
function bodyErrors(body: unknown, queryMembers: ReadonlySet<string>): InputError[] {
  if (body === undefined || body === null) return [];
  if (typeof body !== 'object') return [NOT_EMPTY];
  const names = Object.keys(body);
  if (names.length > 0 && Array.isArray(body)) return [NOT_EMPTY];
  return names.map((name) => ({
    pointer: pointerTo('', name),
    detail: queryMembers.has(name) ? 'belongs in the query' : 'is not a known member',
  }));
}

const NOT_ENCODED = 'must be percent-encoded UTF-8';
const NOT_EMPTY: InputError = { pointer: '', detail: 'must be empty' };
