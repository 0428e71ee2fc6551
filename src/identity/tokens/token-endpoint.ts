import type { Readable } from 'node:stream';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { KIB } from '../../bytes.ts';
import { DatabaseUnavailableError } from '../../database/database.ts';
import { UNAVAILABLE_RETRY_AFTER } from '../../http/problem-responses.ts';
import type { Logger } from '../../observability/log.ts';
import { PROBLEMS, ProblemError } from '../../problems/problem.ts';
import { type ApiClient, type ClientService, hasClientIdForm } from '../clients/client-service.ts';
import { noteClientUse } from '../clients/note-use.ts';
import { RefusalLog } from '../refusal-log.ts';
import { formatScope, isScope, type Scope, splitScope } from '../scopes.ts';
import type { AccessTokens } from './access-tokens.ts';
import { TokenError } from './token-error.ts';
import { readTokenRequest, type TokenRequest } from './token-request.ts';
import { AccessTokenResponse, CLIENT_BASIC, TokenErrorResponse, TokenRequestForm } from './token-schemas.ts';

/** The path of the token endpoint, relative to the base URL. */
export const TOKEN_PATH = '/public/v1/auth';
/** Maximum size of a body; a normal request has a few hundred bytes. */
const MAX_TOKEN_BODY_BYTES = 16 * KIB;

/** Dependencies of the endpoint. */
export interface TokenEndpointOptions {
  clients: ClientService;
  tokens: AccessTokens;
  log: Logger;
}

/**
 * The OAuth 2.0 token endpoint for the client-credentials grant, as a Fastify plugin with its own parsers, hooks and
 * error responses. Every request that is checked and found invalid is 400, in the form of RFC 6749 §5.2.
 * @see RFC 6749 §4.4, §5
 */
export async function tokenEndpoint(scope: FastifyInstance, options: TokenEndpointOptions): Promise<void> {
  scope.removeAllContentTypeParsers();
  // Any media type is read, up to the limit, so that a wrong one gets the same response as every invalid request.
  scope.addContentTypeParser('*', (request, payload, done) => readBody(request, payload, done));
  scope.addHook('onSend', async (_, reply) => {
    reply.header('Cache-Control', 'no-store').header('Pragma', 'no-cache');
  });
  const refusals = new RefusalLog(options.log);
  scope.setErrorHandler((error, request, reply) => {
    const refused = toTokenError(error);
    note(refused, request, { log: options.log, refusals });
    return sendTokenError(refused, reply);
  });
  tokenRoute(scope, options);
  otherMethodsRoute(scope);
}

function tokenRoute(scope: FastifyInstance, { clients, tokens, log }: TokenEndpointOptions): void {
  scope.route({
    method: 'POST',
    url: TOKEN_PATH,
    logSerializers: { req: loggedRequest },
    // Only for the API description: the request is read by the rules of OAuth, not of JSON Schema.
    validatorCompiler: () => () => true,
    schema: {
      operationId: 'requestAccessToken',
      tags: ['Authentication'],
      summary: 'Request an access token',
      description:
        'OAuth 2.0 client-credentials grant. The client authenticates with HTTP Basic or with `client_id` and ' +
        '`client_secret` in the form, never with both.',
      consumes: ['application/x-www-form-urlencoded'],
      security: [{ [CLIENT_BASIC]: [] }, {}],
      body: TokenRequestForm,
      response: {
        200: AccessTokenResponse,
        400: TokenErrorResponse('The request is invalid, or client authentication failed.'),
        429: TokenErrorResponse(
          'Too many requests at once on this connection. `Retry-After` is the time to wait.',
        ),
        500: TokenErrorResponse('A fault of the service: its log has the cause.'),
        503: TokenErrorResponse('The service is temporarily unavailable.'),
        default: TokenErrorResponse('Any other error.'),
      },
    },
    handler: async (request) => {
      const tokenRequest = readTokenRequest({
        contentType: request.headers['content-type'],
        contentEncoding: request.headers['content-encoding'],
        authorization: authorizationFields(request),
        query: request.query as Record<string, unknown>,
        body: request.body instanceof Uint8Array ? request.body : new Uint8Array(),
      });
      const client = await authenticate(clients, tokenRequest);
      const granted = grantScopes(tokenRequest.scope, client);
      await noteClientUse(client, { clients, log });
      const { token, expiresIn } = tokens.issue(client, granted);
      const scope = formatScope(granted);
      log.info('access token granted', { client_id: client.clientId, scope, address: request.ip });
      return { access_token: token, token_type: 'bearer', expires_in: expiresIn, scope };
    },
  });
}

function otherMethodsRoute(scope: FastifyInstance): void {
  scope.route({
    method: scope.supportedMethods.filter((method) => method !== 'POST'),
    url: TOKEN_PATH,
    config: { allow: (path) => (path === TOKEN_PATH ? ['POST'] : null) },
    logSerializers: { req: loggedRequest },
    schema: { hide: true },
    // Runs before the body is read.
    onRequest: async () => {
      throw new TokenError('invalid_request', 'Use POST to request an access token.', {
        status: 405,
        headers: { Allow: 'POST' },
      });
    },
    handler: () => {},
  });
}

