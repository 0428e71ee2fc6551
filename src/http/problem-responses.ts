import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DatabaseUnavailableError } from '../database/database.ts';
import type { LogFields, Logger } from '../observability/log.ts';
import { OncePerMinute } from '../observability/once-per-minute.ts';
import { type InputError, invalidInput, PROBLEMS, ProblemError } from '../problems/problem.ts';
import { requestErrorsOf } from './validation.ts';

/** A page for a person whose browser opens an address that fails. */
export interface FailurePage {
  headers: Readonly<Record<string, string>>;
  html: string;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a browser shows instead of a problem if another try may succeed. Without it, every client gets the problem. */
    failurePage?: FailurePage;
    /**
     * The methods that a path accepts, if the route also takes others to refuse them. Null for the paths of other routes.
     */
    allow?: AllowedAt;
  }
}

type AllowedAt = (path: string) => readonly string[] | null;

const PROBLEM_MEDIA_TYPE = 'application/problem+json';
/** `Retry-After` while the database is unavailable, in seconds. */
export const UNAVAILABLE_RETRY_AFTER = '5';
/** Pointers and details may quote the request: hostile input must not create a hostile response. */
const MAX_POINTER_LENGTH = 300;
const MAX_DETAIL_LENGTH = 1_000;

/** Members of a path that name something, and their values: numbers, UUIDs and ids of API clients. Nothing else is logged. */
const ID_NAME = /^(?:id|\w+_id|position)$/;
const ID_VALUE = /^(?:\d+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|cw_[0-9a-f]{24})$/i;

/**
 * Turns every failure of an API into an RFC 9457 problem, without stack traces or messages of libraries. `subjectOf` says
 * what a request was about if its path does not, for the log. `note` is called with each problem that a route causes.
 */
export function installProblemResponses(
  app: FastifyInstance,
  log: Logger,
  {
    subjectOf = () => ({}),
    note = () => {},
  }: {
    subjectOf?: (request: FastifyRequest) => LogFields;
    note?: (problem: ProblemError, request: FastifyRequest) => void;
  } = {},
): void {
  const refusals = new OncePerMinute();
  const outages = new OncePerMinute();
  const allows = new Set<AllowedAt>();
  app.addHook('onRoute', ({ config }) => {
    if (config?.allow !== undefined) allows.add(config.allow);
  });
  app.setErrorHandler((error, request, reply) => {
    const problem = toProblem(error as FastifyError, request);
    note(problem, request);
    if (isRefusal(problem)) {
      const { method, routeOptions } = request;
      // Anybody can cause them, so that they must not fill the log.
      if (refusals.isDue(`${method} ${routeOptions.url}`)) {
        const fields = { method, path: routeOptions.url, reason: problem.message };
        log.warn('a request was refused at a limit (logged once per minute)', fields);
      }
      return sendFailure(request, reply, problem);
    }
    // An outage of the database is logged once, by the database watch.
    if (PROBLEMS[problem.code].status >= 500 && !(error instanceof DatabaseUnavailableError)) {
      const { method, params, routeOptions } = request;
      const fields = { error, method, path: routeOptions.url, ...idsIn(params), ...subjectOf(request) };
      if (problem.code !== 'unavailable') log.error('a request failed', fields, { stack: true });
      // During an outage, every request fails in the same way. It is logged once per minute.
      else if (outages.isDue(`${method} ${routeOptions.url} ${causeOf(problem)}`))
        log.error('a request failed', fields);
    }
    return sendFailure(request, reply, problem);
  });
  app.setNotFoundHandler((request, reply) => sendProblem(reply, missing(app, request, allows)));
  // Before the body arrives, because nobody reads it.
  app.addHook('onRequest', async (request, reply) => {
    if (request.is404 || lacksId(request.params)) return sendProblem(reply, missing(app, request, allows));
  });
}

/** Whether a limit of the service caused a problem. An outage has a cause. */
function isRefusal({ code, cause }: ProblemError): boolean {
  return code === 'unavailable' && cause === undefined;
}

/** The kind of failure that made something unavailable. */
function causeOf({ cause }: ProblemError): string {
  if (!(cause instanceof Error)) return '';
  return 'code' in cause ? `${cause.name} ${cause.code}` : cause.name;
}

/** The ids in a path, to find what a request was about. Never a token, such as that of a launch link. */
function idsIn(params: unknown): Record<string, string> {
  return Object.fromEntries(
    Object.entries((params ?? {}) as Record<string, string>).filter(
      ([name, value]) => ID_NAME.test(name) && ID_VALUE.test(value),
    ),
  );
}

