import type { FastifyInstance } from 'fastify';
import type { CleaningStep } from '../housekeeping/cleaner.ts';
import type { Authorize } from '../http/authorization.ts';
import { basePathOf } from '../http/base-path.ts';
import { serviceOrigin } from '../http/origin.ts';
import type { Routes } from '../http/routes.ts';
import type { ServiceContext } from '../service-context.ts';
import { SECOND_MS } from '../time/units.ts';
import { createAdministration } from './administrators/administration.ts';
import { type AuthenticateBasic, basicAuthentication } from './clients/basic-authentication.ts';
import { clientRoutes } from './clients/client-routes.ts';
import { ClientService } from './clients/client-service.ts';
import { AccessTokens } from './tokens/access-tokens.ts';
import { serverMetadata } from './tokens/server-metadata.ts';
import { tokenEndpoint } from './tokens/token-endpoint.ts';
import { deriveTokenKeys } from './tokens/token-keys.ts';

/** Who may do what: API clients and their tokens, administrators and their sessions. */
export interface Identity {
  /** Decides requests by access token or session. */
  authorize: Authorize;
  authenticateBasic: AuthenticateBasic;
  /** Remove what has expired. */
  cleaningSteps: readonly CleaningStep[];
  /** Adds the routes that require no sign-in. */
  addOpenRoutes(server: FastifyInstance): Promise<void>;
  /** Adds the routes under the hook of `requireScopes`. */
  addRoutes(routes: Routes): void;
  /** A new page for creating the first administrator, below this address. Null if there is one. */
  firstSetupUrl(baseUrl: string): Promise<string | null>;
}

/** Assembles the identity part. */
export async function createIdentity({
  settings,
  version,
  logs,
  storage,
  idempotency,
  now,
}: ServiceContext): Promise<Identity> {
  const { database, authSecrets } = storage;
  const log = logs.for('AdministratorService');
  const clients = new ClientService({ database, now });
  const tokens = new AccessTokens({
    reader: database.reader,
    keys: await deriveTokenKeys(database, authSecrets),
    lifetimeMs: settings.access_token_lifetime * SECOND_MS,
    now,
  });
  const administration = createAdministration({
    database,
    authSecrets,
    tokens,
    log,
    sessionIdleMs: settings.session_idle_timeout * SECOND_MS,
    sessionLifetimeMs: settings.session_lifetime * SECOND_MS,
    service: {
      version,
      readOnly: !settings.enable_webhooks_service,
      delivers: () => storage.instances.anyDelivers,
      baseUrl: settings.base_url,
    },
    now,
  });
  return {
    authorize: administration.authorize,
    authenticateBasic: basicAuthentication({ clients, log: logs.for('ApiClients') }),
    cleaningSteps: administration.cleaningSteps,
    async addOpenRoutes(server) {
      const originOf = serviceOrigin(null);
      serverMetadata(server, {
        addressFor: (request) => settings.base_url ?? originOf(request),
        basePath: basePathOf(settings.base_url),
      });
      await server.register(tokenEndpoint, {
        clients,
        tokens,
        log: logs.for('TokenEndpoint'),
      });
      administration.addOpenRoutes(server);
    },
    addRoutes(routes) {
      administration.addRoutes(routes);
      clientRoutes(routes, { clients, idempotency, log });
    },
    firstSetupUrl: (baseUrl) => administration.firstSetupUrl(baseUrl),
  };
}