/** Wrong secrets are not limited: with 256 random bits, nobody guesses one at any rate. */
async function authenticate(
  clients: ClientService,
  { clientId, clientSecret }: TokenRequest,
): Promise<ApiClient> {
  const client = await clients.authenticate(clientId, clientSecret);
  if (client !== null) return client;
  throw new TokenError('invalid_client', 'The client is unknown or disabled, or the secret is wrong.', {
    clientId: loggable(clientId),
  });
}

function grantScopes(requested: string | null, client: ApiClient): ReadonlySet<Scope> {
  if (requested === null) return client.scopes;
  const tokens = splitScope(requested);
  if (tokens === null) throw new TokenError('invalid_scope', 'The scope must be a space-separated list.');
  const granted = new Set<Scope>();
  for (const token of tokens) {
    if (!isScope(token) || !client.scopes.has(token)) {
      throw new TokenError('invalid_scope', 'The client does not have all of the requested scopes.');
    }
    granted.add(token);
  }
  return granted;
}

/**
 * Reads a body up to the limit. A larger one is rejected immediately, and its rest is read and discarded, because
 * closing a connection with unread bytes can lose the response.
 */
function readBody(
  request: FastifyRequest,
  payload: Readable,
  done: (error: Error | null, body?: Buffer) => void,
): void {
  if (Number(request.headers['content-length'] ?? 0) > MAX_TOKEN_BODY_BYTES) {
    done(bodyTooLarge());
    return;
  }
  const chunks: Buffer[] = [];
  let length = 0;
  payload.on('data', (chunk: Buffer) => {
    const fitted = length <= MAX_TOKEN_BODY_BYTES;
    length += chunk.length;
    if (length <= MAX_TOKEN_BODY_BYTES) chunks.push(chunk);
    else if (fitted) done(bodyTooLarge());
  });
  payload.once('end', () => {
    if (length <= MAX_TOKEN_BODY_BYTES) done(null, Buffer.concat(chunks));
  });
  payload.once('error', (cause) => {
    // The client has disconnected, which is no failure of the service.
    const incomplete = new TokenError('invalid_request', 'The body is incomplete.', { cause });
    if (length <= MAX_TOKEN_BODY_BYTES) done(incomplete);
  });
}

function bodyTooLarge(): TokenError {
  return new TokenError('invalid_request', `The body is larger than ${MAX_TOKEN_BODY_BYTES} bytes.`);
}

/** A client id may be a secret in the wrong field. */
function loggable(clientId: string): string | null {
  return hasClientIdForm(clientId) ? clientId : null;
}

/** Node's `headers` contain only the first Authorization field, but two fields are two authentications. */
function authorizationFields(request: FastifyRequest): string[] {
  const { rawHeaders } = request.raw;
  return rawHeaders.filter(
    (_, place) => rawHeaders[place - 1]?.toLowerCase() === 'authorization' && place % 2 === 1,
  );
}

/** What a request log may contain about these requests: never the query string. */
function loggedRequest(request: FastifyRequest): object {
  return { method: request.method, url: TOKEN_PATH, remoteAddress: request.ip };
}

function toTokenError(error: unknown): TokenError {
  if (error instanceof TokenError) return error;
  if (error instanceof DatabaseUnavailableError) {
    return new TokenError('temporarily_unavailable', 'The service is temporarily unavailable.', {
      status: 503,
      headers: { 'Retry-After': UNAVAILABLE_RETRY_AFTER },
      cause: error,
    });
  }
  if (error instanceof ProblemError) return fromProblem(error);
  const { statusCode } = error as Partial<FastifyError>;
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new TokenError('invalid_request', 'The request is malformed.', { cause: error });
  }
  return new TokenError('server_error', 'The request failed. See the service log for the cause.', {
    status: 500,
    cause: error,
  });
}

/** The server's hooks reject requests of all routes with problems. */
function fromProblem(problem: ProblemError): TokenError {
  const { code, headers, message } = problem;
  const { status } = PROBLEMS[code];
  const options = { status, headers: { ...headers }, cause: problem };
  if (status === 429 || status === 503) return new TokenError('temporarily_unavailable', message, options);
  if (status < 500) return new TokenError('invalid_request', message, options);
  return new TokenError('server_error', 'The request failed. See the service log for the cause.', options);
}

function note(
  { status, code, clientId, cause }: TokenError,
  { ip: address }: FastifyRequest,
  { log, refusals }: { log: Logger; refusals: RefusalLog },
): void {
  if (status < 500)
    refusals.note('access token refused', { status, error: code, client_id: clientId, address });
  // An outage of the database is logged once, by the database watch.
  else if (!(cause instanceof DatabaseUnavailableError))
    log.error('a token request failed', { error: cause });
}

function sendTokenError({ status, code, headers, message }: TokenError, reply: FastifyReply): FastifyReply {
  return reply.code(status).headers(headers).send({ error: code, error_description: message });
}
