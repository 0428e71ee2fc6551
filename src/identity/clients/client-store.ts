import type { Reader, Transaction } from '../../database/database.ts';
import type { ApiClientRow } from '../../database/schema.ts';

/** The data that a token is checked against in each API request. */
export type TokenHolderRow = Pick<ApiClientRow, 'name' | 'email' | 'scopes' | 'enabled' | 'token_generation'>;

/** Adds a client. */
export async function insertClient(tx: Transaction, row: ApiClientRow): Promise<void> {
  await tx.query.insertInto('api_clients').values(row).execute();
}

/** Every client, oldest first. */
export async function selectClients(reader: Reader): Promise<ApiClientRow[]> {
  return await reader.query
    .selectFrom('api_clients')
    .selectAll('api_clients')
    .orderBy('api_clients.created_at')
    .orderBy('api_clients.client_id')
    .execute();
}

const CLIENT = `select client_id, name, email, scopes, secret_hash, enabled, token_generation, created_at, last_used_at,
  revision from api_clients where client_id = ?`;

/** A client, for the token endpoint and the administration. */
export async function selectClient(
  reader: Pick<Reader, 'all'>,
  clientId: string,
): Promise<ApiClientRow | undefined> {
  const [row] = await reader.all<ApiClientRow>(CLIENT, clientId);
  return row;
}

/** A client that nobody else changes until the transaction ends. */
export async function selectLockedClient(
  tx: Transaction,
  clientId: string,
): Promise<ApiClientRow | undefined> {
  const [row] = await tx.all<ApiClientRow>(
    tx.dialect === 'postgres' ? `${CLIENT} for update` : CLIENT,
    clientId,
  );
  return row;
}

/** The hot path: one read by primary key for each request to the API. */
export async function selectTokenHolder(
  reader: Reader,
  clientId: string,
): Promise<TokenHolderRow | undefined> {
  const [row] = await reader.all<TokenHolderRow>(
    'select name, email, scopes, enabled, token_generation from api_clients where client_id = ?',
    clientId,
  );
  return row;
}

/** Removes a client. */
export async function deleteClient(tx: Transaction, clientId: string): Promise<void> {
  await tx.run('delete from api_clients where client_id = ?', clientId);
}

/** Enables a client. */
export async function enableClient(tx: Transaction, clientId: string): Promise<void> {
  await tx.run(
    'update api_clients set enabled = 1, revision = revision + 1 - enabled where client_id = ?',
    clientId,
  );
}

/** Disables a client, and invalidates its tokens permanently. */
export async function disableClient(tx: Transaction, clientId: string): Promise<void> {
  await tx.run(
    `update api_clients set enabled = 0, token_generation = token_generation + 1, revision = revision + enabled
     where client_id = ?`,
    clientId,
  );
}

/** Updates a client. */
export async function updateClient(
  tx: Transaction,
  clientId: string,
  { name, email, scopes }: Pick<ApiClientRow, 'name' | 'email' | 'scopes'>,
): Promise<void> {
  await tx.run(
    'update api_clients set name = ?, email = ?, scopes = ?, revision = revision + 1 where client_id = ?',
    name,
    email,
    scopes,
    clientId,
  );
}

/** Replaces the secret of a client, invalidates its tokens permanently, and returns whether it exists. */
export async function replaceSecret(tx: Transaction, clientId: string, secretHash: string): Promise<boolean> {
  const changed = await tx.run(
    'update api_clients set secret_hash = ?, token_generation = token_generation + 1 where client_id = ?',
    secretHash,
    clientId,
  );
  return changed > 0;
}

/** Records a use at `usedAt` unless one after `staleAt` is already recorded. Both are in epoch milliseconds. */
export async function updateLastUse(
  tx: Transaction,
  clientId: string,
  usedAt: number,
  staleAt: number,
): Promise<void> {
  await tx.run(
    'update api_clients set last_used_at = ? where client_id = ? and (last_used_at is null or last_used_at <= ?)',
    usedAt,
    clientId,
    staleAt,
  );
}
