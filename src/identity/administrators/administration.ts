import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Database } from '../../database/database.ts';
import type { CleaningStep } from '../../housekeeping/cleaner.ts';
import type { Authorize } from '../../http/authorization.ts';
import { serviceOrigin } from '../../http/origin.ts';
import type { Routes } from '../../http/routes.ts';
import type { Logger } from '../../observability/log.ts';
import type { TokenVerifier } from '../bearer.ts';
import { administratorRoutes } from './administrator-routes.ts';
import { AdministratorService } from './administrator-service.ts';
import { AdministratorSetup } from './administrator-setup.ts';
import { requestAuthorizer } from './authorize-request.ts';
import { GuessBudgets } from './guess-budgets.ts';
import { KNOWN_FOR_MS, KnownBrowsers } from './known-browsers.ts';
import { Passwords } from './passwords.ts';
import { ServiceCookie } from './session-cookie.ts';
import { ownSessionRoutes, type SessionRoutesOptions, signInRoutes } from './session-routes.ts';
import { Sessions } from './sessions.ts';
import { SetupLinks, setupUrl } from './setup-links.ts';
import { SignIn } from './sign-in.ts';

/** Dependencies of the administration. Durations are in milliseconds. */
export interface AdministrationOptions {
  database: Database;
  authSecrets: readonly [string, ...string[]];
  tokens: TokenVerifier;
  log: Logger;
  sessionIdleMs: number;
  sessionLifetimeMs: number;
  service: SessionRoutesOptions['service'];
  now: () => number;
}

/** Administrators, their sessions and their credentials. */
export interface Administration {
  /** Decides requests by access token or session. */
  authorize: Authorize;
  /** Remove what has expired. */
  cleaningSteps: readonly CleaningStep[];
  /** Adds the routes that require no sign-in. */
  addOpenRoutes(server: FastifyInstance): void;
  /** Adds the routes under the hook of `requireScopes`. */
  addRoutes(routes: Routes): void;
  /** A new page for creating the first administrator, below this address. Null if there is an administrator. */
  firstSetupUrl(baseUrl: string): Promise<string | null>;
}

/** The services behind the administrators, for the service and for the command line. */
export function administratorServices({
  database,
  log,
  sessionIdleMs,
  sessionLifetimeMs,
  now,
}: Pick<AdministrationOptions, 'database' | 'log' | 'sessionIdleMs' | 'sessionLifetimeMs' | 'now'>) {
  const passwords = new Passwords();
  const links = new SetupLinks({ database, now });
  const sessions = new Sessions({ database, log, idleMs: sessionIdleMs, lifetimeMs: sessionLifetimeMs, now });
  const parts = { database, passwords, sessions, links, log, now };
  const administrators = new AdministratorService(parts);
  return { passwords, links, sessions, administrators, setup: new AdministratorSetup(parts) };
}

/** Assembles the administration. */
export function createAdministration(options: AdministrationOptions): Administration {
  const { database, log, now, service } = options;
  const { passwords, links, sessions, administrators, setup } = administratorServices(options);
  const budgets = new GuessBudgets({ database, now });
  const browsers = new KnownBrowsers(options.authSecrets, options.now);
  const signIn = new SignIn({ database, passwords, sessions, links, budgets, browsers, log, now });
  const origin = serviceOrigin(service.baseUrl);
  const sessionCookie = new ServiceCookie({
    name: 'coursewire_session',
    maxAgeMs: options.sessionLifetimeMs,
    origin,
  });
  const browserCookie = new ServiceCookie({ name: 'coursewire_browser', maxAgeMs: KNOWN_FOR_MS, origin });
  const routesOptions = {
    administrators,
    setup,
    sessions,
    signIn,
    sessionCookie,
    browserCookie,
    origin,
    service,
  };
  const baseUrl = (request: FastifyRequest) => service.baseUrl ?? origin(request);
  return {
    authorize: requestAuthorizer({ tokens: options.tokens, sessions, sessionCookie, origin }),
    cleaningSteps: [
      { name: 'sessions', run: (limit) => sessions.forgetExpired(limit) },
      { name: 'setup links', run: (limit) => links.forgetExpired(limit) },
      { name: 'budgets of failed sign-ins', run: (limit) => budgets.forgetFull(limit) },
    ],
    addOpenRoutes: (server) => signInRoutes(server, routesOptions),
    addRoutes: (routes) => {
      ownSessionRoutes(routes, routesOptions);
      administratorRoutes(routes, { administrators, baseUrl });
    },
    firstSetupUrl: async (base) => {
      const link = await setup.issueFirstLink();
      return link === null ? null : setupUrl(base, link.token);
    },
  };
}
