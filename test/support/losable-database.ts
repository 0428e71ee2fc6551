import { createPostgresDatabase } from './postgres.ts';
import { startProxyTo } from './tcp-proxy.ts';

/** A PostgreSQL database behind a proxy, and the settings of a service that uses it. */
export async function startLosableDatabase() {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createPostgresDatabase());
  const { proxy, behind } = await startProxyTo(database.url);
  stack.use(proxy);
  const owned = stack.move();
  return {
    proxy,
    /** Past the proxy. */
    directUrl: database.url,
    settings: { database_url: behind, webhooks_auth_secret: 's'.repeat(64) },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
