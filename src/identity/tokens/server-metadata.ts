import type { FastifyInstance, FastifyRequest } from 'fastify';
import { SCOPES } from '../scopes.ts';
import { TOKEN_PATH } from './token-endpoint.ts';

/** Where OAuth libraries look for the metadata of a server (RFC 8414 section 3). */
const METADATA_PATH = '/.well-known/oauth-authorization-server';

/**
 * Describes the token endpoint to OAuth libraries (RFC 8414), so that they need only the address of the service.
 * @param addressFor the address of the service as the sender of a request sees it
 * @param basePath the path of that address, which the path of the metadata ends with
 */
export function serverMetadata(
  server: FastifyInstance,
  { addressFor, basePath }: { addressFor: (request: FastifyRequest) => string; basePath: string },
): void {
  const paths = new Set([METADATA_PATH, `${METADATA_PATH}${basePath}`]);
  for (const path of paths) {
    server.get(path, { schema: { hide: true } }, async (request) => {
      const issuer = addressFor(request);
      return {
        issuer,
        token_endpoint: `${issuer}${TOKEN_PATH}`,
        grant_types_supported: ['client_credentials'],
        token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
        // There is no authorization endpoint, and therefore no response type.
        response_types_supported: [],
        scopes_supported: [...SCOPES],
        service_documentation: `${issuer}/docs`,
      };
    });
  }
}
