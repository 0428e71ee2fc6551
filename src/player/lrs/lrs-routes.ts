import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { MIB } from '../../bytes.ts';
import { acceptEarlyBodies, readSmallBodyEarly } from '../../http/early-bodies.ts';
import { encodingRefusal } from '../../http/json-body.ts';
import { ProblemError } from '../../problems/problem.ts';
import type { ClientTurns } from './client-turns.ts';
import type { Lrs } from './lrs.ts';
import {
  authorizationInForm,
  isFormRequest,
  type LrsRequest,
  type LrsResponse,
  methodInQuery,
  readQuery,
  unwrapForm,
} from './lrs-request.ts';
import { assertRead, type LrsScope } from './lrs-scope.ts';
import { CONSISTENT_THROUGH, consistentThrough } from './statements/statement-resource.ts';

/** Maximum size of a request: statements and their attachments. */
const MAX_LRS_BODY_BYTES = 16 * MIB;
/** Maximum size of a form whose credential is inside it, so that it is parsed before the caller is authenticated. */
const MAX_UNKNOWN_BODY_BYTES = 2 * MIB;
const METHODS = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'OPTIONS'] as const;
const READ_METHODS = ['GET', 'HEAD'];
/** The methods of the resources that accept only some. */
const METHODS_OF: Readonly<Record<string, readonly string[]>> = {
  about: READ_METHODS,
  activities: READ_METHODS,
  agents: READ_METHODS,
  statements: [...READ_METHODS, 'PUT', 'POST'],
};
const EXPOSED = ['ETag', 'Last-Modified', 'X-Experience-API-Version', CONSISTENT_THROUGH, 'Retry-After'];
const ALLOWED = [
  'Authorization',
  'Content-Type',
  'If-Match',
  'If-None-Match',
  'X-Experience-API-Version',
  'Accept-Language',
];
const PREFLIGHT_SECONDS = '600';

/** The dependencies of the routes. */
export interface LrsRoutesOptions {
  lrs: Lrs;
  /** The path of the store below the prefix of its routes, such as `/xapi`. */
  path: string;
  /**
   * Determines the scope of a request.
   * @param authorization the value of the `Authorization` field, which may be in a form
   * @throws {ProblemError} `unauthorized`, `forbidden`, `too-many-requests`
   */
  scopeOf(request: FastifyRequest, authorization: string | undefined): Promise<LrsScope>;
  /** Null if an earlier hook has identified the caller and given the request its turn. */
  turns: ClientTurns | null;
}

declare module 'fastify' {
  interface FastifyRequest {
    lrsScope: LrsScope | null;
    /** Ends the place of a form, see {@link ClientTurns.forms}. */
    freeForm: (() => void) | null;
  }
}

/**
 * The Experience API as a Fastify plugin with its own parsers and hooks. Pages of any origin may send requests, because
 * no cookie grants access.
 */