/** The problem of a request to a path that has no route of its method, or no resource. */
function missing(
  app: FastifyInstance,
  request: FastifyRequest,
  allows: ReadonlySet<AllowedAt>,
): ProblemError {
  const path = pathOf(request);
  const [stated] = [...allows].map((allow) => allow(path)).filter((methods) => methods !== null);
  const allowed = stated ?? allowedMethods(app, path);
  // Otherwise, a route accepts the method, but the resource does not exist.
  if (allowed.length > 0 && !allowed.includes(request.method)) {
    return new ProblemError(
      'method-not-allowed',
      `${request.method} is not allowed here. Allowed: ${allowed.join(', ')}`,
      { headers: { Allow: allowed.join(', ') } },
    );
  }
  return new ProblemError('not-found', 'No resource exists at this path');
}

/** Sends the failure page of the route if a person may see it, otherwise a problem. */
function sendFailure(request: FastifyRequest, reply: FastifyReply, problem: ProblemError): FastifyReply {
  const { failurePage } = request.routeOptions.config;
  const { status } = PROBLEMS[problem.code];
  const mayPass = status >= 500 || status === PROBLEMS['too-many-requests'].status;
  if (failurePage === undefined || !mayPass || !opensPage(request)) return sendProblem(reply, problem);
  return reply
    .code(status)
    .headers({ ...problem.headers, ...failurePage.headers })
    .type('text/html; charset=utf-8')
    .send(failurePage.html);
}

/** Whether a browser makes the request to show a page. */
export function opensPage({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes('text/html') === true;
}

/** Sends a problem as the response. */
export function sendProblem(reply: FastifyReply, problem: ProblemError): FastifyReply {
  const { status, title } = PROBLEMS[problem.code];
  return reply
    .code(status)
    .headers(problem.headers)
    .type(PROBLEM_MEDIA_TYPE)
    .serializer(JSON.stringify)
    .send({
      ...problem.members,
      type: `urn:coursewire:problem:${problem.code}`,
      title,
      status,
      detail: clipped(problem.message, MAX_DETAIL_LENGTH),
      ...(problem.errors.length > 0 ? { errors: problem.errors.map(clippedError) } : {}),
    });
}

function clippedError({ pointer, detail }: InputError): InputError {
  return { pointer: clipped(pointer, MAX_POINTER_LENGTH), detail: clipped(detail, MAX_DETAIL_LENGTH) };
}

/** Half a character of the request, in the name of a member for example, is replaced, because strict readers refuse it. */
function clipped(text: string, length: number): string {
  return text.length <= length ? text.toWellFormed() : `${text.slice(0, length).toWellFormed()}…`;
}

/** The media type of the bodies that a route accepts. */
function consumedBy({ routeOptions }: FastifyRequest): string {
  const { consumes = [] } = (routeOptions.schema ?? {}) as { consumes?: readonly string[] };
  return consumes[0] ?? 'application/json';
}

function toProblem(error: FastifyError, request: FastifyRequest): ProblemError {
  if (error instanceof ProblemError) return error;
  if (error instanceof DatabaseUnavailableError) {
    return new ProblemError('unavailable', 'The database is temporarily unavailable', {
      headers: { 'Retry-After': UNAVAILABLE_RETRY_AFTER },
      cause: error,
    });
  }
  const errors = requestErrorsOf(request, error);
  if (errors.length > 0) return invalidInput(errors);
  switch (error.code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_INVALID_MULTIPART_CONTENT_TYPE':
      return new ProblemError(
        'unsupported-media-type',
        `The Content-Type of the body must be ${consumedBy(request)}`,
      );
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
    case 'FST_REQ_FILE_TOO_LARGE':
      return new ProblemError('content-too-large', 'The body is larger than this service accepts');
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new ProblemError('invalid-request', 'The length of the body does not match its Content-Length');
  }
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    return new ProblemError('invalid-request', 'The request is invalid', { cause: error });
  }
  return new ProblemError('internal-error', 'The request failed. See the service log for the cause', {
    cause: error,
  });
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'] as const;

function allowedMethods(app: FastifyInstance, path: string): string[] {
  return METHODS.filter((method) => {
    const found = app.findRoute({ method, url: path });
    return found === null ? app.hasRoute({ method, url: path }) : !lacksId(found.params);
  });
}

/** Whether an id in a path is empty. The router accepts `/webhooks/`, but a client with a slash too many means the list. */
function lacksId(params: unknown): boolean {
  return Object.entries((params ?? {}) as Record<string, string>).some(
    ([name, value]) => ID_NAME.test(name) && value === '',
  );
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? '';
}
