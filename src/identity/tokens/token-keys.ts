import { type KeyObject, randomBytes } from 'node:crypto';
import type { Database, Reader } from '../../database/database.ts';
import { signingKeys } from '../../secrets/signed-token.ts';

const SALT_NAME = 'access_token_salt';
const SALT_BYTES = 32;
/** Separates these keys from every other use of the same secret (RFC 5869 §3.2). */
const KEY_PURPOSE = 'coursewire access token';

/**
 * The keys of access tokens, one for each `webhooks_auth_secret`: the current one first, then those whose tokens are
 * still valid. Their salt is random and stored in the database, so that every instance derives the same keys, even after
 * a restart.
 */
export async function deriveTokenKeys(
  database: Database,
  authSecrets: readonly [string, ...string[]],
): Promise<[KeyObject, ...KeyObject[]]> {
  const salt = await keptSalt(database);
  return signingKeys(authSecrets, KEY_PURPOSE, salt);
}

async function keptSalt(database: Database): Promise<Buffer> {
  const known = await selectSecret(database.reader, SALT_NAME);
  if (known !== undefined) return Buffer.from(known, 'base64url');
  const made = await database.transaction(async (tx) => {
    // Two instances may start on an empty database at the same time: the first to commit decides for both.
    await tx.run(
      'insert into service_secrets (name, value) values (?, ?) on conflict (name) do nothing',
      SALT_NAME,
      randomBytes(SALT_BYTES).toString('base64url'),
    );
    return await selectSecret(tx, SALT_NAME);
  });
  if (made === undefined) throw new Error(`the database did not keep ${SALT_NAME}`);
  return Buffer.from(made, 'base64url');
}

async function selectSecret(reader: Reader, name: string): Promise<string | undefined> {
  const row = await reader.query
    .selectFrom('service_secrets')
    .select('service_secrets.value')
    .where('service_secrets.name', '=', name)
    .executeTakeFirst();
  return row?.value;
}