export async function lrsRoutes(
  app: FastifyInstance,
  { lrs, path, scopeOf, turns }: LrsRoutesOptions,
): Promise<void> {
  const respond = async (scope: LrsScope, request: LrsRequest) => {
    const work = () => lrs.respond(scope, request);
    return await (turns === null ? work() : turns.run(request, work));
  };
  app.decorateRequest('lrsScope', null);
  app.decorateRequest('freeForm', null);
  if (turns !== null) acceptEarlyBodies(app);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => {
    // Without its coding, nobody could read a document again.
    const refusal = body.length === 0 || hasCharsetAsCoding(request) ? null : encodingRefusal(request);
    done(refusal, body);
  });
  app.addHook('onSend', async (request, reply) => addHeaderFields(lrs, request, reply));
  app.addHook('onRequest', async (request, reply) => {
    // Responded to before the body arrives, because anybody may send these.
    if (request.method === 'OPTIONS') return preflight(reply);
    if (resourceOf(request) === 'about') {
      assertRead(request.method);
      return send(reply, lrs.about());
    }
    const { authorization } = request.headers;
    const query = queryOf(request);
    const isForm = isFormRequest(request.method, query);
    if (authorization !== undefined || !isForm) {
      // A page that is left does not send its statement again.
      if (turns !== null) readSmallBodyEarly(request);
      request.lrsScope = await scopeOf(request, authorization);
      // Before a larger body arrives, because those that wait would fill the memory.
      await turns?.take(request, request.lrsScope, isForm ? methodInQuery(query) : request.method);
      return;
    }
    // The credential is in the form.
    if (Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY) > MAX_UNKNOWN_BODY_BYTES) {
      throw new ProblemError('content-too-large', 'The form is too large, or has no Content-Length');
    }
    request.freeForm = turns?.forms.take(request, reply) ?? null;
  });

  // On the origin of courses, the token of a launch comes before.
  const stored = new RegExp(`^(?:/[^/]+)?${path}(/.+)$`);
  app.route({
    method: [...METHODS],
    url: `${path}/*`,
    config: { allow: (asked) => allowedAt(stored.exec(asked)?.[1] ?? '') },
    bodyLimit: MAX_LRS_BODY_BYTES,
    schema: { hide: true },
    handler: async (request, reply) => {
      const asSent = toLrsRequest(request, resourceOf(request));
      if (request.lrsScope !== null) return send(reply, await respond(request.lrsScope, unwrapForm(asSent)));
      // Before the rest of the form is decoded, because anybody may send one.
      request.lrsScope = await scopeOf(request, authorizationInForm(asSent.body));
      request.freeForm?.();
      const unwrapped = unwrapForm(asSent);
      await turns?.take(request, request.lrsScope, unwrapped.method);
      return send(reply, await respond(request.lrsScope, unwrapped));
    },
  });
}

/** Some clients name the character encoding of a body that is not compressed where its content coding belongs. */
function hasCharsetAsCoding({ headers }: FastifyRequest): boolean {
  return /^\s*utf-?8\s*$/i.test(headers['content-encoding'] ?? '');
}

/** Adds the header fields of every response, also of errors. */
async function addHeaderFields(lrs: Lrs, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (!reply.hasHeader('X-Experience-API-Version')) {
    reply.header('X-Experience-API-Version', spokenVersion(request));
  }
  // Without a query before the caller is known.
  const isKnown = request.lrsScope !== null;
  if (isKnown && resourceOf(request) === 'statements' && !reply.hasHeader(CONSISTENT_THROUGH)) {
    // If the database is unavailable, the error response is sent without this field.
    const value = await consistentThrough(lrs.stored).catch(() => null);
    if (value !== null) reply.header(CONSISTENT_THROUGH, value);
  }
  reply.headers({
    // Any client can store documents of any type. A page that posts a form here receives a document in the origin of
    // the admin UI, so no script in it may run.
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': EXPOSED.join(', '),
    'Cross-Origin-Resource-Policy': 'cross-origin',
  });
}

function preflight(reply: FastifyReply): FastifyReply {
  return reply
    .code(204)
    .headers({
      'Access-Control-Allow-Methods': METHODS.join(', '),
      'Access-Control-Allow-Headers': ALLOWED.join(', '),
      'Access-Control-Max-Age': PREFLIGHT_SECONDS,
    })
    .send();
}

function send(reply: FastifyReply, { status, headers, body }: LrsResponse): FastifyReply {
  return reply
    .code(status)
    .headers(headers)
    .send(body ?? undefined);
}

function toLrsRequest(request: FastifyRequest, resource: string): LrsRequest {
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : value,
    ]),
  );
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  return { method: request.method, resource, query: queryOf(request), headers, body };
}

function resourceOf(request: FastifyRequest): string {
  return resourceAt((request.params as { '*': string })['*']);
}

/** Some courses put an extra slash between the endpoint and the resource. */
function resourceAt(path: string): string {
  return path.split('/').filter(Boolean).join('/');
}

/** Null if a resource accepts every method of the routes. */
function allowedAt(path: string): readonly string[] | null {
  const resource = resourceAt(path);
  return Object.hasOwn(METHODS_OF, resource) ? METHODS_OF[resource]! : null;
}

function queryOf(request: FastifyRequest): Map<string, string> {
  const at = request.url.indexOf('?');
  return readQuery(at < 0 ? '' : request.url.slice(at + 1));
}

function spokenVersion(request: FastifyRequest): string {
  return /^2\.0/.test(String(request.headers['x-experience-api-version'] ?? '')) ? '2.0.0' : '1.0.3';
}
