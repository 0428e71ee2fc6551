import type { FastifyInstance } from 'fastify';
import { launchPage, launchPagePolicy } from './launch-page.ts';
import type { RegistrationService } from './registration-service.ts';

const PATH = '/launch/';

/** The address at which a launch token is opened. */
export function launchUrlOf(baseUrl: string, token: string): string {
  return `${baseUrl}${PATH}${token}`;
}

/** What launch URLs open. Learners' browsers come here: the token in the path is all that they bring. */
export function launchRoutes(server: FastifyInstance, registrations: RegistrationService): void {
  const headers = {
    'Content-Security-Policy': launchPagePolicy(),
    'Cache-Control': 'no-store',
    // The path lets whoever has it in: no other site is to learn it.
    'Referrer-Policy': 'no-referrer',
  };

  // Takes whatever follows, so that a mangled link gets words for people too.
  server.get<{ Params: { '*': string } }>(`${PATH}*`, { schema: { hide: true } }, async (request, reply) => {
    const { status, html } = launchPage(await registrations.readLaunch(request.params['*']));
    return reply.code(status).headers(headers).type('text/html; charset=utf-8').send(html);
  });
}
