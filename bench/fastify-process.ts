import type { AddressInfo } from 'node:net';
import fastify from 'fastify';
import { parseForm } from '../src/identity/tokens/form.ts';

/** The baseline for requests to the API: a bare server whose routes read the same bodies and send given answers. */

/** A route for posts, with what it sends. */
export interface BareRoute {
  path: string;
  status: number;
  answer: unknown;
}

const [routes = '[]'] = process.argv.slice(2);
const KEEP_ALIVE_MS = 60_000;

const server = fastify({ logger: false, keepAliveTimeout: KEEP_ALIVE_MS });
server.addContentTypeParser(
  'application/x-www-form-urlencoded',
  { parseAs: 'buffer' },
  (_request, body, done) => done(null, parseForm(body as Buffer)),
);
for (const { path, status, answer } of JSON.parse(routes) as BareRoute[])
  server.post(path, async (_request, reply) => {
    reply.code(status);
    return answer;
  });
await server.listen({ host: '127.0.0.1', port: 0 });
process.on('disconnect', () => process.exit());
process.send?.(`http://127.0.0.1:${(server.server.address() as AddressInfo).port}`);
