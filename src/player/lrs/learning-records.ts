import type { FastifyInstance } from 'fastify';
import type { Authorize } from '../../http/authorization.ts';
import { basePathOf } from '../../http/base-path.ts';
import type { CallerTurns } from '../../http/caller-turns.ts';
import type { AuthenticateBasic } from '../../identity/clients/basic-authentication.ts';
import type { ServiceContext } from '../../service-context.ts';
import { ClientTurns } from './client-turns.ts';
import { Lrs } from './lrs.ts';
import { lrsClients, XAPI_PATH } from './lrs-clients.ts';
import { lrsRoutes } from './lrs-routes.ts';

/** The learning record store of a running service. */
export interface LearningRecords {
  lrs: Lrs;
  /** Adds the routes of the Experience API for API clients and administrators, whose requests take turns. */
  addRoutes(server: FastifyInstance, turns: CallerTurns): Promise<void>;
}

/** Creates the learning record store. */
export function createLearningRecords(
  { settings, storage, now, baseUrl }: ServiceContext,
  callers: { authorize: Authorize; authenticateBasic: AuthenticateBasic },
): LearningRecords {
  const lrs = new Lrs({ database: storage.database, now });
  const path = basePathOf(settings.base_url) + XAPI_PATH;
  return {
    lrs,
    async addRoutes(server, turns) {
      await server.register(lrsRoutes, {
        lrs,
        path: XAPI_PATH,
        scopeOf: lrsClients({ ...callers, path, homePage: baseUrl }),
        turns: new ClientTurns(turns),
      });
    },
  };
}
