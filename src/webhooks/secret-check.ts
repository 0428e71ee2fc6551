import type { Database } from '../database/database.ts';
import { type CredentialsCipher, UndecryptableError } from './credentials-cipher.ts';

const NAME = 'webhooks_auth_secret_check';
const PLAINTEXT = 'coursewire';

/** The configured `webhooks_auth_secret` is not the one that this database's credentials are encrypted with. */
export class WrongSecretError extends Error {
  override name = 'WrongSecretError';
}

/**
 * Holds the configured secret against a value that was encrypted when the database was new, so that a wrong
 * one is noticed at start and not at the first delivery. @throws {WrongSecretError}
 */
export async function checkSecret(database: Database, cipher: CredentialsCipher): Promise<void> {
  const stored = await database.transaction(async (tx) => {
    await tx.query
      .insertInto('service_secrets')
      .values({ name: NAME, value: cipher.encrypt(NAME, PLAINTEXT) })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute();
    const row = await tx.query
      .selectFrom('service_secrets')
      .select('service_secrets.value')
      .where('service_secrets.name', '=', NAME)
      .executeTakeFirstOrThrow();
    return row.value;
  });
  try {
    cipher.decrypt(NAME, stored);
  } catch (error) {
    if (!(error instanceof UndecryptableError)) throw error;
    throw new WrongSecretError(
      'webhooks_auth_secret is not the one that the credentials in this database are encrypted with; ' +
        'configure the secret that was used before',
      { cause: error },
    );
  }
}
