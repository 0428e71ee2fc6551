import { isMigrated } from '../database/migrate.ts';
import { AuthSecretError, readAuthSecret } from '../secrets/auth-secret.ts';
import { CredentialsCipher } from '../secrets/credentials-cipher.ts';
import { opensCheck, readSecretUse, selectSecretCheck } from '../secrets/secret-check.ts';
import type { AuthSecretSources } from '../secrets/stored-secret.ts';
import { openBackupReader } from './backup-reader.ts';

/** Whether a backup contains the secret that decrypts its stored credentials. */
export interface BackupSecret {
  /** Whether the file of the secret belongs in the backup. */
  copiesFile: boolean;
  /** Why a service cannot start on the backup and what to do, or null. */
  lacks: string | null;
  /** Whether some stored values need `webhooks_auth_secret_previous`. */
  needsFormer: boolean;
  /** The number of stored values that no configured secret decrypts. */
  unreadable: number;
}

/** Checks the secret that a backup would be restored with against its database, which is only read. */
export async function secretOfBackup(
  databaseFile: string,
  { secretFile, configured, former }: AuthSecretSources,
): Promise<BackupSecret> {
  const nothing: BackupSecret = { copiesFile: false, lacks: null, needsFormer: false, unreadable: 0 };
  let current: string | null;
  try {
    current = configured ?? readAuthSecret(secretFile);
  } catch (error) {
    if (error instanceof AuthSecretError) return { ...nothing, lacks: error.message };
    throw error;
  }
  using reader = openBackupReader(databaseFile);
  const check = await selectSecretCheck(reader);
  if (current === null) {
    // A database that no service ever started on needs no secret yet.
    if (check === null) return nothing;
    return {
      ...nothing,
      lacks:
        `webhooks_auth_secret is missing in ${secretFile}: restore the file from an earlier backup, or set ` +
        'webhooks_auth_secret; the service does not start on this backup without it',
    };
  }
  const cipher = new CredentialsCipher(former === null ? [current] : [current, former]);
  if (check !== null && !opensCheck(cipher, check)) {
    const whose = configured === null ? secretFile : 'the settings';
    return {
      ...nothing,
      lacks:
        `the webhooks_auth_secret of ${whose} does not decrypt the stored data: the service starts on this backup only ` +
        'with the secret that was used before',
    };
  }
  const found = { copiesFile: configured === null, lacks: null };
  // An earlier release has fewer columns with secrets. Its values are not counted, so that a backup before an upgrade is possible
  // with the new program, too.
  if (!(await isMigrated(reader))) return { ...found, needsFormer: former !== null, unreadable: 0 };
  const use = await readSecretUse(reader, cipher);
  return {
    ...found,
    needsFormer: use.former > 0,
    unreadable: use.unknown,
  };
}
