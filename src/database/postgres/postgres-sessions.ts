import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import type { PostgresAddress } from './postgres-address.ts';
import { hasNoServerConnection } from './postgres-errors.ts';

/** A setting that the server ignores. Because of the dot, any user may set it. */
const SETTING = 'coursewire.session';
/** The SQLSTATE of what PgBouncer itself refuses. */
const PROTOCOL_VIOLATION = '08P01';

/**
 * Whether each connection keeps its own session. A pooler that shares server connections between transactions loses
 * `listen`, time limits and prepared statements.
 * @throws {DatabaseUnavailableError}
 */
export async function hasSessions(address: PostgresAddress): Promise<boolean> {
  const token = randomUUID();
  await using first = await connect(address);
  await using second = await connect(address);
  let heard = false;
  first.client.on('notification', () => {
    heard = true;
  });
  try {
    await first.client.query(`set ${SETTING} = '${token}'; listen "${token}"`);
    // Occupies the server connection of the previous statement, if the pooler has released it.
    await second.client.query('begin');
    // A session gets its own notification before the response to `notify`.
    await first.client.query(`notify "${token}"`);
    const { rows } = await first.client.query<{ kept: string | null }>(
      `select current_setting('${SETTING}', true) as kept`,
    );
    await second.client.query('rollback');
    return heard && rows[0]?.kept === token;
  } catch (error) {
    // A pooler of single statements refuses the transaction.
    if ((error as { code?: unknown }).code === PROTOCOL_VIOLATION && !hasNoServerConnection(error))
      return false;
    throw address.connectError(error);
  }
}

async function connect(address: PostgresAddress): Promise<AsyncDisposable & { client: Client }> {
  const client = new Client(address.clientConfig());
  // A lost connection fails the running statement. Without a listener, it would end the process.
  client.on('error', () => {});
  try {
    await client.connect();
  } catch (error) {
    throw address.connectError(error);
  }
  return { client, [Symbol.asyncDispose]: () => client.end().catch(() => {}) };
}
