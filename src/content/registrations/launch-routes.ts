import type { FastifyInstance } from 'fastify';
import { Turns } from '../../http/turns.ts';
import { browserLanguages } from './language-choice.ts';
import type { Launch, OpenLaunch, StartedLaunch, WantedLanguage } from './launch.ts';
import {
  failurePage,
  type LaunchPage,
  languagePage,
  launchPage,
  launchPageHeaders,
  refusalPage,
} from './launch-page.ts';
import type { RegistrationService } from './registration-service.ts';

/** What the paths of launch links start with. */
export const LAUNCH_PATH = '/launch/';
/**
 * How many openings of a registration's links are handled at once. Someone who sends thousands must not keep the service
 * or its database connections from others. All others wait instead of being refused, so that the learner gets in.
 */
const MAX_AT_ONCE = 4;

/** The address at which a launch token is opened. */
export function launchUrlOf(baseUrl: string, token: string): string {
  return `${baseUrl}${LAUNCH_PATH}${token}`;
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
  const turns = new Turns({ atOnce: MAX_AT_ONCE });
  const headers = launchPageHeaders();

  // Accepts any rest of the path, so that a damaged link also shows a readable page.
  server.get<{ Params: { '*': string }; Querystring: { language?: unknown } }>(
    `${LAUNCH_PATH}*`,
    { schema: { hide: true }, config: { failurePage: failurePage() } },
    async (request, reply) => {
      const token = request.params['*'];
      const { language } = request.query;
      const wanted = {
        chosen: typeof language === 'string' ? language : null,
        accepted: browserLanguages(request.headers['accept-language']),
      };
      // A HEAD request starts no launch.
      const isPlayed = request.method === 'GET';
      const registrationId = registrations.registrationOfLaunch(token);
      const opened =
        registrationId === null
          ? refusalPage('invalid')
          : await turns.take(registrationId, request.raw, () => open(token, wanted, isPlayed));
      if ('url' in opened) return reply.headers(headers).redirect(opened.url, 303);
      const { status, html } = opened;
      return reply.code(status).headers(headers).type('text/html; charset=utf-8').send(html);
    },
  );

  async function open(
    token: string,
    wanted: WantedLanguage,
    isPlayed: boolean,
  ): Promise<{ url: string } | LaunchPage> {
    const launch = await registrations.readLaunch(token, wanted);
    const started = launch.state === 'open' && isPlayed ? await play(launch) : null;
    if (started?.state === 'started') return started;
    return started?.state === 'deleted' ? refusalPage('deleted') : pageOf(launch);
  }
}

function pageOf(launch: Launch): LaunchPage {
  if (launch.state === 'open') return launchPage(launch);
  return launch.state === 'choose' ? languagePage(launch.choices) : refusalPage(launch.state);
}
