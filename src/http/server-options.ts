import { MINUTE_MS } from '../time/units.ts';
import { respondToClientError } from './client-errors.ts';

/** Maximum time for a client to send a whole request that is not an upload. */
export const REQUEST_DEADLINE_MS = MINUTE_MS;
/** Maximum time for a client to send its headers. */
const HEADERS_TIMEOUT_MS = 30_000;
/** A silent connection is closed after this time, unless the service works on a response, see `awaitResponses`. */
const IDLE_TIMEOUT_MS = 2 * MINUTE_MS;
const KEEP_ALIVE_TIMEOUT_MS = 72_000;
const MAX_PARAMETER_LENGTH = 200;

/** The options of both HTTP servers: that of the service and that of the content origin. */
export function serverOptions({
  maxBodyBytes,
  trustedProxies,
}: {
  /** Maximum size of a body, unless a route sets another. */
  maxBodyBytes: number;
  trustedProxies: readonly string[];
}) {
  return {
    logger: false,
    bodyLimit: maxBodyBytes,
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH },
    connectionTimeout: IDLE_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    http: { headersTimeout: HEADERS_TIMEOUT_MS },
    // The deadline of requests is set by `limitRequestTime`.
    requestTimeout: 0,
    forceCloseConnections: 'idle',
    // Otherwise, Fastify would send 503 as plain JSON, without `Retry-After`. `releaseConnections` ends connections after the response.
    return503OnClosing: false,
    clientErrorHandler: respondToClientError,
  } as const;
}
