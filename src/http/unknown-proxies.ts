import type { FastifyInstance } from 'fastify';
import type { Logger } from '../observability/log.ts';

/** Anyone can send the header, so the number of lines is limited. The proxy comes first. */
const MAX_PEERS = 20;

/**
 * Warns once about each address that sends `X-Forwarded-For` but is not in `trusted_proxies`. If it is a proxy, all of its
 * visitors have its address: they share the limits of one address, and the logs do not tell them apart.
 */
export function warnOfUnknownProxies(server: FastifyInstance, log: Logger): void {
  const peers = new Set<string>();
  server.addHook('onRequest', (request, _reply, done) => {
    if (request.headers['x-forwarded-for'] !== undefined && peers.size < MAX_PEERS) {
      const peer = request.socket.remoteAddress;
      // Fastify reads the header only if it trusts the peer. Without any trusted proxy, there are no `ips`.
      const isTrusted = (request.ips?.length ?? 0) > 1;
      if (!isTrusted && peer !== undefined && !peers.has(peer)) {
        peers.add(peer);
        log.warn(
          'X-Forwarded-For is ignored, because it comes from an address that is not in trusted_proxies. If this is your proxy, add it',
          { address: peer },
        );
      }
    }
    done();
  });
}
