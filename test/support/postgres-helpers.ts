import { PostgresDatabase, type PostgresOptions } from '../../src/database/postgres/postgres-database.ts';
import { createPostgresDatabase } from './postgres.ts';
import { startProxyTo, type TcpProxy, type TcpProxyOptions } from './tcp-proxy.ts';

/** Short enough for tests to wait for, and long enough for a busy machine to finish other work within them. */
export const SHORT_TIMEOUTS = {
  connectMs: 1_500,
  statementMs: 1_000,
  lockMs: 400,
  idleInTransactionMs: 600,
  unreadMs: 1_000,
  graceMs: 500,
} as const;

/** A PostgreSQL database of a test, and further instances on it. */
export interface PostgresParts extends AsyncDisposable {
  readonly url: string;
  readonly database: PostgresDatabase;
  /** Another instance. */
  open(options?: PostgresOptions): PostgresDatabase;
  /** Another instance, which reaches the server through a connection that can fail. */
  openBehindProxy(
    options?: PostgresOptions,
    changes?: TcpProxyOptions,
  ): Promise<{ database: PostgresDatabase; proxy: TcpProxy }>;
}

/** Opens a new database with the service's schema. */
export async function openPostgresParts(options: PostgresOptions = {}): Promise<PostgresParts> {
  await using stack = new AsyncDisposableStack();
  const { url } = stack.use(await createPostgresDatabase());
  const opened = stack.move();
  const open = (some?: PostgresOptions) => opened.use(new PostgresDatabase(url, some));
  return {
    url,
    database: open(options),
    open,
    async openBehindProxy(some, changes) {
      const { proxy, behind } = await startProxyTo(url, changes);
      opened.use(proxy);
      return { proxy, database: opened.use(new PostgresDatabase(behind, some)) };
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
