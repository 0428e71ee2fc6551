import type { FastifyInstance } from 'fastify';
import { auditRoutes } from './audit/audit-routes.ts';
import { requireScopes } from './http/authorization.ts';
import { basePathOf } from './http/base-path.ts';
import { CallerTurns } from './http/caller-turns.ts';
import { describeApi } from './http/openapi.ts';
import { serviceOrigin } from './http/origin.ts';
import type { Routes } from './http/routes.ts';
import { SCOPE_MEANINGS } from './identity/scopes.ts';
import { TOKEN_PATH } from './identity/tokens/token-endpoint.ts';
import { healthRoutes, probeRoutes } from './observability/health-routes.ts';
import { failureOf } from './observability/readiness.ts';
import type { ServiceContext } from './service-context.ts';
import type { ServiceParts } from './service-parts.ts';
import { createUserInterface } from './ui-api/user-interface.ts';
import { describePostbacks } from './webhooks/messages/postback-description.ts';

/** Adds the routes of all parts, each once the description of the API can see it. */
export async function addRoutes(
  server: FastifyInstance,
  context: ServiceContext,
  parts: ServiceParts,
): Promise<void> {
  const { settings, version, metrics } = context;
  const { queue, webhooks, identity, content, records, player, audit, alerts, delivery, readiness } = parts;
  const ui = createUserInterface(context, {
    queue,
    webhooks,
    runChecks: async () => {
      const results = await readiness.run();
      const { checkOutcomes } = delivery;
      // One webhook that waits must not make the instance unready, but the System page shows it.
      const isRefused = checkOutcomes !== null && (await failureOf(checkOutcomes)) !== null;
      return isRefused ? { ...results, queue: 'failed' } : results;
    },
    connectionTrouble: () => delivery.connectionTroubles.current(),
    contentOriginRisks: () => player.contentOriginRisks(),
  });
  const turns = new CallerTurns(server);
  const originOf = serviceOrigin(null);
  await describeApi(server, {
    version,
    addressFor: (request) => settings.base_url ?? originOf(request),
    basePath: basePathOf(settings.base_url),
    scopes: SCOPE_MEANINGS,
    tokenPath: TOKEN_PATH,
    postbacks: describePostbacks(),
  });
  healthRoutes(server, { readiness, metrics, token: settings.monitoring_token });
  content.addOpenRoutes(server, (launch) => player.play(launch));
  await ui.addOpenRoutes(server);
  await identity.addOpenRoutes(server);
  await records.addRoutes(server, turns);
  await server.register(async (scoped) => {
    const routes = scoped as unknown as Routes;
    requireScopes(scoped, identity.authorize);
    turns.limitRoutes(scoped);
    identity.addRoutes(routes);
    await content.addRoutes(routes, player.learning);
    player.addRoutes(routes);
    webhooks.addRoutes(routes);
    auditRoutes(routes, audit);
    alerts.addRoutes(routes);
    ui.addRoutes(routes);
  });
  probeRoutes(player.server, { readiness });
}
