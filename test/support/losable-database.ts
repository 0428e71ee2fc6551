import { createPostgresDatabase } from './postgres.ts';
import { startTcpProxy } from './tcp-proxy.ts';

/** A PostgreSQL database behind a proxy, and the settings of a service that uses it. */
export async function startLosableDatabase() {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createPostgresDatabase());
  const { hostname, port } = new URL(database.url);
  const proxy = stack.use(await startTcpProxy({ host: hostname, port: Number(port) }));
  const url = new URL(database.url);
  url.hostname = '127.0.0.1';
  url.port = String(proxy.port);
  const owned = stack.move();
  return {
    proxy,
    /** Past the proxy. */
    directUrl: database.url,
    settings: { database_url: url.href, webhooks_auth_secret: 's'.repeat(64) },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
