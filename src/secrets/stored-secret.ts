import type { Database } from '../database/database.ts';
import { keepAuthSecret, makeAuthSecret, readAuthSecret, removeAuthSecret } from './auth-secret.ts';
import { CredentialsCipher } from './credentials-cipher.ts';
import { checkSecret, opensCheck, readSecretCheck, WrongSecretError, wrongSecret } from './secret-check.ts';

/** The database holds data that is encrypted with a `webhooks_auth_secret` that is neither set nor stored in a file. */
export class LostSecretError extends Error {
  override name = 'LostSecretError';
}

/** The sources of the secrets. */
export interface AuthSecretSources {
  /** The file with the secret that the service created by default. */
  readonly secretFile: string;
  /** `webhooks_auth_secret`, if it is set. */
  readonly configured: string | null;
  /** `webhooks_auth_secret_previous`. */
  readonly former: string | null;
}

/** The secrets, the current one first, and their cipher. */
export interface AuthSecrets {
  authSecrets: readonly [string, ...string[]];
  cipher: CredentialsCipher;
}

/**
 * Checks the secrets against the database without writing anything, so that a refused startup changes nothing. `keep`,
 * called once the database is migrated, stores the secret of a new database.
 * @throws {LostSecretError} @throws {WrongSecretError} @throws {AuthSecretError}
 */
export async function openAuthSecrets(
  database: Database,
  { secretFile, configured, former }: AuthSecretSources,
): Promise<{ keep: () => Promise<AuthSecrets> }> {
  const check = await readSecretCheck(database);
  const known = configured ?? readAuthSecret(secretFile);
  const formers = former === null ? [] : [former];
  if (check !== null) {
    const secrets = known === null ? formers : [known, ...formers];
    const [first, ...others] = secrets;
    const opens = first !== undefined && opensCheck(new CredentialsCipher([first, ...others]), check);
    if (!opens && known === null) throw lostSecret(secretFile);
    if (!opens) throw wrongSecret(former !== null);
  }
  return {
    async keep() {
      const current = known ?? keepAuthSecret(secretFile, makeAuthSecret());
      const authSecrets: [string, ...string[]] = [current, ...formers];
      const cipher = new CredentialsCipher(authSecrets);
      try {
        await checkSecret(database, cipher);
      } catch (error) {
        // Another instance with another secret was first on this new database, so the secret that was created here is
        // useless.
        if (error instanceof WrongSecretError && known === null) removeAuthSecret(secretFile, current);
        throw error;
      }
      return { authSecrets, cipher };
    },
  };
}

function lostSecret(file: string): LostSecretError {
  return new LostSecretError(
    `webhooks_auth_secret is missing: it is not set and there is no file ${file}, but the database holds data that is ` +
      'encrypted with it. Set it, or restore that file from a backup; all instances on one database need the same ' +
      'secret. Nothing was changed. If the secret is lost for good, see "A lost webhooks_auth_secret" in docs/operating.md',
  );
}
