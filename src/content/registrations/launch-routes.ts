import type { FastifyInstance } from 'fastify';
import { acceptedLanguages } from './language-choice.ts';
import type { Launch, OpenLaunch, StartedLaunch } from './launch.ts';
import { type LaunchPage, languagePage, launchPage, launchPagePolicy, refusalPage } from './launch-page.ts';
import type { RegistrationService } from './registration-service.ts';

const PATH = '/launch/';

/** The address at which a launch token is opened. */
export function launchUrlOf(baseUrl: string, token: string): string {
  return `${baseUrl}${PATH}${token}`;
}

/**
 * The routes of launch URLs. Learners' browsers open them with nothing but the token in the path.
 * @param play starts a launch
 */
export function launchRoutes(
  server: FastifyInstance,
  registrations: RegistrationService,
  play: (launch: OpenLaunch) => Promise<StartedLaunch>,
): void {
  const headers = {
    'Content-Security-Policy': launchPagePolicy(),
    'Cache-Control': 'no-store',
    // Anyone with the path can open the course, so no other site must learn it.
    'Referrer-Policy': 'no-referrer',
  };

  // Accepts any rest of the path, so that a damaged link also shows a readable page.
  server.get<{ Params: { '*': string }; Querystring: { language?: unknown } }>(
    `${PATH}*`,
    { schema: { hide: true } },
    async (request, reply) => {
      const { language } = request.query;
      const launch = await registrations.readLaunch(request.params['*'], {
        chosen: typeof language === 'string' ? language : null,
        accepted: acceptedLanguages(request.headers['accept-language']),
      });
      // A HEAD request starts no launch.
      const started = launch.state === 'open' && request.method === 'GET' ? await play(launch) : null;
      if (started?.state === 'started') return reply.headers(headers).redirect(started.url, 303);
      const { status, html } = started?.state === 'deleted' ? refusalPage('deleted') : pageOf(launch);
      return reply.code(status).headers(headers).type('text/html; charset=utf-8').send(html);
    },
  );
}

function pageOf(launch: Launch): LaunchPage {
  if (launch.state === 'open') return launchPage(launch);
  return launch.state === 'choose' ? languagePage(launch.choices) : refusalPage(launch.state);
}
