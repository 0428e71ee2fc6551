import { hash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';

const HTTP_OK = 200;
const HTTP_NOT_MODIFIED = 304;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A numeric member that differs in every response, such as an age. Without it, the response may be unchanged. */
    everChangingMember?: string;
  }
}

/**
 * Responds with 304 and no body to a page of the admin UI that already has the current response (RFC 9110 section
 * 13.1.2). Pages repeat the same requests as long as they are open. Responses with a tag of their own are not changed.
 * Their tag is the revision of a record, which may be the same although other members differ.
 */
export function installNotModified(server: FastifyInstance): void {
  server.addHook('onSend', async (request, reply, payload) => {
    if (request.method !== 'GET' || reply.statusCode !== HTTP_OK || typeof payload !== 'string')
      return payload;
    if (request.caller?.kind !== 'administrator' || reply.hasHeader('ETag')) return payload;
    // Weak, because only the content is the same.
    const content = withoutMember(payload, request.routeOptions.config.everChangingMember);
    const tag = `W/"${hash('sha256', content, 'base64url')}"`;
    reply.header('ETag', tag);
    if (request.headers['if-none-match'] !== tag) return payload;
    reply.code(HTTP_NOT_MODIFIED).removeHeader('content-type').removeHeader('content-length');
    return '';
  });
}

/** JSON text without a member whose values are numbers or null. */
function withoutMember(json: string, name: string | undefined): string {
  return name === undefined ? json : json.replaceAll(new RegExp(`"${name}":[^,}]*`, 'g'), '');
}
